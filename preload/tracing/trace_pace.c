/* SPDX-License-Identifier: MIT */
/*
 * Reading the clock at each call would cost as much as a time stamp. Therefore
 * the distance of stamps is a number of calls. It is the number of calls that
 * took the requested time before the latest stamp, but at most twice the former
 * number.
 */
#include "preload/tracing/trace_pace.h"

#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/record/recorder.h"

#define EVERY_MAX 1024 /* maximum number of calls between two stamps */

void trace_pace_step(uint64_t tsc)
{
	const uint64_t ticks = rt.recorder->trace.stamp_ticks;
	struct hot_stamps *stamps = &hot.aside->stamps;
	const uint64_t elapsed = tsc - stamps->tsc;
	const uint64_t every = stamps->every;
	uint64_t next = 2 * every;

	stamps->tsc = tsc;
	if (!ticks)
		return;
	if (elapsed > ticks / 2)
		next = every * ticks / elapsed;
	if (next < 1)
		next = 1;
	stamps->every = next < EVERY_MAX ? next : EVERY_MAX;
}

void trace_pace_learn(void)
{
	struct trace_file *trace = &rt.recorder->trace;
	const struct wire_header *header = rt.header;
	uint64_t ticks = header->latest.tsc - header->first.tsc;
	uint64_t ns = header->latest.ns - header->first.ns;

	for (; ticks >> 20; ticks >>= 1)
		ns >>= 1;
	if (!ns)
		return;
	if (trace->least_ns)
		trace->least_ticks = trace->least_ns * ticks / ns;
	if (trace->stamp_ns)
		trace->stamp_ticks = trace->stamp_ns * ticks / ns;
}
