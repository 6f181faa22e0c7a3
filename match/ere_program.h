/* SPDX-License-Identifier: MIT */
/* Writes the program of an expression from its tree. */
#ifndef CLEW_MATCH_ERE_PROGRAM_H
#define CLEW_MATCH_ERE_PROGRAM_H

#include "match/ere_tree.h"

/* Writes ere->program, which has room for group->size + 1 instructions. */
void ere_write(struct ere *ere, const struct ere_node *group);

#endif
