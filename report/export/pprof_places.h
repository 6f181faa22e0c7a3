/* SPDX-License-Identifier: MIT */
/*
 * The functions and places of a profile in pprof's format.
 *
 * A profile may be written in pieces: what is repeated adds up. So each place
 * and each function is written when it is first asked for, and only its number
 * is kept.
 */
#ifndef CLEW_EXPORT_PPROF_PLACES_H
#define CLEW_EXPORT_PPROF_PLACES_H

#include <report/profile.pb-c.h>
#include <zlib.h>

#include "base/strings.h"
#include "report/export/export.h"

struct pprof {
	struct export *export;
	struct catalog *catalog;
	gzFile out;
	int err;                /* -errno of the first failure to write */
	struct strings strings; /* written at the end */
	struct idmap functions; /* name << 32 | file -> id */
	struct idmap places[2]; /* by is_return: function << 32 | site -> id */
	uint64_t place_count;
	uint8_t *packed; /* room to put a message together */
	size_t packed_capacity;
};

/* Writes a piece of the profile. */
void pprof_write(struct pprof *pprof, const Pprof__Profile *piece);

/* The place of a site in a function; site 0: of the function itself. */
uint64_t pprof_place(struct pprof *pprof, uint32_t function, uint32_t site,
		     int is_return);

/* One that has a name only. */
uint64_t pprof_named_place(struct pprof *pprof, const char *name);

#endif
