/* SPDX-License-Identifier: MIT */
#include "preload/sampling.h"

#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/samples.h"
#include "preload/ticks.h"

void sampling_begin_thread(void)
{
	const uint32_t time = rt.header->time;

	if (!hot.tally && (time == WIRE_TIME_CPU || time == WIRE_TIME_WALL))
		hot_make_room();
}

void sampling_start(const struct config *config)
{
	struct wire_header *header = rt.header;

	samples_describe(header, config->time, config->rate_hz);
	if (config->time == WIRE_TIME_CPU)
		ticks_start(header->period_ns);
	sampling_begin_thread();
}
