/* SPDX-License-Identifier: MIT */
/*
 * Functions that call nothing.
 *
 * A leaf's instructions jump within it, by tables too (image/jump_tables.h), and return,
 * nothing else: so no call begins while it runs, and its return address stays where it is. What its hook costs is
 * half of another's then (preload/hot/stub_leaf.inc).
 */
#ifndef CLEW_IMAGE_LEAVES_H
#define CLEW_IMAGE_LEAVES_H

#include "image/inquiry.h"
#include "wire/recording.h"

/*
 * Flag those (WIRE_LEAF) of `list`, one record for each of q's functions, that are
 * hooked and whose displaced instructions do not use the stack. 0 or -ENOMEM.
 */
int leaves_find(struct inquiry *q, struct wire_function *list);

#endif
