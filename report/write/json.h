/* SPDX-License-Identifier: MIT */
/*
 * JSON output: jansson makes the values, the file is written member by member.
 *
 * A tree of a million contexts must not exist twice in memory, and must not be
 * nested: contexts refer to their parents by number, since most JSON readers
 * give up at a depth of a few hundred.
 */
#ifndef CLEW_WRITE_JSON_H
#define CLEW_WRITE_JSON_H

#include <jansson.h>

#include "report/write/writer.h"

/* The object or array that is being written. */
struct json_stream {
	FILE *out;
	int has_members;
};

/* Writes one member, with its key or NULL in an array, and releases it. */
void json_member(struct json_stream *stream, const char *key, json_t *value);

/*
 * Writes what stands between members; a member of numbers alone, of which
 * there are millions, may then be printed.
 */
void json_separate(struct json_stream *stream);

/* A nested object or array; `bracket` is "{" or "[". */
struct json_stream json_begin(struct json_stream *stream, const char *key,
			      const char *bracket);
void json_end(struct json_stream *stream, const char *bracket);

/* A string of any bytes: those that are not UTF-8 become U+FFFD. */
json_t *json_text(const char *text);

/* Numbers above 2^63 - 1, which JSON readers cannot hold, are cut to it. */
json_t *json_number(uint64_t number);

/* "name", "module" and "vaddr" of a function. */
json_t *json_function(struct catalog *catalog, uint32_t function);

/* "calls" that were timed, "raw_self_ns", "min_ns" and so on. */
json_t *json_timing(const struct timing *timing);

json_t *json_coverage(const struct coverage *coverage);

/* The name of a verdict in JSON. */
const char *json_verdict(unsigned int verdict);

void json_marks(FILE *out, struct session *session);
void json_events(FILE *out, struct session *session);

/* What a probe kept of a hit, by what was asked for. */
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
void json_list(FILE *out, const struct list_view *view);

/* The member "jni_env", where there is something to say: notes and advice. */
void json_jni(struct json_stream *stream, struct session *session,
	      const struct selection *selection);

/* The members that all reports have. */
void json_summary(struct json_stream *stream, struct session *session);

#endif
