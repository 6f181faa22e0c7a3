/* SPDX-License-Identifier: MIT */
/*
 * Ids of threads that execute a leaf: a function that calls nothing, so that
 * its stub creates no frame (hot/stub_leaf.inc). In a leaf the thread's id is
 * still that of its caller's context. Code that finds an interrupted thread
 * must therefore also check the pc.
 *
 * These functions are safe in signal handlers.
 */
#ifndef CLEW_LOOKUP_LEAF_IDS_H
#define CLEW_LOOKUP_LEAF_IDS_H

#include <stdint.h>

struct tally;

/*
 * Returns the id of the calling thread's context, at a probe (stubs/probe.h).
 */
uint64_t leaf_id_at_probe(const uint8_t *probe);

struct patch;

/*
 * Prepares a patch for these lookups, before it is added to the list that
 * signal handlers search (patches.h).
 */
void leaf_ids_know(struct patch *patch);

#endif
