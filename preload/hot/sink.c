/* SPDX-License-Identifier: MIT */
/* See sink.h. */
#include "preload/hot/sink.h"

#include "preload/hot/count.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "wire/id.h"

/*
 * Returns whether the tally has recorded the context of the leaf `function`
 * below `id`.
 */
static int is_leaf_on_top(const struct tally *tally, uint64_t id,
			  uint32_t function)
{
	id = id_push(id, id_key(function));
	return tally_note(tally, id).function == function;
}

const struct sink sink_counting = {
	.stub = &hot_stub_plain,
	.leaf_stub = &hot_stub_leaf,
	.is_leaf_on_top = is_leaf_on_top,
	.carried_at = HOT_CARRIED,
	.off = count_off,
	.on = count_on,
	.miss = count_miss,
};
