/* SPDX-License-Identifier: MIT */
/* JSON of the slowest calls, and of durations. */
#include "report/write/json.h"
#include "report/write/trace_calls.h"

/* Writes one JSON object for each line. */
static void write_object(struct trace_output *output, json_t *object)
{
	json_dumpf(object, output->out, JSON_COMPACT);
	json_decref(object);
	fputc('\n', output->out);
}

/* ---- The slowest calls ---- */

static void write_line(void *context, const struct call_line *line)
{
	json_trace_line(context, line);
}

static void write_slow(struct trace_output *output,
		       const struct function_call *call, size_t rank,
		       int is_cause)
{
	const struct traced_process *process = call->process;
	json_t *object = json_pack(
		"{sssososososossso}", "kind", "slow", "rank", json_number(rank),
		"time_ns",
		json_number(clock_time_ns(&process->clock,
					  call->end.call.seen_tsc)),
		"pid", json_number(process->part->header->pid), "tid",
		json_number(call->end.tid), "least_ns",
		json_number(call->duration.least_ns), "ending",
		call_ending_word(call->end.ending), "most_ns",
		call->duration.has_most
			? json_integer((json_int_t)call->duration.most_ns)
			: json_null());
	json_t *function =
		json_function(output->traces->catalog, call->function);

	json_object_update(object, function);
	json_decref(function);
	if (is_cause)
		json_object_set_new(object, "snapshot", json_true());
	json_object_set_new(
		object, "thread",
		json_text(traced_thread_name(process, call->end.tid)));
	write_object(output, object);
}

void json_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels)
{
	for (size_t i = 0; i < slow->count; i++) {
		write_slow(output, &slow->items[i], i + 1,
			   slow_calls_is_cause(slow, &slow->items[i]));
		if (levels)
			function_call_lines(output->traces, &slow->items[i],
					    levels, write_line, output);
	}
}

/* ---- Durations of all calls ---- */

static json_t *json_quantiles(const struct latencies *latencies)
{
	json_t *object =
		json_pack("{soso}", "min_ns", json_number(latencies->min_ns),
			  "max_ns", json_number(latencies->max_ns));
	json_t *shares = json_array();

	for (const double *next = latency_shares; *next > 0; next++)
		json_array_append_new(shares,
				      json_pack("{sfso}", "share", *next, "ns",
						json_number(latencies_quantile(
							latencies, *next))));
	json_object_set_new(object, "quantiles", shares);
	if (latencies->count)
		json_object_set_new(object, "mean_ns",
				    json_number((uint64_t)(latencies->sum_ns /
							   latencies->count)));
	return object;
}

/*
 * Returns the numbers of calls by duration: each number is of calls that took
 * less than below_ns, but at least half of it; for a below_ns of 1, of calls
 * that took 0 ns.
 */
static json_t *json_octaves(const struct latencies *latencies)
{
	json_t *octaves = json_array();

	for (unsigned int bit = 0; bit < 63; bit++) {
		const uint64_t count = latencies_octave(latencies, bit);

		if (count)
			json_array_append_new(
				octaves,
				json_pack("{soso}", "below_ns",
					  json_number(UINT64_C(1) << bit),
					  "calls", json_number(count)));
	}
	return octaves;
}

void json_latencies(struct trace_output *output,
		    const struct call_latencies *latencies)
{
	write_object(output,
		     json_pack("{sssosososososo}", "kind", "histogram", "name",
			       json_text(latencies->name), "calls",
			       json_number(latencies->most.count), "unknown",
			       json_number(latencies->unknown), "least",
			       json_quantiles(&latencies->least), "most",
			       json_quantiles(&latencies->most), "histogram",
			       json_octaves(&latencies->most)));
}

void json_all_latencies(struct trace_output *output,
			const struct function_latencies *all, size_t top)
{
	for (size_t i = 0; i < all->count && (!top || i < top); i++)
		json_latencies(output, all->sorted[i]);
}
