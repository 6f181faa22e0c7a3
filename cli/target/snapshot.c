/* SPDX-License-Identifier: MIT */
/* See snapshot.h. */
#include "cli/target/snapshot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "cli/common/output.h"
#include "report/recording/announced.h"
#include "report/recording/recording_reader.h"
#include "report/recording/trace_reader.h"

/*
 * Returns the contents of the recording's configuration file, or "". The caller
 * frees the text.
 */
static char *read_config(const char *from)
{
	char *path = memory_printf("%s/%s", from, WIRE_CONFIG_NAME);
	FILE *file = regular_file_stream(path);
	char *text = NULL;
	size_t room = 0;

	free(path);
	if (!file || getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = memory_string("", 0);
	}
	if (file)
		fclose(file);
	return text;
}

/*
 * Returns whether a part belongs to the process or to an ancestor. Parts of
 * ancestors are necessary because they may describe the process's modules.
 */
static int is_wanted(const struct recording *recording, size_t index,
		     uint32_t pid)
{
	const struct part_copy *part = &recording->parts[index];

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct part_copy *of = &recording->parts[i];

		if (of->header->pid != pid)
			continue;
		for (; of; of = recording_parent(recording, of))
			if (of == part)
				return 1;
	}
	return 0;
}

static int save(const struct recording *recording, const struct part_copy *part,
		const char *directory, char **why)
{
	char *path = memory_printf("%s/%s", directory, part->name);
	int err = part_save(part, path, why);

	if (!err)
		err = trace_keep(part->path, path, why);
	for (int kind = 0; kind < ANNOUNCED_COUNT && !err; kind++)
		err = announced_keep(recording, part, kind, path, why);
	free(path);
	return err;
}

static int save_parts(const struct recording *recording, uint32_t pid,
		      const char *directory, char **why)
{
	int err = 0;

	for (size_t i = 0; i < recording->part_count && !err; i++)
		if (is_wanted(recording, i, pid))
			err = save(recording, &recording->parts[i], directory,
				   why);
	return err;
}

/*
 * Saves the snapshot in the output's folder. On failure restores what the
 * folder contained before. Returns 0, or -errno and *why.
 */
static int save_in(struct output *output, const struct recording *recording,
		   uint32_t pid, char **directory, char **why)
{
	void (*on_size)(int) = signal(SIGXFSZ, SIG_IGN);
	int err = save_parts(recording, pid, output->directory, why);

	signal(SIGXFSZ, on_size);
	if (err)
		output_undo(output);
	else
		err = output_keep(output, why);
	if (!err)
		*directory = memory_printf("%s", output->directory);
	output_fini(output);
	return err;
}

/*
 * Reads the pid that the process has in its own namespace from the part's
 * header. Returns 0, or -errno and *why.
 */
static int own_pid(const char *path, uint32_t *pid, char **why)
{
	struct part_copy part;
	int err = part_open(&part, path, why);

	if (err)
		return err;
	*pid = part.header->pid;
	part_close(&part);
	return 0;
}

int snapshot_make(const char *from, const char *part, const char *output,
		  char **directory, char **why)
{
	struct recording recording;
	struct output to;
	char *config;
	uint32_t pid;
	int err;

	if (output_endangers(output, from))
		return fail(why, -EEXIST,
			    "the process is being recorded in %s; choose "
			    "another path with -o",
			    output);
	err = own_pid(part, &pid, why);
	if (!err)
		err = recording_open(&recording, from, why);
	if (err)
		return err;
	config = read_config(from);
	err = output_create(&to, output, config, why);
	free(config);
	if (!err)
		err = save_in(&to, &recording, pid, directory, why);
	recording_close(&recording);
	return err;
}
