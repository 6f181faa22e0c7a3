/* SPDX-License-Identifier: MIT */
/* An ELF file with its possible locations for probes. */
#ifndef CLEW_CLI_PROBES_PROBE_FILE_H
#define CLEW_CLI_PROBES_PROBE_FILE_H

#include "image/probe_spec.h"

struct probe_file {
	struct image image;
	struct inquiry inquiry;
	struct probe_map map;
};

/*
 * Opens a file and analyses its code. Returns 0, or -errno and *why. After an
 * error there is nothing to close.
 */
int probe_file_open(struct probe_file *file, const char *path, char **why);
void probe_file_close(struct probe_file *file);

#endif
