/* SPDX-License-Identifier: MIT */
/* See traces.h. */
#include "report/trace/traces.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "report/recording/trace_waits.h"
#include "report/trace/snapshot_call.h"

static void note_inconsistencies(struct recording *recording,
				 const struct traced_process *process)
{
	const struct trace *trace = &process->trace;

	if (trace->damage)
		recording_note(recording,
			       memory_printf("%s: %s",
					     text_basename(trace->path),
					     trace->damage));
	if (trace->refused)
		recording_note(
			recording,
			memory_printf("%s: the calls of %" PRIu32
				      " function%s are missing from the trace: "
				      "there are too many functions",
				      text_basename(trace->path),
				      trace->refused,
				      text_plural(trace->refused)));
	trace_add_waits(trace, recording, text_basename(trace->path));
	/*
	 * A child that forks and executes at once calls nothing and has no
	 * times.
	 */
	if (process->clock.ticks == 0 && trace->count > 0)
		recording_note(
			recording,
			memory_printf(
				"%s: its calls have no times: the frequency of "
				"the time stamp counter is unknown",
				text_basename(trace->path)));
}

static void open_process(struct traces *traces, struct recording *recording,
			 size_t index)
{
	const struct part_copy *part = &recording->parts[index];
	struct traced_process *process = &traces->processes[traces->count];
	char *path = trace_path(part->path), *why;
	int err = path ? trace_open(&process->trace, path, &why) : -EINVAL;

	if (err && err != -ENOENT && path)
		recording_note(recording, why);
	else if (err && path)
		free(why);
	free(path);
	if (err)
		return;
	if (!recording_bring(recording, index)) {
		trace_close(&process->trace);
		return;
	}
	process->part = part;
	numbering_init(&process->numbering, traces->catalog, part, 0);
	threads_init(&process->threads, part);
	clock_init(&process->clock, part->header);
	process->snapshot_tid = snapshot_call_thread(part);
	note_inconsistencies(recording, process);
	trace_let_go(&process->trace);
	recording_let_go(recording, index);
	traces->count++;
}

/*
 * Makes all processes convert time stamps by the clock of the longest
 * recording.
 */
static void align_clocks(struct traces *traces)
{
	const struct clock *longest = NULL;
	struct clock anchor;

	for (size_t i = 0; i < traces->count; i++)
		if (!longest || traces->processes[i].clock.ns > longest->ns)
			longest = &traces->processes[i].clock;
	if (!longest)
		return;
	anchor = *longest;
	for (size_t i = 0; i < traces->count; i++)
		clock_align(&traces->processes[i].clock, &anchor);
}

int traces_open(struct traces *traces, struct recording *recording,
		struct catalog *catalog, const struct whose *whose, char **why)
{
	*traces = (struct traces){
		.catalog = catalog,
		.thread = whose->thread,
		.start_ns = recording_start_ns(recording),
		.recording = recording,
		.processes = memory_zeroed(recording->part_count + 1,
					   sizeof(*traces->processes)),
	};
	for (size_t i = 0; i < recording->part_count; i++) {
		const struct part_copy *part = &recording->parts[i];

		if (!whose->pid || whose->pid == part->header->pid)
			open_process(traces, recording, i);
	}
	align_clocks(traces);
	if (traces->count > 0)
		return 0;
	traces_close(traces);
	return fail(why, -ENODATA,
		    "it contains no trace; record with --trace: "
		    "clew record --trace -- CMD");
}

void traces_close(struct traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		struct traced_process *process = &traces->processes[i];

		trace_close(&process->trace);
		numbering_fini(&process->numbering);
		threads_fini(&process->threads);
	}
	free(traces->processes);
	*traces = (struct traces){ 0 };
}

static size_t part_index(const struct traces *traces,
			 const struct traced_process *process)
{
	return (size_t)(process->part - traces->recording->parts);
}

const struct part_copy *traces_bring_part(const struct traces *traces,
					  const struct traced_process *process)
{
	return recording_bring(traces->recording, part_index(traces, process));
}

void traces_let_part_go(const struct traces *traces,
			const struct traced_process *process)
{
	recording_let_go(traces->recording, part_index(traces, process));
}

uint64_t traces_overwritten(const struct traces *traces)
{
	uint64_t packets = 0;

	for (size_t i = 0; i < traces->count; i++)
		packets += traces->processes[i].trace.dropped;
	return packets;
}

static const struct thread *find_thread(const struct traced_process *process,
					uint32_t tid)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (process->threads.items[i].tid == tid)
			return &process->threads.items[i];
	return NULL;
}

int traces_want(const struct traces *traces,
		const struct traced_process *process, uint32_t tid)
{
	const struct thread unnamed = { .tid = tid };
	const struct thread *thread = find_thread(process, tid);

	return !traces->thread ||
	       thread_is(thread ? thread : &unnamed, traces->thread);
}

uint32_t traced_function(const struct traced_process *process, uint32_t number)
{
	return numbering_function(&process->numbering, number);
}

const char *traced_thread_name(const struct traced_process *process,
			       uint32_t tid)
{
	const struct thread *thread = find_thread(process, tid);

	return thread ? thread->name : "";
}
