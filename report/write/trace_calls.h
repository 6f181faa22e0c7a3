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
 * Both functions write each call with the calls inside it, down to `levels`
 * levels including the call itself. 0 omits the calls inside it.
 */
void text_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels);
void json_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels);

/*
 * Both functions write where the slowest call, or the call of the snapshot,
 * mostly spent its time; and if there is another call to compare, the time of
 * the median call there.
 */
void text_main_path(struct trace_output *output,
		    const struct compared_calls *compared);
void json_main_path(const struct trace_output *output,
		    const struct compared_calls *compared);

/* Both functions write a comparison of the contents of two calls. */
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

/* The columns of text_all_latencies() that leave room for names. */
struct latency_columns {
	int calls_width;
	int has_total;
	/*
	 * whether the column of each share is written, by index of
	 * latency_shares[]
	 */
	int has_share[4];
};

/* Chooses the columns for the first `shown` functions. */
struct latency_columns text_latency_columns(
	const struct trace_output *output, const struct function_latencies *all,
	size_t shown);

/*
 * Write single lines without a newline, for screens: of text_all_latencies(),
 * and of text_slow_calls().
 */
void text_latency_heading(const struct trace_output *output,
			  const struct latency_columns *columns);
void text_latency_row(struct trace_output *output,
		      const struct latency_columns *columns,
		      const struct call_latencies *one);
void text_slow_heading(const struct trace_output *output);
void text_slow_call(struct trace_output *output,
		    const struct function_call *call, size_t rank);

/* The shares that are shown, terminated by 0. */
extern const double latency_shares[];

#endif
