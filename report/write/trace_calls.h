/* SPDX-License-Identifier: MIT */
/* What clew trace writes of functions' calls: the slowest, and how long all took. */
#ifndef CLEW_WRITE_TRACE_CALLS_H
#define CLEW_WRITE_TRACE_CALLS_H

#include "report/trace/compared_calls.h"
#include "report/trace/function_calls.h"
#include "report/trace/function_latencies.h"
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

void text_latencies(struct trace_output *output,
		    const struct call_latencies *latencies);
void json_latencies(struct trace_output *output,
		    const struct call_latencies *latencies);

/* A row for each function, `top` of them; 0: all. In JSON, an object as above. */
void text_all_latencies(struct trace_output *output,
			const struct function_latencies *all, size_t top);
void json_all_latencies(struct trace_output *output,
			const struct function_latencies *all, size_t top);

/* The shares that are shown, ended by 0. */
extern const double latency_shares[];

#endif
