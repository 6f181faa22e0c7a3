/* SPDX-License-Identifier: MIT */
/* See part_packets.h. */
#include "report/merge/part_packets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/merge/packet_pool.h"
#include "report/recording/trace_waits.h"

static void note_missing(struct recording *recording,
			 const struct part_copy *part,
			 const struct trace *trace)
{
	if (trace->damage)
		recording_note(recording,
			       memory_printf("%s: its trace is %s", part->name,
					     trace->damage));
	if (trace->dropped > 0 &&
	    recording_note_expected(
		    recording,
		    memory_printf(
			    "%s: only the latest calls are counted: %" PRIu64
			    " packet%s of earlier calls %s overwritten",
			    part->name, trace->dropped,
			    text_plural(trace->dropped),
			    trace->dropped > 1 ? "were" : "was")))
		recording->losses.overwritten_packets += trace->dropped;
}

/* Reports that calls were removed because of --min-duration. */
static void note_taken_back(struct recording *recording,
			    const struct part_copy *part,
			    const struct trace *trace)
{
	if (trace->taken_back > 0 &&
	    recording_note_expected(
		    recording,
		    memory_printf("%s: %s call%s that took less than %s %s "
				  "not counted",
				  part->name,
				  text_grouped(trace->taken_back).text,
				  text_plural(trace->taken_back),
				  text_duration(trace->least_ns).text,
				  trace->taken_back == 1 ? "is" : "are")))
		recording->losses.short_calls += trace->taken_back;
}

/*
 * Reports that values of probes are missing in the trace, so that some calls
 * have no label.
 */
static void note_values_lost(struct recording *recording,
			     const struct part_copy *part,
			     const struct trace *trace)
{
	if (trace->values_lost > 0)
		recording_note(
			recording,
			memory_printf("%s: the values that probes recorded in "
				      "%" PRIu32
				      " call%s are missing from the trace",
				      part->name, trace->values_lost,
				      text_plural(trace->values_lost)));
}

static void note_wrong(struct recording *recording,
		       const struct part_copy *part,
		       const struct packet_counts *counts)
{
	if (counts->bad_words > 0)
		recording_note(
			recording,
			memory_printf(
				"%s: %" PRIu64
				" word%s of its trace could not be decoded",
				part->name, counts->bad_words,
				text_plural(counts->bad_words)));
	if (counts->mismatched > 0)
		recording_note(
			recording,
			memory_printf(
				"%s: %" PRIu64 " of %" PRIu64
				" packets of its trace do not end in the "
				"context in which the next packet begins: some "
				"calls in them have a wrong context",
				part->name, counts->mismatched,
				counts->mismatched + counts->verified));
}

static void open_taken(struct taken *taken, struct recording *recording,
		       const struct part_copy *part)
{
	char *path = taken_path(part->path), *why = NULL;
	int err = path ? taken_open(taken, path, &why) : -ENOENT;

	free(path);
	if (err && err != -ENOENT)
		recording_note(recording, why);
	else
		free(why);
}

static int open_trace(struct trace *trace, struct recording *recording,
		      const struct part_copy *part)
{
	char *path = trace_path(part->path), *why = NULL;
	int err = path ? trace_open(trace, path, &why) : -ENOENT;

	free(path);
	if (err && err != -ENOENT)
		recording_note(recording, why);
	else
		free(why);
	return err;
}

/* Returns at most the number of packets, but at least 1. */
unsigned int part_packets_workers(const struct part_packets *packets)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = processors > 1 ? (size_t)processors : 1;

	if (most > packets->trace.count)
		most = packets->trace.count;
	if (most > PACKET_WORKERS_MAX)
		most = PACKET_WORKERS_MAX;
	return most > 1 ? (unsigned int)most : 1;
}

void part_packets_add(struct part_packets *packets, struct recording *recording,
		      const struct part_copy *part,
		      struct part_tallies *tallies, int is_timed)
{
	struct trace *trace = &packets->trace;

	*packets = (struct part_packets){ 0 };
	if (open_trace(trace, recording, part))
		return;
	packets->is_there = 1;
	/*
	 * The file is opened after the trace, so no packet is missing in both.
	 */
	open_taken(&packets->taken, recording, part);
	packet_counts_init(&packets->counts, trace, &packets->taken,
			   part_packets_workers(packets), NULL, is_timed);
	packet_counts_add(&packets->counts, tallies);
	trace_add_waits(trace, recording, part->name);
	note_missing(recording, part, trace);
	note_taken_back(recording, part, trace);
	note_values_lost(recording, part, trace);
	note_wrong(recording, part, &packets->counts);
}

void part_packets_fini(struct part_packets *packets)
{
	packet_counts_fini(&packets->counts);
	if (!packets->is_there)
		return;
	taken_close(&packets->taken);
	trace_close(&packets->trace);
}
