/* SPDX-License-Identifier: MIT */
/*
 * Functions and locations of a profile in pprof's format.
 *
 * A profile may be written in pieces, since repeated fields are concatenated.
 * Each location and function is therefore written on first use, and only its
 * number is stored.
 */
#ifndef CLEW_EXPORT_PPROF_PLACES_H
#define CLEW_EXPORT_PPROF_PLACES_H

#include <report/profile.pb-c.h>

#include "base/strings.h"
#include "report/export/export.h"

struct pprof {
	struct export *export;
	struct catalog *catalog;
	/* Called for each piece, to which it must keep no pointer. */
	void (*write)(void *sink, const Pprof__Profile *piece);
	void *sink;
	struct strings strings; /* strings, which are written at the end */
	struct idmap functions; /* maps name << 32 | file to the id */
	/*
	 * two maps, the second for sites that are return addresses, from
	 * function << 32 | site to the id
	 */
	struct idmap places[2];
	struct idmap mappings; /* maps (module + 1) << 48 | segment to the id */
	uint64_t place_count;
};

/*
 * Returns the id of the mapping with a vaddr of a module, which is written on
 * first use; 0 for CATALOG_NO_MODULE. If the segment is unknown, the mapping
 * has all addresses. Locations have the addresses of the file, so a mapping is
 * a segment at the address that the file has for it.
 */
uint64_t pprof_mapping(struct pprof *pprof, uint32_t module, uint64_t vaddr);

/* Writes a piece of the profile. */
void pprof_write(struct pprof *pprof, const Pprof__Profile *piece);

/*
 * Returns the location of a site in a function; site 0: of the function itself.
 */
uint64_t pprof_place(struct pprof *pprof, uint32_t function, uint32_t site,
		     int is_return);

/* Returns a location that has only a name. */
uint64_t pprof_named_place(struct pprof *pprof, const char *name);

#endif
