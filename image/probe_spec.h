/* SPDX-License-Identifier: MIT */
/*
 * What a user says of where a probe is to be:
 *
 *	[MODULE:]FUNCTION		its first instruction
 *	[MODULE:]FUNCTION+OFFSET	... that many bytes behind it
 *	[MODULE:]FUNCTION%return	each by which it is left
 *	[MODULE:]0xADDRESS[,0x...]	addresses as the file has them
 *
 * FUNCTION is a symbol as linkers know it, or a C++ function's name without parameters
 * (match/cxx_name.h), each of that name; MODULE a glob for the file's name, or with
 * a "/" for its path. Without one, each module that has such a function is meant; of
 * an address, the program itself. What follows a blank is a remark.
 */
#ifndef CLEW_IMAGE_PROBE_SPEC_H
#define CLEW_IMAGE_PROBE_SPEC_H

#include <stdint.h>

#include "image/probe_site.h"

#define PROBE_SPEC_MAX_BYTES     1024
#define PROBE_SPEC_MAX_ADDRESSES 32

struct probe_spec {
	char module[PROBE_SPEC_MAX_BYTES];   /* "": none is named */
	char function[PROBE_SPEC_MAX_BYTES]; /* "": there are addresses */
	uint64_t offset;
	uint64_t addresses[PROBE_SPEC_MAX_ADDRESSES];
	uint32_t address_count;
	int is_return;
};

/* 0, or -EINVAL. */
int probe_spec_parse(const char *text, struct probe_spec *out);

/* Whether a module is meant, by its path. */
int probe_spec_means(const struct probe_spec *spec, const char *path,
		     int is_program);

/* Whether a module that is meant has that function; or it is an address. */
int probe_spec_is_in(const struct probe_spec *spec, const struct image *image);

/*
 * Visit each place that is meant in a module. Those that cannot be probed are
 * visited, too. Returns how many, 0: it has no such function.
 */
unsigned int probe_spec_walk(const struct probe_spec *spec,
			     const struct probe_map *map,
			     probe_site_visit visit, void *context);

#endif
