/* SPDX-License-Identifier: MIT */
/*
 * Output of clew trace for chosen functions: the slowest calls, and the
 * durations of all.
 */
#ifndef CLEW_WRITE_TRACE_CALLS_H
#define CLEW_WRITE_TRACE_CALLS_H

#include "report/trace/compared_calls.h"
#include "report/trace/function_calls.h"
#include "report/trace/function_latencies.h"
#include "report/trace/main_path.h"
#include "report/write/trace_lines.h"

/*
 * Write each call with the calls inside it, `levels` deep including itself; 0:
 * without.
 */
void text_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels);
void json_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels);

/* Write where the slowest call mostly spent its time, beside the median one. */
void text_main_path(struct trace_output *output,
		    const struct compared_calls *compared);
void json_main_path(const struct trace_output *output,
		    const struct compared_calls *compared);

/* Compare the contents of two calls. */
void text_compared_calls(struct trace_output *output,
			 const struct compared_calls *compared);
void json_compared_calls(const struct trace_output *output,
			 const struct compared_calls *compared);

void text_latencies(struct trace_output *output,
		    const struct call_latencies *latencies);
void json_latencies(struct trace_output *output,
		    const struct call_latencies *latencies);

/*
 * Write a row for each of the first `top` functions; 0: all. In JSON, one
 * object each as in json_latencies().
 */
void text_all_latencies(struct trace_output *output,
			const struct function_latencies *all, size_t top);
void json_all_latencies(struct trace_output *output,
			const struct function_latencies *all, size_t top);

/* The shares that are shown, terminated by 0. */
extern const double latency_shares[];

#endif
