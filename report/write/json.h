/* SPDX-License-Identifier: MIT */
/*
 * JSON output: jansson builds the values, and the file is written member by
 * member.
 *
 * A tree of a million contexts is not built in memory a second time, and it is
 * not nested: contexts refer to their parents by number, since most JSON
 * readers fail at a depth of a few hundred.
 */
#ifndef CLEW_WRITE_JSON_H
#define CLEW_WRITE_JSON_H

#include <jansson.h>

#include "report/write/writer.h"

/* An object or array that is being written. */
struct json_stream {
	FILE *out;
	int has_members;
};

/* Writes one member and releases it; `key` is NULL in an array. */
void json_member(struct json_stream *stream, const char *key, json_t *value);

/*
 * Writes the separator before a member. The caller then prints the member
 * itself, for example one of millions that contain only numbers.
 */
void json_separate(struct json_stream *stream);

/* Begins a nested object or array; `bracket` is "{" or "[". */
struct json_stream json_begin(struct json_stream *stream, const char *key,
			      const char *bracket);
void json_end(struct json_stream *stream, const char *bracket);

/*
 * Returns a string. In text that is not UTF-8, each byte beyond ASCII becomes
 * U+FFFD.
 */
json_t *json_text(const char *text);

/* Limits numbers to 2^63 - 1, the maximum of JSON readers. */
json_t *json_number(uint64_t number);

/*
 * Returns an object with a function's "name" and, where known, its "module",
 * "vaddr", source location and other facts.
 */
json_t *json_function(struct catalog *catalog, uint32_t function);

/*
 * Returns an object with "calls" (timed ones), "raw_self_ns", "min_ns" and so
 * on.
 */
json_t *json_timing(const struct timing *timing);

json_t *json_coverage(const struct coverage *coverage);

/* Returns the name of a verdict in JSON. */
const char *json_verdict(unsigned int verdict);

void json_marks(FILE *out, struct session *session);
void json_events(FILE *out, struct session *session);
void json_snapshots(FILE *out, struct session *session,
		    const struct snapshots_view *view);

/* Returns the values that a probe recorded at a hit, by their expressions. */
json_t *json_event_values(const struct mark_list *marks,
			  const struct mark_event *event);

void json_flat(FILE *out, struct session *session,
	       const struct flat_view *view);
void json_tree(FILE *out, struct session *session,
	       const struct tree_view *view);
void json_butterfly(FILE *out, struct session *session,
		    const struct butterfly_view *view);
void json_diff(FILE *out, struct session *session,
	       const struct diff_view *view);
void json_annotation(FILE *out, struct session *session,
		     const struct annotation_view *view);
void json_list(FILE *out, const struct list_view *view);

/* Writes the member "jni_env" with notes and advice, if there are any. */
void json_jni(struct json_stream *stream, struct session *session,
	      const struct selection *selection);

/*
 * Writes the members that all reports of one recording have, except `clew
 * list`.
 */
void json_summary(struct json_stream *stream, struct session *session);

#endif
