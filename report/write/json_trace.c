/* SPDX-License-Identifier: MIT */
/* JSON of single calls of a trace. */
#include "report/trace/call_duration.h"
#include "report/write/json.h"
#include "report/write/trace_lines.h"

static const char *kind_word(enum call_line_kind kind)
{
	static const char *const words[] = {
		[LINE_OPEN] = "begin",
		[LINE_LEAF] = "call",
		[LINE_CLOSE] = "end",
		[LINE_GAP] = "gap",
	};

	return words[kind];
}

static json_t *time_of(const struct call_line *line, uint64_t tsc)
{
	return json_number(clock_time_ns(&line->process->clock, tsc));
}

static void add_end(json_t *object, const struct call_line *line)
{
	const struct call_duration duration =
		call_duration(line->process, &line->event);

	json_object_set_new(object, "ending",
			    json_string(call_ending_word(line->event.ending)));
	json_object_set_new(object, "least_ns", json_number(duration.least_ns));
	if (duration.has_most)
		json_object_set_new(object, "most_ns",
				    json_number(duration.most_ns));
	if (line->kind == LINE_CLOSE && line->event.call.begin_tsc)
		json_object_set_new(object, "begin_ns",
				    time_of(line, line->event.call.begin_tsc));
}

static void add_call(json_t *object, struct trace_output *output,
		     const struct call_line *line)
{
	const struct traced_call *call = &line->event.call;
	json_t *function =
		json_function(output->traces->catalog, line->function);

	json_object_update(object, function);
	json_decref(function);
	if (call->is_tail)
		json_object_set_new(object, "tail", json_true());
	if (call->is_moved)
		json_object_set_new(object, "moved", json_true());
	if (line->kind != LINE_CLOSE && !call->begin_tsc)
		json_object_set_new(object, "began_before", json_true());
	if (line->kind != LINE_OPEN)
		add_end(object, line);
}

void json_trace_line(struct trace_output *output, const struct call_line *line)
{
	enum call_clock clock;
	const uint64_t tsc = call_line_tsc(line, &clock);
	json_t *object = json_pack(
		"{sssosssosososo}", "kind", kind_word(line->kind), "time_ns",
		time_of(line, tsc), "clock", call_clock_word(clock), "pid",
		json_number(line->process->part->header->pid), "tid",
		json_number(line->tid), "thread",
		json_text(traced_thread_name(line->process, line->tid)),
		"depth", json_number(line->depth));

	if (line->kind != LINE_GAP) {
		add_call(object, output, line);
	} else {
		json_object_set_new(
			object, "gap",
			json_string(call_gap_word(line->event.gap)));
		json_object_set_new(object, "missing",
				    json_number(line->event.missing));
	}
	json_dumpf(object, output->out, JSON_COMPACT);
	json_decref(object);
	fputc('\n', output->out);
}

void json_overwritten(const struct trace_output *output)
{
	const uint64_t packets = traces_overwritten(output->traces);
	json_t *object;

	if (!packets)
		return;
	object = json_pack("{ssso}", "kind", "overwritten", "packets",
			   json_number(packets));
	json_dumpf(object, output->out, JSON_COMPACT);
	json_decref(object);
	fputc('\n', output->out);
}
