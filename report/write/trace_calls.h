/* SPDX-License-Identifier: MIT */
/* What clew trace writes of a function's calls: the slowest, and how long all took. */
#ifndef CLEW_WRITE_TRACE_CALLS_H
#define CLEW_WRITE_TRACE_CALLS_H

#include "report/trace/compared_calls.h"
#include "report/trace/function_calls.h"
#include "report/trace/latencies.h"
#include "report/write/trace_lines.h"

/* Each with the calls in it, so many levels with itself; 0: without. */
void text_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels);
void json_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels);

/* What two of them did, side by side. */
void text_compared_calls(const struct trace_output *output,
			 const struct compared_calls *compared);
void json_compared_calls(const struct trace_output *output,
			 const struct compared_calls *compared);

/* How long the calls of a function took at least, and at most. */
struct call_latencies {
	const char *name; /* as it was asked for */
	struct latencies least, most;
	uint64_t unknown; /* calls of which nobody knows how long they took */
};

void text_latencies(struct trace_output *output,
		    const struct call_latencies *latencies);
void json_latencies(struct trace_output *output,
		    const struct call_latencies *latencies);

/* The shares that are shown, ended by 0. */
extern const double latency_shares[];

#endif
