/* SPDX-License-Identifier: MIT */
/*
 * The content of a profile in pprof's format, which other formats also use.
 *
 * Each sample contains its whole stack. The profile is therefore written in
 * pieces of some hundred samples and is never in memory as a whole. Addresses
 * are those of the ELF files; a mapping is a segment of such a file.
 */
#ifndef CLEW_EXPORT_PPROF_PROFILE_H
#define CLEW_EXPORT_PPROF_PROFILE_H

#include "report/export/pprof_places.h"

/*
 * Writes all pieces. The first one has the types, the times and the comment,
 * the last one has the strings, and each other piece has entries of one kind.
 */
void pprof_write_profile(struct pprof *pprof);

/* Frees the tables of ids. */
void pprof_fini(struct pprof *pprof);

#endif
