/* SPDX-License-Identifier: MIT */
/* `clew import`: writes another tool's profile as a recording. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/option_values.h"
#include "cli/common/output.h"
#include "report/import/import.h"

enum { KEY_VALUE = 0x300, KEY_UNIT, KEY_EVENT };

struct import_options {
	const char *input, *output;
	/* WIRE_IMPORT_FORMAT_COUNT: by content */
	enum wire_import_format format;
	struct import_measure measure;
};

static const char *const formats[WIRE_IMPORT_FORMAT_COUNT] = {
	[WIRE_IMPORT_PERF] = "perf",
	[WIRE_IMPORT_FOLDED] = "folded",
	[WIRE_IMPORT_CALLGRIND] = "callgrind",
};

static const char *const units[WIRE_UNIT_COUNT] = {
	[WIRE_UNIT_NUMBER] = "number",
	[WIRE_UNIT_BYTES] = "bytes",
	[WIRE_UNIT_NS] = "ns",
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "PATH", HELP_FIRST,
	  "Where to write the recording (default: " DEFAULT_RECORDING ")",
	  HELP_OUTPUT },
	{ "format", 'F', "perf|folded|callgrind", HELP_FIRST,
	  "Format of the file (default: found in its first line)",
	  HELP_CONTENTS },
	{ "value", KEY_VALUE, "NAME", HELP_FIRST,
	  "Name of the numbers of folded stacks (default: samples)",
	  HELP_CONTENTS },
	{ "unit", KEY_UNIT, "number|bytes|ns", HELP_FIRST,
	  "Unit of --value (default: number)", HELP_CONTENTS },
	{ "event", KEY_EVENT, "NAME", HELP_FIRST,
	  "Event of perf to import (default: the first one in the file)",
	  HELP_CONTENTS },
	{ 0 },
};

static void check(const struct import_options *options,
		  struct argp_state *state)
{
	if (!options->input)
		argp_error(state, "no file is given; - is standard input");
	if (options->measure.unit != WIRE_UNIT_NUMBER && !options->measure.name)
		argp_error(state, "--unit needs --value");
	if (options->measure.name &&
	    options->format != WIRE_IMPORT_FORMAT_COUNT &&
	    options->format != WIRE_IMPORT_FOLDED)
		argp_error(state, "--value needs --format=folded: other "
				  "formats name their numbers");
	if (options->measure.name &&
	    (!*options->measure.name ||
	     strlen(options->measure.name) >= WIRE_VALUE_NAME_BYTES))
		argp_error(state, "--value: a name has 1 to %d bytes",
			   WIRE_VALUE_NAME_BYTES - 1);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct import_options *options = state->input;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case 'F':
		options->format = (enum wire_import_format)parse_word(
			state, "format", argument, formats,
			WIRE_IMPORT_FORMAT_COUNT);
		return 0;
	case KEY_VALUE:
		options->measure.name = argument;
		return 0;
	case KEY_UNIT:
		options->measure.unit = (enum wire_unit)parse_word(
			state, "unit", argument, units, WIRE_UNIT_COUNT);
		return 0;
	case KEY_EVENT:
		options->measure.event = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (options->input)
			argp_error(state,
				   "%s: one file is imported at a time; "
				   "clew merge combines recordings",
				   argument);
		options->input = argument;
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Reading ---- */

/* Returns the time of the file's last change, or the present time. */
static uint64_t time_of(FILE *in)
{
	struct timespec now;
	struct stat status;

	if (fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode))
		now = status.st_mtim;
	else
		clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Returns the names of the skipped events, which the caller frees. */
static char *other_events(const struct import *import)
{
	const struct strings *events = &import->other_events;
	char *list = memory_string("", 0);

	for (size_t i = 0; i < events->count; i++) {
		char *longer = memory_printf("%s%s%s", list, i ? ", " : "",
					     events->items[i]);

		free(list);
		list = longer;
	}
	return text_printable(list);
}

/* Refuses --event for a file without such samples. */
static int check_event(const struct import *import,
		       const struct import_options *options, char **why)
{
	char *others;
	int err = 0;

	if (import->format != WIRE_IMPORT_PERF)
		return fail(why, -EINVAL,
			    "%s: --event is for output of perf only",
			    options->input);
	if (import->process_count > 0)
		return 0;
	others = other_events(import);
	err = fail(why, -ENODATA, "%s: no sample of event %s; it has %s",
		   options->input, options->measure.event,
		   *others ? others : "none");
	free(others);
	return err;
}

/* Says which samples were skipped. */
static void warn_of_events(const char *command, const struct import *import)
{
	char *others;

	if (import->other_samples == 0)
		return;
	others = other_events(import);
	complain(command,
		 "%s sample%s of other events than %s (%s) %s skipped; "
		 "--event=NAME imports another event",
		 text_grouped(import->other_samples).text,
		 text_plural(import->other_samples), import->event, others,
		 import->other_samples == 1 ? "was" : "were");
	free(others);
}

static int read_input(struct import *import,
		      const struct import_options *options, uint64_t *time_ns,
		      char **why)
{
	const int is_stdin = strcmp(options->input, "-") == 0;
	FILE *in = is_stdin ? stdin : fopen(options->input, "re");
	char *detail;
	int err;

	if (!in)
		return fail(why, -errno, "%s: %s", options->input,
			    strerror(errno));
	*time_ns = time_of(in);
	err = import_read(import, in, options->format, &options->measure,
			  &detail);
	if (!is_stdin)
		fclose(in);
	if (err && options->measure.event && import->other_samples > 0) {
		free(detail);
		return check_event(import, options, why);
	}
	if (err) {
		fail(why, err, "%s: %s", options->input, detail);
		free(detail);
		return err;
	}
	if (options->measure.name && import->format != WIRE_IMPORT_FOLDED)
		return fail(why, -EINVAL,
			    "%s: --value is for folded stacks only; this "
			    "format names its numbers",
			    options->input);
	if (options->measure.event)
		return check_event(import, options, why);
	return 0;
}

/* ---- Writing, and the whole command ---- */

static int write_recording(const struct import *import,
			   const struct import_options *options,
			   uint64_t time_ns, char **why)
{
	char *name = text_printable(
		memory_string(options->input, strlen(options->input)));
	char *config = memory_printf(
		"# imported by clew " CLEW_VERSION " from %s\n", name);
	struct output output = { 0 };
	int err = output_create(&output, options->output, config, why);

	if (!err) {
		err = import_save(import, output.directory, name, time_ns, why);
		if (err)
			output_undo(&output);
		else
			err = output_keep(&output, why);
		output_fini(&output);
	}
	free(config);
	free(name);
	return err;
}

int command_import(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "FILE",
		.doc = "Write the profile of another tool as a recording.",
	};
	struct import_options options = {
		.output = DEFAULT_RECORDING,
		.format = WIRE_IMPORT_FORMAT_COUNT,
	};
	struct import import;
	uint64_t time_ns = 0;
	char *why;
	int err;

	command_line_parse(&argp, argc, argv, 0, &options);
	/* A limit on file sizes then causes a write error. */
	signal(SIGXFSZ, SIG_IGN);
	import_init(&import);
	err = read_input(&import, &options, &time_ns, &why);
	if (!err)
		err = write_recording(&import, &options, time_ns, &why);
	if (!err && !options.measure.event)
		warn_of_events(argv[0], &import);
	if (!err && import.lost > 0)
		complain(argv[0],
			 "warning: perf lost %s record%s, so samples are "
			 "missing",
			 text_grouped(import.lost).text,
			 text_plural(import.lost));
	import_fini(&import);
	return err ? give_up(argv[0], why) : EXIT_SUCCESS;
}
