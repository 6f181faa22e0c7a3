/* SPDX-License-Identifier: MIT */
/*
 * What has a time, by thread: calls of a trace (slices), samples, and what the program
 * told of moments and regions.
 *
 * A page has so many slices at most. If there were more calls, the shortest are left out:
 * a caller takes as long as what it calls, so whoever is called by somebody that is left
 * out is left out as well, and what is there nests as it did.
 */
#ifndef CLEW_HTML_HTML_TIMELINE_H
#define CLEW_HTML_HTML_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/strings.h"
#include "report/html/html_stream.h"
#include "report/recording/part_reader.h"
#include "report/write/json.h"

/* What is not known of a slice, or odd about it: bits as the page has them. */
enum {
	SLICE_BEGAN_BEFORE = 1, /* what is known */
	SLICE_ENDING = 1 << 1,  /* and the next bit: enum call_ending */
	SLICE_IS_ODD = 1 << 3,  /* the tree's context is of another function */
	SLICE_FLAG_BITS = 4,
};

/* Times are in ns since the recording's first process began. */
struct html_slice {
	uint64_t begin_ns, end_ns;
	uint64_t least_ns; /* that the call took; end - begin: at most */
	uint32_t node; /* of the tree; if SLICE_IS_ODD the nearest caller's */
	uint32_t function; /* of the catalog */
	uint32_t depth;    /* 0: outermost */
	uint32_t flags;
};

enum html_note_kind { NOTE_GAP, NOTE_MOMENT, NOTE_REGION };

struct html_note {
	enum html_note_kind kind;
	uint64_t time_ns, length_ns;
	uint32_t name; /* number in the timeline's names */
};

struct html_lane {
	const struct part_copy *part;
	uint32_t tid;
	char name[16];
	struct html_slice *slices;
	size_t slice_count, slice_capacity;
	struct html_note *notes;
	size_t note_count, note_capacity;
	size_t first_sample, sample_count; /* in the session's timeline */
	int process, thread;               /* of the page's groups; -1: none */
};

struct html_timeline {
	struct html_lane *lanes;
	size_t lane_count, lane_capacity;
	struct idmap lane_of; /* (part's index << 32 | tid) + 1 -> index + 1 */
	struct strings names; /* of notes */
	uint64_t calls;       /* there were, those left out included */
	uint64_t shortest_ns; /* that is there; 0: all are */
	uint64_t odd;         /* calls that the tree has no context of */
	uint64_t samples;     /* there were, likewise */
	uint64_t sampled_to_ns; /* the rest was after that; 0: all are there */
	uint64_t notes;         /* moments and regions there were, likewise */
};

struct html_page;

/* Reads what the view wants; to be called before anything is numbered. */
void html_timeline_read(struct html_page *page);

/* Likewise, its calls and gaps only. */
void html_slices_read(struct html_page *page);
void html_timeline_fini(struct html_timeline *timeline);

/*
 * The latest lane of a thread, made if need be; another one of the same. Valid until the
 * next one is made.
 */
struct html_lane *html_lane_of(struct html_page *page,
			       const struct part_copy *part, uint32_t tid,
			       const char *name);
struct html_lane *html_lane_add(struct html_page *page,
				const struct part_copy *part, uint32_t tid,
				const char *name);

void html_lane_note(struct html_lane *lane, const struct html_note *note);

/* Which of the page's groups, which are all there, each lane belongs to. */
void html_lanes_find_groups(struct html_page *page);

/* Sections, when all contexts and functions are numbered; then the member "timeline". */
void html_timeline_write(struct html_page *page, struct html_stream *stream);
void html_timeline_meta(struct html_page *page, struct json_stream *out);

#endif
