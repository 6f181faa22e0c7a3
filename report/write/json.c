/* SPDX-License-Identifier: MIT */
/* See json.h. */
#include "report/write/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void json_separate(struct json_stream *stream)
{
	if (stream->has_members)
		fputs(",\n", stream->out);
	stream->has_members = 1;
}

static void write_key(struct json_stream *stream, const char *key)
{
	json_separate(stream);
	if (key)
		fprintf(stream->out, "\"%s\": ", key);
}

void json_member(struct json_stream *stream, const char *key, json_t *value)
{
	write_key(stream, key);
	json_dumpf(value, stream->out, JSON_ENCODE_ANY | JSON_COMPACT);
	json_decref(value);
}

struct json_stream json_begin(struct json_stream *stream, const char *key,
			      const char *bracket)
{
	write_key(stream, key);
	fprintf(stream->out, "%s\n", bracket);
	return (struct json_stream){ .out = stream->out };
}

void json_end(struct json_stream *stream, const char *bracket)
{
	fprintf(stream->out, "\n%s", bracket);
}

json_t *json_text(const char *text)
{
	json_t *value = json_string(text);
	char *repaired, *to;

	if (value)
		return value;
	/*
	 * The text is not valid UTF-8, so every byte beyond ASCII is replaced.
	 */
	repaired = to = memory_zeroed(strlen(text) + 1, 3);
	for (; *text; text++) {
		if ((unsigned char)*text < 0x80)
			*to++ = *text;
		else
			to = stpcpy(to, "\xef\xbf\xbd");
	}
	value = json_string(repaired);
	free(repaired);
	return value;
}

json_t *json_number(uint64_t number)
{
	return json_integer(number < INT64_MAX ? (json_int_t)number
					       : INT64_MAX);
}

/* Adds the names of functions whose code was merged with this function's. */
static void set_other_names(json_t *value, struct catalog *catalog,
			    uint32_t function)
{
	const char *names[A2N_MERGED_MAX];
	const size_t count =
		catalog_merged_names(catalog, function, names, A2N_MERGED_MAX);
	json_t *list;

	if (count == 0)
		return;
	list = json_array();
	for (size_t i = 0; i < count && i < A2N_MERGED_MAX; i++)
		json_array_append_new(list, json_text(names[i]));
	json_object_set_new(value, "other_names", list);
	json_object_set_new(value, "other_name_count", json_number(count));
}

json_t *json_function(struct catalog *catalog, uint32_t function)
{
	json_t *value = json_pack("{so}", "name",
				  json_text(catalog_name(catalog, function)));
	const struct catalog_function *entry = &catalog->functions[function];
	const enum function_kind kind = catalog_kind(catalog, function);
	const char *file;
	uint32_t line;
	char vaddr[20];

	if (kind != KIND_NATIVE)
		json_object_set_new(value, "kind",
				    json_string(function_kind_text(kind)));
	set_other_names(value, catalog, function);
	if (entry->kind == KIND_INLINED)
		json_object_set_new(value, "inlined", json_true());
	if (entry->module != CATALOG_NO_MODULE && !entry->is_named) {
		snprintf(vaddr, sizeof(vaddr), "%#" PRIx64, entry->vaddr);
		json_object_set_new(value, "vaddr", json_string(vaddr));
	}
	if (entry->module != CATALOG_NO_MODULE)
		json_object_set_new(value, "module",
				    json_text(catalog->modules[entry->module]
						      .printable_path));
	if (entry->left_out)
		json_object_set_new(
			value, "left_out",
			json_pack("{sososfso}", "times",
				  json_number(entry->left_out->times),
				  "first_ns",
				  json_number(entry->left_out->first_ns),
				  "counted_share",
				  left_out_counted(entry->left_out),
				  "missed_calls",
				  json_number(entry->left_out->missed)));
	if (catalog_place(catalog, function, &file, &line)) {
		json_object_set_new(value, "file", json_text(file));
		json_object_set_new(value, "line", json_number(line));
	}
	return value;
}

json_t *json_timing(const struct timing *timing)
{
	return json_pack("{sososososo}", "calls", json_number(timing->ended),
			 "raw_self_ns", json_number(timing->self_ns),
			 "raw_total_ns", json_number(timing->total_ns),
			 "min_ns", json_number(timing->min_ns), "max_ns",
			 json_number(timing->max_ns));
}

json_t *json_coverage(const struct coverage *coverage)
{
	json_t *reasons = json_object();

	for (unsigned int i = 0; i < VERDICT_COUNT; i++) {
		if (coverage->by_verdict[i] > 0)
			json_object_set_new(
				reasons, json_verdict(i),
				json_number(coverage->by_verdict[i]));
	}
	return json_pack(
		"{sosososososososo}", "hooked", json_number(coverage->hooked),
		"eligible", json_number(coverage_eligible(coverage)), "refused",
		json_number(coverage->refused), "left_alone",
		json_number(coverage->left_alone), "not_functions",
		json_number(coverage->not_entries), "in_doubt",
		json_number(coverage->looping), "unknown_code_bytes",
		json_number(coverage->bare_bytes), "verdicts", reasons);
}
