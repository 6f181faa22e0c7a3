/* SPDX-License-Identifier: MIT */
#include "preload/hot/sink.h"

#include "preload/hot/count.h"
#include "preload/hot/thread.h"

const struct sink sink_counting = {
	.stub = &hot_stub_plain,
	.carried_at = HOT_CARRIED,
	.off = count_off,
	.on = count_on,
	.miss = count_miss,
};
