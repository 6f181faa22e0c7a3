/* SPDX-License-Identifier: MIT */
/* The page's JSON: functions, modules, processes, and the summary. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html/html_page.h"
#include "report/model/shown_names.h"
#include "report/recording/part_threads.h"
#include "report/write/json.h"
#include "report/write/missing.h"

static json_t *kinds(void)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < KIND_COUNT; i++)
		json_array_append_new(list, json_string(function_kind_text(i)));
	return list;
}

/* ---- Functions: one array for each column ---- */

static void write_names(struct html_page *page, struct json_stream *out)
{
	struct json_stream names = json_begin(out, "name", "[");

	for (size_t i = 0; i < page->function_count; i++)
		json_member(&names, NULL,
			    json_text(catalog_marked_name(page->catalog,
							  page->functions[i])));
	json_end(&names, "]");
}

/* Returns whether any function of the page has a shorter name. */
static int has_short_names(struct html_page *page, struct shown_names *names)
{
	for (size_t i = 0; i < page->function_count; i++)
		if (strcmp(shown_name(names, page->catalog, page->functions[i]),
			   catalog_marked_name(page->catalog,
					       page->functions[i])) != 0)
			return 1;
	return 0;
}

/*
 * Writes short names; 0 for a name that is no shorter. Functions with different
 * full names have different short names. Pages of C programs usually have none.
 */
static void write_short_names(struct html_page *page, struct json_stream *out)
{
	struct shown_names names = { 0 };
	struct json_stream list;

	shown_names_add(&names, page->catalog, page->functions,
			page->function_count);
	if (has_short_names(page, &names)) {
		list = json_begin(out, "short", "[");
		for (size_t i = 0; i < page->function_count; i++) {
			const uint32_t function = page->functions[i];
			const char *name =
				shown_name(&names, page->catalog, function);
			const char *full =
				catalog_marked_name(page->catalog, function);

			json_member(&list, NULL,
				    strcmp(name, full) == 0 ? json_integer(0)
							    : json_text(name));
		}
		json_end(&list, "]");
	}
	shown_names_fini(&names);
}

static void write_numbers(struct html_page *page, struct json_stream *out,
			  const char *key,
			  int64_t (*number)(struct html_page *page,
					    uint32_t function))
{
	struct json_stream numbers = json_begin(out, key, "[");

	for (size_t i = 0; i < page->function_count; i++)
		json_member(&numbers, NULL,
			    json_integer(number(page, page->functions[i])));
	json_end(&numbers, "]");
}

static int64_t module_of(struct html_page *page, uint32_t function)
{
	uint32_t module = page->catalog->functions[function].module;

	return module == CATALOG_NO_MODULE ? -1 : (int64_t)module;
}

static int64_t kind_of(struct html_page *page, uint32_t function)
{
	return catalog_kind(page->catalog, function);
}

static int64_t file_of(struct html_page *page, uint32_t function)
{
	const char *file;
	uint32_t line;

	if (!catalog_place(page->catalog, function, &file, &line))
		return 0;
	return strings_number(&page->files, file);
}

static int64_t line_of(struct html_page *page, uint32_t function)
{
	const char *file;
	uint32_t line;

	if (!catalog_place(page->catalog, function, &file, &line))
		return 0;
	return line;
}

static void write_functions(struct html_page *page, struct json_stream *out)
{
	struct json_stream functions = json_begin(out, "functions", "{");

	write_names(page, &functions);
	write_short_names(page, &functions);
	write_numbers(page, &functions, "module", module_of);
	write_numbers(page, &functions, "kind", kind_of);
	write_numbers(page, &functions, "file", file_of);
	write_numbers(page, &functions, "line", line_of);
	json_end(&functions, "}");
}

static void write_files(struct html_page *page, struct json_stream *out)
{
	struct json_stream files = json_begin(out, "files", "[");

	for (size_t i = 0; i < page->files.count; i++)
		json_member(&files, NULL, json_text(page->files.items[i]));
	json_end(&files, "]");
}

/* ---- Modules ---- */

static json_t *reasons_of(const struct coverage *coverage)
{
	uint8_t order[VERDICT_COUNT];
	json_t *reasons = json_array();

	coverage_order(coverage, order);
	for (unsigned int i = 0; i < VERDICT_COUNT; i++) {
		uint64_t number = coverage->by_verdict[order[i]];

		if (number > 0 && verdict_class(order[i]) == VERDICT_REFUSED)
			json_array_append_new(reasons,
					      json_pack("[so]",
							verdict_text(order[i]),
							json_number(number)));
	}
	return reasons;
}

static void write_modules(struct html_page *page, struct json_stream *out)
{
	const struct catalog *catalog = page->catalog;
	struct coverage *coverage = coverage_of_modules(catalog);
	struct json_stream modules = json_begin(out, "modules", "[");

	for (size_t i = 0; i < catalog->module_count; i++) {
		const struct catalog_module *module = &catalog->modules[i];

		json_member(&modules, NULL,
			    json_pack("{sososssosososo}", "name",
				      json_text(module->name), "path",
				      json_text(module->printable_path),
				      "state", module_state_text(module->state),
				      "hooked", json_number(coverage[i].hooked),
				      "refused",
				      json_number(coverage[i].refused),
				      "left_alone",
				      json_number(coverage[i].left_alone),
				      "reasons", reasons_of(&coverage[i])));
	}
	json_end(&modules, "]");
	free(coverage);
}

/* ---- Processes and threads ---- */

/* Returns the recorded arguments. */
static json_t *command_of(const struct part_copy *part)
{
	json_t *command = json_array();
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk)) {
		const char *at = (const char *)chunk.payload;
		const char *end = at + chunk.used_bytes;

		if (chunk.kind != WIRE_PROCESS)
			continue;
		while (at < end) {
			size_t length = strnlen(at, (size_t)(end - at));
			char *word = memory_string(at, length);

			json_array_append_new(command, json_text(word));
			free(word);
			at += length + 1;
		}
		break;
	}
	return command;
}

static uint64_t ran_ns(const struct wire_header *header)
{
	return header->end_ns > header->start_ns
		       ? header->end_ns - header->start_ns
		       : 0;
}

static void write_process(void *context, const struct part_copy *part)
{
	const struct wire_header *header = part->header;
	struct json_stream *processes = context;
	struct threads threads;

	threads_init(&threads, part);
	json_member(processes, NULL,
		    json_pack("{sosososososo}", "pid", json_number(header->pid),
			      "seq", json_number(header->seq), "command",
			      command_of(part), "threads",
			      json_number(threads.count), "start_ms",
			      json_number(header->start_ns / 1000000), "ran_ns",
			      json_number(ran_ns(header))));
	threads_fini(&threads);
}

static void write_processes(struct session *session, const char *key,
			    struct json_stream *out)
{
	struct json_stream processes = json_begin(out, key, "[");

	recording_each(&session->recording, write_process, &processes);
	json_end(&processes, "]");
}

static void write_groups(struct html_page *page, struct json_stream *out)
{
	struct json_stream groups = json_begin(out, "groups", "[");

	for (size_t i = 0; i < page->group_count; i++) {
		const struct html_group *group = &page->groups[i];

		json_member(&groups, NULL,
			    json_pack("{sosbsoso}", "name",
				      json_text(group->name), "is_process",
				      group->is_process, "calls",
				      json_number(group->calls), "contexts",
				      json_number(group->contexts)));
	}
	json_end(&groups, "]");
}

/* ---- Quality of the data ---- */

static json_t *coverage_of(const struct summary *summary)
{
	return json_pack("{sosososo}", "hooked",
			 json_number(summary->coverage.hooked), "refused",
			 json_number(summary->coverage.refused), "left_alone",
			 json_number(summary->coverage.left_alone), "modules",
			 json_number(summary->hooked_modules));
}

static json_t *losses_of(const uint64_t *losses, unsigned int count,
			 const char *(*text)(unsigned int loss))
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < count; i++) {
		if (losses[i] > 0)
			json_array_append_new(
				list,
				json_pack("{ssso}", "reason", text(i), "number",
					  json_number(losses[i])));
	}
	return list;
}

static json_t *time_of(const struct summary *summary)
{
	static const char *const modes[] = {
		[WIRE_TIME_CPU] = "cpu",
		[WIRE_TIME_WALL] = "wall",
		[WIRE_TIME_EXACT] = "exact",
	};

	if (summary->time == WIRE_TIME_NONE ||
	    summary->time >= sizeof(modes) / sizeof(*modes))
		return json_null();
	return json_pack("{sssosososo}", "mode", modes[summary->time], "rate",
			 json_number(summary_rate_hz(summary)), "ns",
			 json_number(summary->time_ns), "samples",
			 json_number(summary->samples), "lost",
			 losses_of(summary->lost_samples,
				   WIRE_SAMPLE_LOSS_COUNT, sample_loss_text));
}

static uint64_t first_to_last_ns(const struct recording *recording)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct wire_header *header = recording->parts[i].header;

		if (header->start_ns < first)
			first = header->start_ns;
		if (header->end_ns > last)
			last = header->end_ns;
	}
	return last > first ? last - first : 0;
}

/*
 * Returns the expected conditions among the problems: see
 * recording_note_expected().
 */
static json_t *expected_of(const struct recording *recording)
{
	json_t *expected = json_array();

	for (size_t i = 0; i < recording->expected_count; i++)
		json_array_append_new(expected,
				      json_text(recording->expected[i]));
	return expected;
}

/* Returns what reports of the recording call missing, except problems. */
static json_t *missing_of(const struct session *session)
{
	json_t *list = json_array();
	struct missing missing;

	missing_find(&missing, session);
	for (size_t i = 0; i < missing.count; i++) {
		const struct missing_clause *clause = &missing.items[i];

		if (clause->kind != MISSING_PROBLEM)
			json_array_append_new(
				list,
				json_pack("{ssso}", "kind",
					  missing_word(clause->kind), "text",
					  json_text(clause->text)));
	}
	missing_fini(&missing);
	return list;
}

static int has_problems(const struct recording *recording)
{
	return recording->problem_count > recording->expected_count;
}

static void write_summary(struct html_page *page, struct json_stream *out)
{
	struct session *session = page->session;
	const struct summary *summary = &session->summary;

	json_summary(out, session);
	json_member(out, "expected", expected_of(&session->recording));
	json_member(out, "missing", missing_of(session));
	json_member(out, "hooking", coverage_of(summary));
	json_member(out, "losses",
		    losses_of(summary->lost_calls, WIRE_LOSS_COUNT, loss_text));
	json_member(out, "taken", time_of(summary));
	json_member(out, "ran_ns",
		    json_number(first_to_last_ns(&session->recording)));
}

/* Describes the recording that this one is compared with. */
static void write_before(struct session *before, struct json_stream *out)
{
	write_processes(before, "before", out);
	json_member(out, "before_missing", missing_of(before));
	json_member(out, "before_is_estimated",
		    json_boolean((before->summary.import_flags &
				  WIRE_IMPORT_ESTIMATED) != 0));
	json_member(out, "before_has_problems",
		    json_boolean(has_problems(&before->recording)));
}

void html_page_meta(struct html_page *page, struct html_stream *stream)
{
	struct json_stream top = { 0 }, meta;
	char *text = NULL;
	size_t bytes = 0;

	top.out = open_memstream(&text, &bytes);
	if (!top.out)
		memory_exhausted();
	meta = json_begin(&top, NULL, "{");
	write_summary(page, &meta);
	json_member(&meta, "contexts", json_number(page->tree->count - 1));
	json_member(&meta, "kinds", kinds());
	html_page_code(page, &meta);
	write_functions(page, &meta);
	html_page_sources(page, &meta);
	write_files(page, &meta);
	write_modules(page, &meta);
	write_processes(page->session, "processes", &meta);
	if (page->view->before)
		write_before(page->view->before, &meta);
	write_groups(page, &meta);
	json_member(&meta, "too_many", json_boolean(page->has_too_many));
	html_timeline_meta(page, &meta);
	json_end(&meta, "}");
	fclose(top.out);
	html_stream_section(stream, "meta", text, bytes);
	free(text);
}
