/* SPDX-License-Identifier: MIT */
/* See recording_reader.h. */
#include "report/recording/recording_reader.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "report/recording/unrecorded_reader.h"
#include "wire/violation.h"

/* The set of kinds of chunks with which only the headers of parts are read. */
#define HEADERS_ONLY UINT64_C(0)

static void add_problem(struct recording *recording, char *text)
{
	recording->problems = memory_grow(
		recording->problems, recording->problem_count,
		&recording->problem_capacity, sizeof(*recording->problems));
	recording->problems[recording->problem_count++] = text;
}

const struct part_copy *recording_parent(const struct recording *recording,
					 const struct part_copy *part)
{
	if (part->header->origin != WIRE_FROM_FORK)
		return NULL;
	for (size_t i = 0; i < recording->part_count; i++) {
		const struct part_copy *other = &recording->parts[i];

		if (other->run == part->run &&
		    other->header->pid == part->header->parent_pid &&
		    other->header->seq == part->header->parent_seq)
			return other;
	}
	return NULL;
}

uint64_t recording_start_ns(const struct recording *recording)
{
	uint64_t start = UINT64_MAX;

	for (size_t i = 0; i < recording->part_count; i++)
		if (recording->parts[i].header->start_ns < start)
			start = recording->parts[i].header->start_ns;
	return start;
}

static int knows_problem(const struct recording *recording, const char *problem)
{
	for (size_t i = 0; i < recording->problem_count; i++)
		if (strcmp(recording->problems[i], problem) == 0)
			return 1;
	return 0;
}

int recording_note(struct recording *recording, char *problem)
{
	if (!problem)
		return 0;
	if (knows_problem(recording, problem)) {
		free(problem);
		return 0;
	}
	add_problem(recording, problem);
	return 1;
}

int recording_note_expected(struct recording *recording, char *text)
{
	if (!recording_note(recording, text))
		return 0;
	recording->expected = memory_grow(
		recording->expected, recording->expected_count,
		&recording->expected_capacity, sizeof(*recording->expected));
	recording->expected[recording->expected_count++] = text;
	return 1;
}

int recording_is_expected(const struct recording *recording, size_t problem)
{
	for (size_t i = 0; i < recording->expected_count; i++)
		if (recording->expected[i] == recording->problems[problem])
			return 1;
	return 0;
}

/*
 * Adds a problem if the part belongs to a process that could not be recorded.
 * Such a part contains only the reason.
 */
static void note_disabled(struct recording *recording,
			  const struct part_copy *part)
{
	char *why;

	if (part->header->state != WIRE_DISABLED)
		return;
	why = memory_string(
		part->header->why,
		strnlen(part->header->why, sizeof(part->header->why)));
	add_problem(recording, memory_printf("%s: process %" PRIu32
					     " was not recorded: %s",
					     part->name, part->header->pid,
					     text_printable(why)));
	free(why);
}

/*
 * Adds a problem if libclew.so has found inconsistencies in its own data, for
 * which only stress builds check. It is then defective, so nothing in the part
 * is reliable.
 */
static void note_violations(struct recording *recording,
			    const struct part_copy *part)
{
	const struct wire_header *header = part->header;

	if (header->violations == 0)
		return;
	add_problem(
		recording,
		memory_printf("%s: a self-check of libclew.so failed %" PRIu32
			      " time%s, the first: %s",
			      part->name, header->violations,
			      text_plural(header->violations),
			      violation_text(header->first_violation)));
}

/* Adds a problem because of which recorded data is missing in reports. */
static void add_damage(struct recording *recording, char *problem)
{
	add_problem(recording, problem);
	if (!recording->damage)
		recording->damage = problem;
}

/*
 * Adds a problem if the part has chunks of unknown kinds. A later version of
 * clew may have written them.
 */
static void note_unknown_chunks(struct recording *recording,
				const struct part_copy *part)
{
	if (part->unknown_chunks == 0)
		return;
	add_problem(recording,
		    memory_printf("%s: %" PRIu64
				  " record%s of an unknown kind; use the "
				  "version of clew that wrote the recording",
				  part->name, part->unknown_chunks,
				  text_plural(part->unknown_chunks)));
}

static void note_all(struct recording *recording, const struct part_copy *part)
{
	if (part->damage)
		add_damage(recording,
			   memory_printf("%s: %s", part->name, part->damage));
	note_disabled(recording, part);
	note_violations(recording, part);
	note_unknown_chunks(recording, part);
}

static int add_part(struct recording *recording, const char *path,
		    uint64_t kinds, char **why)
{
	struct part_copy part;
	int err = kinds == HEADERS_ONLY
			  ? part_open_header(&part, path, why)
			  : part_open_some(&part, path, kinds, why);

	if (err)
		return err;
	if (!part.is_header)
		note_all(recording, &part);
	recording->parts = memory_grow(recording->parts, recording->part_count,
				       &recording->part_capacity,
				       sizeof(*recording->parts));
	recording->parts[recording->part_count++] = part;
	return 0;
}

/*
 * Adds all parts of a directory. A part that cannot be read becomes a problem.
 */
static void add_parts(struct recording *recording, const char *path, DIR *dir,
		      uint64_t kinds)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		char *part_path, *problem;
		int err;

		if (!suffix_stem(entry->d_name, WIRE_PART_SUFFIX))
			continue;
		part_path = memory_printf("%s/%s", path, entry->d_name);
		err = add_part(recording, part_path, kinds, &problem);
		/*
		 * the process was killed, or the part is read, while the part
		 * was created
		 */
		if (err == -ENODATA)
			add_problem(recording, problem);
		else if (err)
			add_damage(recording, problem);
		free(part_path);
	}
}

static int by_start(const void *left, const void *right)
{
	const struct part_copy *a = left, *b = right;

	if (a->header->start_ns != b->header->start_ns)
		return a->header->start_ns < b->header->start_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void add_unrecorded(struct recording *recording, const char *path)
{
	size_t count, more;
	struct unrecorded *items = unrecorded_read(path, &count, &more);

	for (size_t i = 0; i < count; i++) {
		const char *why = items[i].why;
		const int is_elsewhere =
			strncmp(why, WIRE_RECORDED_IN,
				sizeof(WIRE_RECORDED_IN) - 1) == 0;

		add_problem(recording,
			    memory_printf("process %" PRIu32 ": %s%s",
					  items[i].pid,
					  is_elsewhere ? ""
						       : "a program was not "
							 "recorded: ",
					  why));
	}
	if (more)
		add_problem(recording,
			    memory_printf("%s more program%s not recorded",
					  text_grouped(more).text,
					  more == 1 ? " was" : "s were"));
	unrecorded_free(items, count);
}

static int open_directory(struct recording *recording, const char *path,
			  uint64_t kinds, char **why)
{
	DIR *dir = opendir(path);

	if (!dir)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	add_parts(recording, path, dir, kinds);
	closedir(dir);
	add_unrecorded(recording, path);
	if (recording->part_count > 0) {
		qsort(recording->parts, recording->part_count,
		      sizeof(*recording->parts), by_start);
		return 0;
	}
	if (recording->problem_count > 0)
		return fail(why, -ENODATA, "%s", recording->problems[0]);
	return fail(why, -ENODATA, "%s contains no recorded process", path);
}

int recording_open_some(struct recording *recording, const char *path,
			uint64_t kinds, char **why)
{
	struct recording opened = { 0 };
	struct stat status;
	int err;

	if (stat(path, &status) != 0)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		err = open_directory(&opened, path, kinds, why);
	else
		err = add_part(&opened, path, kinds, why);
	if (err) {
		recording_close(&opened);
		return err;
	}
	*recording = opened;
	return 0;
}

int recording_open(struct recording *recording, const char *path, char **why)
{
	return recording_open_some(recording, path, PART_KINDS_ALL, why);
}

/*
 * Reads the whole part with this index. If it was read before, its problems are
 * not added again.
 */
const struct part_copy *recording_bring(struct recording *recording,
					size_t index)
{
	struct part_copy *part = &recording->parts[index];
	const int was_there = part->was_there;
	char *why;

	if (!part->is_header)
		return part;
	if (part_bring(part, &why) != 0) {
		if (knows_problem(recording, why))
			free(why);
		else
			add_damage(recording, why);
		return NULL;
	}
	if (!was_there)
		note_all(recording, part);
	part->was_there = 1;
	return part;
}

/*
 * Reads the first part that can be read. Returns 0; or -ENODATA and the first
 * problem as *why if there is none.
 */
static int bring_first(struct recording *recording, char **why)
{
	for (size_t i = 0; i < recording->part_count; i++)
		if (recording_bring(recording, i))
			return 0;
	return fail(why, -ENODATA, "%s", recording->damage);
}

int recording_open_headers(struct recording *recording, const char *path,
			   char **why)
{
	struct stat status;
	struct recording opened;
	int err;

	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		return recording_open(recording, path, why);
	err = recording_open_some(&opened, path, HEADERS_ONLY, why);
	if (err)
		return err;
	opened.has_headers_only = 1;
	err = bring_first(&opened, why);
	if (err)
		recording_close(&opened);
	else
		*recording = opened;
	return err;
}

void recording_let_go(struct recording *recording, size_t index)
{
	if (recording->has_headers_only && !recording->parts[index].is_header)
		part_let_go(&recording->parts[index]);
}

void recording_each(struct recording *recording,
		    void (*look)(void *context, const struct part_copy *part),
		    void *context)
{
	for (size_t i = 0; i < recording->part_count; i++) {
		const int was_header = recording->parts[i].is_header;
		const struct part_copy *part = recording_bring(recording, i);

		if (part)
			look(context, part);
		if (part && was_header)
			recording_let_go(recording, i);
	}
}

void recording_close(struct recording *recording)
{
	for (size_t i = 0; i < recording->part_count; i++)
		part_close(&recording->parts[i]);
	for (size_t i = 0; i < recording->problem_count; i++)
		free(recording->problems[i]);
	free(recording->parts);
	free(recording->problems);
	free(recording->expected);
	*recording = (struct recording){ 0 };
}
