/* SPDX-License-Identifier: MIT */
/* See session.h. */
#include "report/view/session.h"

#include <errno.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "report/merge/merged_samples.h"
#include "report/view/finder.h"
#include "report/view/inlines.h"

/*
 * Sets *why to a message that the recording lacks the requested value. Returns
 * -ENODATA.
 */
static int refuse_value(const struct session *session, const char *path,
			const char *name, char **why)
{
	char *names = memory_string("", 0);
	int err;

	for (size_t i = 0; i < session->values.count; i++) {
		char *more = memory_printf("%s%s%s", names, i ? ", " : "",
					   session->values.items[i].name);

		free(names);
		names = more;
	}
	if (*names)
		err = fail(why, -ENODATA,
			   "%s: no agent counted %s; the recording has the "
			   "values %s",
			   path, name, names);
	else
		err = fail(why, -ENODATA,
			   "%s: the recording has no values, because no agent "
			   "counted any",
			   path);
	free(names);
	return err;
}

/* Returns the ids of the first processes, as "1, 2, 3"; the caller frees it. */
static char *process_ids(const struct recording *recording)
{
	enum { IDS_MAX = 8 };
	char *ids = memory_string("", 0);
	uint32_t before = 0; /* a process has several parts after exec */
	unsigned int count = 0;

	for (size_t i = 0; i < recording->part_count && count < IDS_MAX; i++) {
		const uint32_t pid = recording->parts[i].header->pid;
		char *more;

		if (pid == before)
			continue;
		before = pid;
		more = memory_printf("%s%s%u", ids, count ? ", " : "", pid);
		free(ids);
		ids = more;
		count++;
	}
	return ids;
}

int session_refuse_whose(const struct recording *recording, const char *path,
			 const struct whose *whose, char **why)
{
	char *ids;

	if (whose->thread)
		return fail(why, -ESRCH,
			    "%s: no thread %s was recorded%s; `clew report "
			    "--by=thread` lists the threads",
			    path, whose->thread,
			    whose->pid ? " in this process" : "");
	ids = process_ids(recording);
	fail(why, -ESRCH, "%s: process %u was not recorded; try one of %s",
	     path, whose->pid, ids);
	free(ids);
	return -ESRCH;
}

/* Selects the value that replaces time. Returns 0, or -ENODATA and *why. */
static int choose_value(struct session *session, const char *path,
			const char *name, char **why)
{
	session->value = value_list_find(&session->values, name);
	if (!session->value)
		return refuse_value(session, path, name, why);
	session->summary.time = WIRE_TIME_NONE;
	session->metric = METRIC_TIME;
	return 0;
}

/*
 * Sets *why to a message that the packets do not contain the requested labels.
 * Returns -ENODATA.
 */
static int refuse_labels(const char *path, const struct label_wish *wish,
			 char **why)
{
	if (wish->has_sites)
		return fail(why, -ENODATA,
			    "%s: the recording has no call sites; record with "
			    "--trace --sites",
			    path);
	return fail(why, -ENODATA,
		    "%s: no call of %s has a value %s; record with --trace "
		    "--args=%s",
		    path, wish->function, wish->argument, wish->function);
}

/* Removes columns for probes that the user did not set. */
static void forget_spare_columns(struct session *session)
{
	struct value_list *values = &session->values;
	size_t kept = 0;

	for (size_t i = 0; i < values->count; i++) {
		struct value_sum *value = &values->items[i];

		if (value->total == 0 && wire_is_probe_name(value->name) &&
		    !probe_list_has(&session->probes, value->name))
			free(value->name);
		else
			values->items[kept++] = *value;
	}
	values->count = kept;
}

/* Finds the command, whose words end in '\0'. Returns whether it is known. */
static int find_command(const struct part_copy *part, struct part_chunk *chunk)
{
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, chunk))
		if (chunk->kind == WIRE_PROCESS && chunk->used_bytes > 0)
			return 1;
	return 0;
}

/* Returns the command as one line, safe to print; "" if unknown. */
static char *command_of(const struct part_copy *part)
{
	struct part_chunk chunk;
	char *command;

	if (!find_command(part, &chunk))
		return memory_string("", 0);
	command = memory_string((const char *)chunk.payload, chunk.used_bytes);
	for (size_t i = 0; i + 1 < chunk.used_bytes; i++)
		if (command[i] == '\0')
			command[i] = ' ';
	return text_printable(command);
}

/*
 * Sets the name of the program that the first process executed last, since
 * programs are often started by scripts.
 */
static void note_program(struct session *session, const struct part_copy *part)
{
	const struct wire_header *header = part->header;
	struct part_chunk chunk;
	char *first;

	if ((session->program && (header->pid != session->program_pid ||
				  header->start_ns < session->program_ns)) ||
	    !find_command(part, &chunk))
		return;
	first = memory_string((const char *)chunk.payload, chunk.used_bytes);
	free(session->program);
	session->program =
		text_printable(memory_printf("%s", text_basename(first)));
	session->program_pid = header->pid;
	session->program_ns = header->start_ns;
	free(first);
}

/* Collects data of each part while the part is loaded. */
static void look_at(void *context, const struct part_copy *part)
{
	struct session *session = context;

	if (!session->command)
		session->command = command_of(part);
	note_program(session, part);
	probe_list_add(&session->probes, part);
	hooking_costs_add(&session->hooking, part);
	session->samples_taken += samples_taken(part);
	summary_add_part(&session->summary, part);
}

static void merge(struct session *session, const struct whose *whose,
		  struct merged *merged)
{
	struct whose looked = *whose;

	looked.look = look_at;
	looked.look_context = session;
	session->probes = (struct probe_list){ 0 };
	session->hooking = (struct hooking_costs){ 0 };
	session->summary = (struct summary){ 0 };
	session->command = NULL;
	session->program = NULL;
	session->samples_taken = 0;
	merge_recording(&session->recording, &looked, &session->catalog,
			&session->tree, &session->timeline, merged);
	recording_note_expected(&session->recording,
				recorded_times_text(&session->summary.times));
	if (!session->command)
		session->command = memory_string("", 0);
	hooking_costs_sort(&session->hooking);
}

/*
 * The greatest number and size of parts that stay in memory for a further
 * merge.
 */
enum { PARTS_KEPT = 8, BYTES_KEPT = 64 << 20 };

static int are_kept(const struct recording *recording)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording->part_count; i++)
		bytes += recording->parts[i].header->end;
	return recording->part_count <= PARTS_KEPT && bytes <= BYTES_KEPT;
}

int session_open(struct session *session, const char *path,
		 const struct whose *whose, char **why)
{
	struct merged merged;
	int err = recording_open_headers(&session->recording, path, why);

	if (err)
		return err;
	/* Parts that are read several times stay in memory if they are small. */
	if (!whose->is_only_merged && are_kept(&session->recording))
		session->recording.has_headers_only = 0;
	session->path = memory_printf("%s", path);
	catalog_init(&session->catalog);
	session->catalog.progress = whose->progress;
	session->totals = NULL;
	session->untransformed = NULL;
	session->untransformed_count = 0;
	session->from_ns = session->to_ns = 0;
	session->has_no_calls = 0;
	session->shows_lines = session->has_color = session->is_quiet = 0;
	session->shows_details = 0;
	session->width = session->columns = 0;
	session->names = (struct shown_names){ 0 };
	tree_init(&session->tree);
	session->timeline = (struct timeline){ 0 };
	merge(session, whose, &merged);
	session->jni = merged.jni;
	session->values = merged.values;
	forget_spare_columns(session);
	session->marks = merged.marks;
	session->value = NULL;
	session->has_call_sites = merged.has_call_sites;
	if (merged.processes == 0 && (whose->pid || whose->thread)) {
		err = session_refuse_whose(&session->recording, path, whose,
					   why);
		session_close(session);
		return err;
	}
	if (whose->labels && !whose->labels->is_optional && !merged.labelled) {
		session_close(session);
		return refuse_labels(path, whose->labels, why);
	}
	summary_finish(&session->summary, &session->recording,
		       &session->catalog, &session->tree, &merged);
	session->summary.shows_clew = whose->with_clew;
	session->metric = session->summary.time_ns > 0 &&
					  !summary_is_guess(&session->summary)
				  ? METRIC_TIME
				  : METRIC_CALLS;
	if (whose->value)
		err = choose_value(session, path, whose->value, why);
	else if (*merged.imported_value)
		err = choose_value(session, path, merged.imported_value, why);
	if (err)
		session_close(session);
	return err;
}

void session_inline(struct session *session)
{
	struct tree inlined;

	if (!tree_inline(&session->tree, &session->catalog, &session->timeline,
			 &inlined))
		return;
	tree_fini(&session->tree);
	session->tree = inlined;
}

void session_transform(struct session *session, struct transform *transform)
{
	struct tree out;

	session->untransformed_count = session->catalog.function_count;
	session->untransformed =
		finder_called(&session->catalog, &session->tree);
	tree_transform(&session->tree, &session->catalog, transform,
		       &session->timeline, &out);
	tree_fini(&session->tree);
	session->tree = out;
}

uint64_t session_missing_calls(const struct session *session)
{
	const struct summary *summary = &session->summary;
	const struct expected_losses *losses = &session->recording.losses;
	uint64_t calls = summary->folded_calls + summary->budget.missed_calls +
			 losses->short_calls;

	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++)
		calls += summary->lost_calls[i];
	if (calls == 0 &&
	    (session->recording.damage || summary->budget.functions > 0 ||
	     losses->overwritten_packets > 0))
		return 1;
	return calls;
}

char *session_report_command(const struct session *session, const char *option)
{
	char *path = text_shell_word(memory_printf("%s", session->path));
	char *command = memory_printf("clew report --%s %s", option, path);

	free(path);
	return command;
}

void session_close(struct session *session)
{
	recording_close(&session->recording);
	catalog_fini(&session->catalog);
	tree_fini(&session->tree);
	free(session->totals);
	free(session->untransformed);
	timeline_fini(&session->timeline);
	jni_usage_fini(&session->jni);
	value_list_fini(&session->values);
	probe_list_fini(&session->probes);
	mark_list_fini(&session->marks);
	hooking_costs_fini(&session->hooking);
	shown_names_fini(&session->names);
	free(session->path);
	free(session->command);
	free(session->program);
}
