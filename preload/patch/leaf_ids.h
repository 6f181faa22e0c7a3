/* SPDX-License-Identifier: MIT */
/*
 * Who runs, where a leaf may: while a function runs that calls nothing, and whose hook
 * therefore does without a frame (hot/stub_leaf.inc), the thread's id is that of
 * its caller's context. So whoever finds a thread interrupted goes by the pc as well.
 *
 * Safe in signal handlers.
 */
#ifndef CLEW_PATCH_LEAF_IDS_H
#define CLEW_PATCH_LEAF_IDS_H

#include <stdint.h>

struct tally;

/*
 * The id of the context that the calling thread runs in, which has come to a probe, written
 * there (stubs/probe.h).
 */
uint64_t leaf_id_at_probe(const uint8_t *probe);

struct patch;

/* A patch is about to be one of those that handlers look through (patches.h). */
void leaf_ids_know(struct patch *patch);

#endif
