/* SPDX-License-Identifier: MIT */
/*
 * The user's text for the location of a probe:
 *
 *	[MODULE:]FUNCTION		its first instruction
 *	[MODULE:]FUNCTION+OFFSET	the one OFFSET bytes after it
 *	[MODULE:]FUNCTION%return	each instruction that leaves it
 *	[MODULE:]0xADDRESS[,0x...]	addresses in the file
 *	[MODULE:]0xADDRESS[,0x...]%return	exits of functions that begin there
 *
 * FUNCTION is a linker's symbol, or a C++ function's name without parameters
 * (match/cxx_name.h), for each function of that name. MODULE is a glob for the
 * file name or, with a "/", for the path. Without MODULE, the text applies to
 * each module that has the function; an address applies to the program itself.
 * Text after a blank is a remark.
 */
#ifndef CLEW_IMAGE_PROBE_SPEC_H
#define CLEW_IMAGE_PROBE_SPEC_H

#include <stdint.h>

#include "image/probe_site.h"

#define PROBE_SPEC_MAX_BYTES     1024
#define PROBE_SPEC_MAX_ADDRESSES 32

struct probe_spec {
	char module[PROBE_SPEC_MAX_BYTES]; /* "" if the text names no module */
	/* "" if the text contains addresses instead */
	char function[PROBE_SPEC_MAX_BYTES];
	uint64_t offset;
	uint64_t addresses[PROBE_SPEC_MAX_ADDRESSES];
	uint32_t address_count;
	int is_return;
};

/* Parses the text of a probe. Returns 0 or -EINVAL. */
int probe_spec_parse(const char *text, struct probe_spec *out);

/* Returns whether the text applies to a module, given its path. */
int probe_spec_means(const struct probe_spec *spec, const char *path,
		     int is_program);

/* Returns whether the module has that function, or the text is an address. */
int probe_spec_is_in(const struct probe_spec *spec, const struct image *image);

/*
 * Visits each location in a module, including those that cannot be probed. A
 * %return without locations, and an address outside of all functions, get one
 * visit with the reason. Returns the number of visits; 0 if the text names a
 * function that the module does not have.
 */
unsigned int probe_spec_walk(const struct probe_spec *spec,
			     const struct probe_map *map,
			     probe_site_visit visit, void *context);

#endif
