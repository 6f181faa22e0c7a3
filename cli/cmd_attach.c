/* SPDX-License-Identifier: MIT */
/*
 * clew attach: record a process that runs already, for a while.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/attaching.h"
#include "cli/command.h"
#include "cli/ending_signals.h"
#include "cli/library.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/recorded_line.h"
#include "cli/recording_options.h"
#include "image/analysis.h"
#include "image/dynamic.h"
#include "wire/recording.h"

enum { KEY_FOR = KEY_OF_COMMAND };

static const struct argp_option argp_options[] = {
	{ "output", 'o', "PATH", 0,
	  "Write the recording there (default: " DEFAULT_RECORDING
	  "); the one that is there becomes PATH.old",
	  1 },
	{ "for", KEY_FOR, "TIME", 0,
	  "Detach after that time: 10s (or 10), 500ms, 2m; default: when "
	  "interrupted (^C), or when PID ends",
	  1 },
	{ "quiet", 'q', NULL, 0, "Say nothing but errors", 1 },
	{ 0, 0, NULL, 0, "What to hook:", 2 },
	RECORDING_SELECTION,
	RECORDING_RULES,
	RECORDING_TIME,
	RECORDING_LIMITS,
	{ 0 },
};

struct attach_options {
	char *output;
	pid_t pid;
	int quiet;
	int no_cache;
	int64_t for_ms; /* -1: until something ends it */
	struct directives directives;
};

static int parse_time(const char *text, int64_t *ms)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || !(number >= 0 && number <= 1e9))
		return -EINVAL;
	if (strcmp(end, "ms") == 0)
		number /= 1000;
	else if (strcmp(end, "m") == 0)
		number *= 60;
	else if (strcmp(end, "h") == 0)
		number *= 3600;
	else if (*end && strcmp(end, "s") != 0)
		return -EINVAL;
	*ms = (int64_t)(number * 1000);
	return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct attach_options *options = state->input;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case 'q':
		options->quiet = 1;
		return 0;
	case KEY_FOR:
		if (parse_time(argument, &options->for_ms) != 0)
			argp_error(state, "--for %s: not a time", argument);
		return 0;
	case KEY_NO_CACHE:
		options->no_cache = 1;
		return 0;
	case ARGP_KEY_ARG:
	case ARGP_KEY_NO_ARGS:
		return parse_process(key, argument, state, &options->pid);
	default:
		return recording_parse(&options->directives, key, argument,
				       state);
	}
}

/* ---- Before ---- */

/* The value of the last line of that word, for free(); or NULL. */
static char *directive_value(const char *text, const char *word)
{
	const size_t length = strlen(word);
	char *found = NULL;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (strncmp(text, word, length) != 0 ||
		    (text[length] != ' ' && text[length] != '\n'))
			continue;
		free(found);
		text += length + (text[length] == ' ');
		found = memory_string(text, strcspn(text, "\n"));
	}
	return found;
}

/* Not clew's own, nor the C library, of which nothing is hooked. */
static int is_to_be_analysed(const struct target_mapping *mapping)
{
	const char *name = text_basename(mapping->path);
	const char *end = strrchr(name, '.');
	struct image image;
	int is_libc;

	if (*mapping->path != '/' || !mapping->is_executable ||
	    mapping->is_deleted || strcmp(name, LIBRARY_NAME) == 0 ||
	    (end && strcmp(end, WIRE_STUBS_SUFFIX) == 0) ||
	    image_open(&image, mapping->path) != 0)
		return 0;
	is_libc = dynamic_is_libc(&image);
	image_close(&image);
	return !is_libc;
}

/* So that the target has it from the cache, and need not wait for it. */
static void analyse(const struct target_maps *maps, const char *cache)
{
	const char *last = "";

	for (size_t i = 0; cache && i < maps->count; i++) {
		const struct target_mapping *mapping = &maps->items[i];
		struct arena arena = { 0 };
		struct analysis analysis;

		if (strcmp(mapping->path, last) == 0 ||
		    !is_to_be_analysed(mapping))
			continue;
		last = mapping->path;
		analysis_of_file(last, cache, &arena, &analysis);
		arena_fini(&arena);
	}
}

static int check_directives(const char *text, char **why)
{
	char *libc = directive_value(text, "libc");

	free(libc);
	return libc ? fail(why, -ENOTSUP,
			   "libc: its functions can be recorded from the start "
			   "of a process only")
		    : 0;
}

/* ---- Meanwhile ---- */

enum ending { ENDING_TIME, ENDING_SIGNAL, ENDING_TARGET };

static enum ending wait_for_end(const struct attach_options *options,
				int process, int signals)
{
	const uint64_t start_ns = tracer_now_ns();
	struct pollfd ends[] = { { .fd = process, .events = POLLIN },
				 { .fd = signals, .events = POLLIN } };

	for (;;) {
		const int64_t passed_ms =
			(int64_t)((tracer_now_ns() - start_ns) / 1000000);
		int64_t left_ms = options->for_ms - passed_ms;

		if (options->for_ms < 0)
			left_ms = -1;
		else if (left_ms <= 0)
			return ENDING_TIME;
		if (left_ms > 1000000)
			left_ms = 1000000;
		if (poll(ends, 2, (int)left_ms) <= 0)
			continue;
		return ends[0].revents ? ENDING_TARGET : ENDING_SIGNAL;
	}
}

/* ---- All of it ---- */

static void tell_pause(const struct attach_options *options, const char *what,
		       struct attaching *attaching)
{
	if (!options->quiet)
		complain("clew attach",
			 "%s process %d: its threads stopped for %.1f ms, one "
			 "of them for %.1f ms",
			 what, options->pid, (double)attaching->all_ns / 1e6,
			 (double)attaching->one_ns / 1e6);
	attaching->all_ns = attaching->one_ns = 0;
}

/* A controller before this one was killed, and the process is still attached. */
static int leave_former(struct attaching *attaching, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err || attachment.state == WIRE_ATTACH_NONE)
		return err;
	return attaching_leave(attaching, why);
}

static int enter(struct attaching *attaching, struct attach_options *options,
		 char **directory, char **why)
{
	char *library = NULL;
	int err = library_find(&library, why);

	if (!err)
		err = leave_former(attaching, why);
	if (!err)
		err = output_create(options->output,
				    directives_text(&options->directives),
				    directory, why);
	if (!err && strlen(*directory) >= WIRE_ATTACH_DIR_BYTES)
		err = fail(why, -ENAMETOOLONG, "%s: too long", *directory);
	if (!err)
		err = attaching_load(attaching, library, why);
	if (!err)
		err = attaching_enter(attaching, *directory, why);
	free(library);
	return err;
}

static int leave(struct attaching *attaching, struct attach_options *options,
		 enum ending ending, char **why)
{
	int err = ending == ENDING_TARGET ? -ESRCH
					  : attaching_leave(attaching, why);

	if (err == -ESRCH ||
	    err == -EIO) { /* EIO: it has other memory by now */
		if (!options->quiet)
			complain("clew attach", "process %d has %s",
				 options->pid,
				 err == -EIO ? "executed another program"
					     : "ended");
		free(*why);
		*why = NULL;
		return 0;
	}
	if (!err)
		tell_pause(options, "detached from", attaching);
	return err;
}

static int attach(struct attach_options *options, char **why)
{
	char *directory = NULL, *cache;
	struct attaching attaching;
	int process, signals, err;

	err = check_directives(directives_text(&options->directives), why);
	if (err)
		return err;
	process = (int)syscall(SYS_pidfd_open, options->pid, 0);
	if (process < 0)
		return fail(why, -errno, "there is no such process");
	*why = target_obstacle(options->pid);
	if (*why)
		return -EINVAL;
	if (!options->no_cache)
		directives_add_cache(&options->directives);
	err = attaching_open(&attaching, options->pid, why);
	if (err)
		return err;
	cache = directive_value(directives_text(&options->directives), "cache");
	analyse(&attaching.maps, cache);
	free(cache);
	signals = ending_signals_watch();
	err = enter(&attaching, options, &directory, why);
	if (!err) {
		tell_pause(options, "attached to", &attaching);
		err = leave(&attaching, options,
			    wait_for_end(options, process, signals), why);
	}
	attaching_close(&attaching);
	if (!err && !options->quiet)
		recorded_line_print(directory, options->output);
	free(directory);
	return err;
}

int command_attach(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "PID",
		.doc = "Count every call of a process that runs already, for a "
		       "while, and leave it as it was.",
	};
	struct attach_options options = { .output = DEFAULT_RECORDING,
					  .for_ms = -1 };
	char *why = NULL;
	int err;

	directives_init(&options.directives);
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	err = attach(&options, &why);
	directives_fini(&options.directives);
	if (!err)
		return 0;
	complain(argv[0], "process %d: %s", options.pid, why);
	free(why);
	return EXIT_FAILURE;
}
