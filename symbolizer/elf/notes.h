/* SPDX-License-Identifier: MIT */
/* ELF notes. */
#ifndef CLEW_SYMBOLIZER_ELF_NOTES_H
#define CLEW_SYMBOLIZER_ELF_NOTES_H

#include "base/cursor.h"
#include "symbolizer/a2n.h"

/*
 * Returns whether the notes contain a GNU build-id, and copies it to *out.
 * `align` is the alignment of the section or segment: 8, or anything else for
 * 4.
 */
int notes_build_id(struct span notes, uint64_t align, struct a2n_build_id *out);

#endif
