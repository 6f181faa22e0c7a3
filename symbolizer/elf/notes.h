/* SPDX-License-Identifier: MIT */
/* ELF notes. */
#ifndef CLEW_SYMBOLIZER_ELF_NOTES_H
#define CLEW_SYMBOLIZER_ELF_NOTES_H

#include "symbolizer/a2n.h"
#include "symbolizer/elf/cursor.h"

/* Returns whether the notes contain a build-id, and then sets *out. */
int notes_build_id(struct span notes, uint64_t align, struct a2n_build_id *out);

#endif
