/* SPDX-License-Identifier: MIT */
/* Writes pages to files. */
#ifndef CLEW_CLI_CMD_HTML_H
#define CLEW_CLI_CMD_HTML_H

#include "cli/common/recording_readers.h"
#include "report/html/html.h"

/*
 * Writes a page to `path`; "-" is stdout. Only `readers` can read the file.
 * Returns 0; or -errno and *why, and then the earlier file remains.
 */
int html_save(const char *path, const struct html_view *view,
	      const struct recording_readers *readers, char **why);

#endif
