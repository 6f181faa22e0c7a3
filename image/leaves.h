/* SPDX-License-Identifier: MIT */
/*
 * Finds leaves, which are functions that call nothing.
 *
 * A leaf's instructions only jump within it, also through tables
 * (image/jump_tables.h), and return. No call begins while it runs, and its
 * return address stays in place. The hook of a leaf costs half of another
 * function's (preload/hot/stub_leaf.inc).
 */
#ifndef CLEW_IMAGE_LEAVES_H
#define CLEW_IMAGE_LEAVES_H

#include "image/inquiry.h"
#include "wire/recording.h"

/*
 * Sets WIRE_LEAF in the records of `list`, one for each of q's functions, that
 * are hooked leaves and whose displaced instructions do not use the stack.
 * Returns 0 or -ENOMEM.
 */
int leaves_find(struct inquiry *q, struct wire_function *list);

#endif
