/* SPDX-License-Identifier: MIT */
/*
 * Data with a time, by thread: calls of a trace (slices), samples, and marked
 * moments and regions.
 *
 * A page has a limited number of slices. If there are more calls, the shortest
 * are omitted. A caller takes at least as long as its callees, so callees of
 * omitted calls are also omitted, and the remaining slices nest as before.
 */
#ifndef CLEW_HTML_HTML_TIMELINE_H
#define CLEW_HTML_HTML_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/strings.h"
#include "report/html/html_stream.h"
#include "report/recording/part_reader.h"
#include "report/trace/function_latencies.h"
#include "report/write/json.h"

/* Unknown or unusual facts about a slice, as bits in the page's format. */
enum {
	SLICE_BEGAN_BEFORE = 1, /* the slice began before the known data */
	/* enum call_ending, in this bit and the next one */
	SLICE_ENDING = 1 << 1,
	SLICE_IS_ODD = 1 << 3, /* the slice's context is not in the tree */
	SLICE_FLAG_BITS = 4,
};

/* Times are in ns since the recording's first process started. */
struct html_slice {
	uint64_t begin_ns, end_ns;
	uint64_t least_ns; /* minimal duration; the maximum is end - begin */
	/* node in the tree; with SLICE_IS_ODD the node of the nearest caller */
	uint32_t node;
	uint32_t function; /* in the catalog */
	uint32_t depth;    /* depth; 0 for the outermost slices */
	uint32_t flags;
};

enum html_note_kind { NOTE_GAP, NOTE_MOMENT, NOTE_REGION };

struct html_note {
	enum html_note_kind kind;
	uint64_t time_ns, length_ns;
	uint32_t name; /* index in the timeline's names */
};

struct html_lane {
	const struct part_copy *part;
	uint32_t tid;
	char name[16];
	struct html_slice *slices;
	size_t slice_count, slice_capacity;
	struct html_note *notes;
	size_t note_count, note_capacity;
	size_t first_sample, sample_count; /* range in the session's timeline */
	int process, thread; /* indices in the page's groups, or -1 */
};

struct html_timeline {
	struct html_lane *lanes;
	size_t lane_count, lane_capacity;
	/* maps 1 + (the part's index << 32 | tid) to 1 + the lane's index */
	struct idmap lane_of;
	struct strings names; /* names of notes */
	uint64_t calls;       /* number of calls, including omitted ones */
	/* duration of the shortest slice; 0 if none was omitted */
	uint64_t shortest_ns;
	/* Durations of all calls; empty if no slice was omitted. */
	struct function_latencies latencies;
	uint64_t odd;           /* calls whose context is not in the tree */
	uint64_t samples;       /* number of samples, including omitted ones */
	uint64_t sampled_to_ns; /* end of the samples; 0 if none was omitted */
	/* number of moments and regions, including omitted ones */
	uint64_t notes;
};

struct html_page;

/*
 * Reads the data that the view requests. Call it before functions of the page
 * get numbers.
 */
void html_timeline_read(struct html_page *page);

/*
 * Reads the traces: calls that are not too short become slices, and gaps become
 * notes.
 */
void html_slices_read(struct html_page *page);
void html_timeline_fini(struct html_timeline *timeline);

/*
 * html_lane_of() returns the latest lane of a thread, and creates it if needed.
 * html_lane_add() adds another lane for the thread. The pointer is valid until
 * the next lane is created.
 */
struct html_lane *html_lane_of(struct html_page *page,
			       const struct part_copy *part, uint32_t tid,
			       const char *name);
struct html_lane *html_lane_add(struct html_page *page,
				const struct part_copy *part, uint32_t tid,
				const char *name);

void html_lane_note(struct html_lane *lane, const struct html_note *note);

/* Assigns each lane to its group. All groups must exist. */
void html_lanes_find_groups(struct html_page *page);

/*
 * Write the sections, after all contexts and functions are numbered, and the
 * member "timeline".
 */
void html_timeline_write(struct html_page *page, struct html_stream *stream);
void html_timeline_meta(struct html_page *page, struct json_stream *out);

#endif
