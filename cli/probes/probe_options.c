/* SPDX-License-Identifier: MIT */
/* See probe_options.h. */
#include "cli/probes/probe_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/option_values.h"
#include "cli/probes/argument_line.h"
#include "cli/probes/handler_object.h"
#include "cli/probes/mistyped_function.h"
#include "cli/probes/probe_file.h"
#include "cli/probes/probe_variables.h"
#include "cli/probes/shown_place.h"
#include "cli/probes/snapshot_when.h"
#include "cli/probes/source_line.h"
#include "cli/probes/variable_text.h"
#include "cli/recording/needed_libraries.h"
#include "cli/recording/recording_options.h"
#include "expression/probe_action.h"

static const char *own(struct probe_options *options, char *text)
{
	options->owned = memory_grow(options->owned, options->owned_count,
				     &options->owned_capacity, sizeof(char *));
	options->owned[options->owned_count++] = text;
	return text;
}

void probe_options_init(struct probe_options *options)
{
	*options = (struct probe_options){
		.snapshots_retained = SNAPSHOT_WHEN_LIMIT,
	};
}

void probe_options_fini(struct probe_options *options)
{
	for (size_t i = 0; i < options->owned_count; i++)
		free(options->owned[i]);
	free(options->owned);
}

int probe_options_add(struct probe_options *options, const char *text)
{
	if (options->count == PROBE_OPTIONS_MAX)
		return -E2BIG;
	options->texts[options->count++] = text;
	return 0;
}

static void parse_place(struct probe_options *options, const char *text,
			struct argp_state *state)
{
	if (probe_options_add(options, text) != 0)
		argp_error(state, "more than %d probes are given",
			   PROBE_OPTIONS_MAX);
}

static void add_line(struct probe_options *options, const char *option,
		     const char *word, const char *text,
		     struct argp_state *state)
{
	if (!options->count)
		complain_of_usage(
			state,
			"--%s=%s: no probe precedes this option; put the probe "
			"first",
			option, text);
	if (options->action_count == PROBE_ACTIONS_MAX)
		complain_of_usage(state,
				  "--%s=%s: more than %d actions are given",
				  option, text, PROBE_ACTIONS_MAX);
	options->actions[options->action_count++] =
		(struct probe_options_action){ options->count - 1, word, text };
}

/*
 * Returns the text up to the last "@", which no function name contains. *rest
 * is the text behind it, or NULL.
 */
static char *split_function(const char *text, const char **rest)
{
	const char *at = strrchr(text, '@');

	*rest = at ? at + 1 : NULL;
	return memory_string(text, at ? (size_t)(at - text) : strlen(text));
}

static void parse_args(struct probe_options *options, const char *text,
		       struct argp_state *state)
{
	const char *fields;

	parse_place(options, own(options, split_function(text, &fields)),
		    state);
	if (fields)
		add_line(options, "args", "record ", fields, state);
	else
		options->has_arguments[options->count - 1] = 1;
}

static void parse_ret(struct probe_options *options, const char *text,
		      struct argp_state *state)
{
	const char *format;
	char *function = split_function(text, &format);

	parse_place(options,
		    own(options, memory_printf("%s%%return", function)), state);
	free(function);
	add_line(options, "ret", format ? "record ret/" : "record ret",
		 format ? format : "", state);
}

/* Reports an error if an earlier option has a probe at this place. */
static void refuse_again(const struct probe_options *options, const char *place,
			 const char *text, struct argp_state *state)
{
	for (size_t i = 0; i < options->count; i++)
		if (strcmp(options->texts[i], place) == 0)
			complain_of_usage(state,
					  "--snapshot-when=%s: an earlier "
					  "option has a probe at %s, and a "
					  "place can have only one",
					  text, place);
}

static void parse_snapshot(struct probe_options *options, const char *text,
			   struct argp_state *state)
{
	static const char name[] = "snapshot-when";
	struct snapshot_when when;
	const char *limit = options->snapshots_retained;

	if (snapshot_when_parse(text, options->snapshots++, options->awaits,
				&when) != 0)
		complain_of_usage(state,
				  "--%s=%s: not a condition; write FUNCTION, "
				  "FUNCTION>=5ms, FUNCTION>0.3ms or "
				  "FUNCTION==-1",
				  name, text);
	refuse_again(options, when.place, text, state);
	if (when.start) {
		refuse_again(options, when.start, text, state);
		parse_place(options, own(options, when.start), state);
		add_line(options, name, "", own(options, when.clock), state);
	}
	parse_place(options, own(options, when.place), state);
	if (when.clock && !when.start)
		add_line(options, name, "", own(options, when.clock), state);
	if (when.condition)
		add_line(options, name, "", own(options, when.condition),
			 state);
	if (when.is_timed) {
		add_line(options, name, "snapshot slowest ", limit, state);
		return;
	}
	add_line(options, name, "limit ", limit, state);
	add_line(options, name, "", "snapshot", state);
}

static void parse_retained(struct probe_options *options, const char *text,
			   struct argp_state *state)
{
	const uint64_t count =
		parse_number(state, "snapshot-keep", text, PROBE_SLOWEST_MAX);

	if (!count)
		argp_error(state,
			   "--snapshot-keep=%s: write a number from 1 "
			   "to %d",
			   text, PROBE_SLOWEST_MAX);
	snprintf(options->snapshots_retained,
		 sizeof(options->snapshots_retained), "%u",
		 (unsigned int)count);
}

/* Adds a location at which a thread's trace is switched "on" or "off". */
static void parse_trace(struct probe_options *options, const char *text,
			const char *how, struct argp_state *state)
{
	parse_place(options, text, state);
	add_line(options, "trace", "trace ", how, state);
}

error_t probe_options_parse(struct probe_options *options, int key,
			    const char *argument, struct argp_state *state)
{
	switch (key) {
	case KEY_PROBE:
		parse_place(options, argument, state);
		return 0;
	case KEY_ACTION:
		add_line(options, "action", "", argument, state);
		return 0;
	case KEY_HANDLER:
		add_line(options, "handler", "call ", argument, state);
		return 0;
	case KEY_ARGS:
		parse_args(options, argument, state);
		return 0;
	case KEY_RET:
		parse_ret(options, argument, state);
		return 0;
	case KEY_SNAPSHOT_WHEN:
		parse_snapshot(options, argument, state);
		return 0;
	case KEY_SNAPSHOT_KEEP:
		parse_retained(options, argument, state);
		return 0;
	case KEY_TRACE_ON:
		options->starts_trace = 1;
		parse_trace(options, argument, "on", state);
		return 0;
	case KEY_TRACE_OFF:
		options->stops_trace = 1;
		parse_trace(options, argument, "off", state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void probe_options_check(const struct probe_options *options,
			 const struct directives *directives,
			 struct argp_state *state)
{
	if ((options->starts_trace || options->stops_trace) &&
	    !directives->given[DIRECTIVE_TRACE])
		argp_error(state, "--trace-on and --trace-off need --trace");
}

/* ---- Checking and resolving probes ---- */

struct forecast {
	unsigned int possible;
	uint8_t reason; /* Reason for the first impossible site. */
};

/*
 * Checks whether a probe can be set at a site. In a hooked function, probes on
 * the first bytes need no breakpoint, so it does not matter if breakpoints
 * cannot be used.
 */
static void check_site(void *context, const struct probe_site *site)
{
	struct forecast *forecast = context;

	if (site->tier != PROBE_BY_NONE || site->reason == PROBE_IS_NO_TRAP)
		forecast->possible++;
	else if (!forecast->reason)
		forecast->reason = site->reason;
}

/* Returns the file to which the probe's text certainly refers, or NULL. */
static const char *file_of(const struct probe_spec *spec, const char *program)
{
	if (strchr(spec->module, '/') && access(spec->module, R_OK) == 0)
		return spec->module;
	return probe_spec_means(spec, program, 1) ? program : NULL;
}

/*
 * The last file. Reading a file decodes all its code, and most probes are in
 * the same file.
 */
struct read_file {
	char *path; /* NULL if none is open. */
	struct probe_file file;
	/* The last function that was reported as missing, or NULL. */
	char *doubted;
	/* Libraries of the program, which all probes share. */
	struct needed_libraries files;
	int has_files;
};

static const struct needed_libraries *files_of(struct read_file *last,
					       const char *program)
{
	if (!last->has_files)
		needed_libraries_find(&last->files, program);
	last->has_files = 1;
	return &last->files;
}

static void forget_file(struct read_file *last)
{
	if (last->path)
		probe_file_close(&last->file);
	free(last->path);
	last->path = NULL;
}

/*
 * Returns the file's sites, or NULL if it cannot be read as an ELF file, such
 * as a script.
 */
static const struct probe_map *read_map(struct read_file *last,
					const char *path)
{
	char *problem;

	if (last->path && strcmp(last->path, path) == 0)
		return &last->file.map;
	forget_file(last);
	if (probe_file_open(&last->file, path, &problem) != 0) {
		free(problem);
		return NULL;
	}
	last->path = memory_printf("%s", path);
	return &last->file.map;
}

/* Returns -EINVAL and *why. */
static int refuse_function(const struct read_file *last,
			   const struct probe_spec *spec, const char *text,
			   const char *path, char **why)
{
	char *what;

	mistyped_function_refuse(&last->file.image, path,
				 strchr(text, ' ') ? text : spec->function,
				 &what);
	fail(why, -EINVAL, "probe %s: %s", text, what);
	free(what);
	return -EINVAL;
}

/*
 * Checks the probe's locations in a file. Returns their number, 0 also if the
 * file is no ELF file; or -EINVAL and *why: a probe is possible at no location.
 */
static int check_file(struct read_file *last, const struct probe_spec *spec,
		      const char *text, const char *path, char **why)
{
	const struct probe_map *map = read_map(last, path);
	struct forecast forecast = { 0 };
	unsigned int count;

	if (!map)
		return 0;
	count = probe_spec_walk(spec, map, check_site, &forecast);
	if (count && !forecast.possible)
		return fail(why, -EINVAL, "probe %s: %s", text,
			    probe_reason_text(forecast.reason));
	return count < INT_MAX ? (int)count : INT_MAX;
}

/*
 * Returns whether the probe's text names this file, or no file, and the file
 * has the function. The file's code is not decoded.
 */
static int has_function(const char *path, const struct probe_spec *spec)
{
	struct image image;
	int has;

	if (!probe_spec_means(spec, path, 0) || image_open(&image, path) != 0)
		return 0;
	has = probe_spec_is_in(spec, &image);
	image_close(&image);
	return has;
}

/*
 * Checks the probe in the libraries that the program needs. Returns the number
 * of locations in the first library that has the function, 0 if none has it; or
 * -EINVAL and *why.
 */
static int check_libraries(struct read_file *last,
			   const struct probe_spec *spec, const char *text,
			   const struct needed_libraries *files, char **why)
{
	for (size_t i = 1; i < files->count; i++)
		if (has_function(files->items[i].path, spec))
			return check_file(last, spec, text,
					  files->items[i].path, why);
	return 0;
}

/*
 * Returns whether the text is an address, or a function's name that the library
 * in the target finds itself. Text with a blank may be a name of a report.
 */
static int is_found(struct read_file *last, const char *text,
		    const char *program)
{
	const struct needed_libraries *files;
	const struct probe_map *map;
	struct probe_spec spec;
	const char *path;

	if (strchr(text, ' ') || probe_spec_parse(text, &spec) != 0)
		return 0;
	path = file_of(&spec, program);
	map = path ? read_map(last, path) : NULL;
	if (!*spec.function ||
	    (map && probe_spec_is_in(&spec, map->inquiry->image)))
		return 1;
	files = files_of(last, program);
	for (size_t i = 1; i < files->count; i++)
		if (has_function(files->items[i].path, &spec))
			return 1;
	return 0;
}

/*
 * Warns that the function does not exist when the program starts. Two probes at
 * one function give one warning.
 */
static void announce_wait(struct read_file *last, const struct probe_spec *spec,
			  const char *text, const char *program,
			  const struct needed_libraries *files,
			  const char *command)
{
	const char *function = strchr(text, ' ') ? text : spec->function;
	char *question;

	if (last->doubted && strcmp(last->doubted, function) == 0)
		return;
	free(last->doubted);
	last->doubted = memory_printf("%s", function);
	question = mistyped_function_question(files, function);
	complain(command,
		 "probe %s: no function %s in %s and the libraries that it "
		 "needs%s%s; %s%sthe probe waits for a library or program that "
		 "is loaded later",
		 text, function, text_basename(program),
		 *spec->module ? ", as far as their names match " : "",
		 spec->module, question ? question : "", question ? " " : "");
	free(question);
}

/*
 * Checks a probe. Returns 0, or -EINVAL and *why. With a command, prints
 * warnings under its name.
 */
static int check(struct read_file *last, const struct probe_spec *spec,
		 const char *text, const char *program, const char *command,
		 char **why)
{
	const char *path = file_of(spec, program);
	const struct needed_libraries *files;
	int count = path ? check_file(last, spec, text, path, why) : 0;

	if (count < 0)
		return count;
	if (count || !*spec->function)
		return 0;
	if (*spec->module && last->path && path)
		return refuse_function(last, spec, text, path, why);
	files = files_of(last, program);
	count = check_libraries(last, spec, text, files, why);
	if (!count && command)
		announce_wait(last, spec, text, program, files, command);
	return count < 0 ? count : 0;
}

/* Collects the probe's lines in order. */
static void take_lines(const struct probe_options *options, size_t probe,
		       struct arena *arena, struct probe_variables *out)
{
	out->lines = arena_alloc(arena,
				 (PROBE_ACTIONS_MAX + 1) * sizeof(*out->lines));
	if (!out->lines)
		memory_exhausted();
	for (size_t i = 0; i < options->action_count; i++)
		if (options->actions[i].probe == probe)
			out->lines[out->line_count++] = arena_printf(
				arena, "%s%s", options->actions[i].word,
				options->actions[i].text);
}

/*
 * Adds the paths of handler objects to lines that call handlers. Returns 0, or
 * -EINVAL and *why.
 */
static int settle_handlers(struct probe_variables *actions, struct arena *arena,
			   char **why)
{
	for (size_t i = 0; i < actions->line_count; i++) {
		char *line;
		const int err =
			handler_object_settle(actions->lines[i], &line, why);

		if (err)
			return err;
		if (line)
			actions->lines[i] = arena_printf(arena, "%s", line);
		free(line);
	}
	return 0;
}

/*
 * Returns the location with the module's name if it has none, because variables
 * are resolved for that module only. Characters that are special in globs
 * become `?`.
 */
static char *bind_place(const char *text, const struct probe_spec *spec,
			const char *path)
{
	char *whole, *bound;

	if (*spec->module || !*spec->function)
		return memory_printf("%s", text);
	whole = realpath(path, NULL);
	bound = memory_printf("%s:%s", text_basename(whole ? whole : path),
			      text);
	free(whole);
	for (char *at = bound;
	     *at && at < bound + strlen(bound) - strlen(text) - 1; at++)
		if (strchr("*?[]\\: ", *at))
			*at = '?';
	return bound;
}

/*
 * If the probe was added by --args without fields, adds a line that records the
 * parameters, if any can be recorded. Returns 0, or -errno and *why.
 */
static int add_arguments(const struct probe_options *options, size_t probe,
			 const struct probe_spec *spec, const char *path,
			 struct arena *arena, struct probe_variables *actions,
			 char **why)
{
	const char *text = options->texts[probe];
	char *line, *reason = NULL;

	if (!options->has_arguments[probe])
		return 0;
	if (!path)
		return fail(
			why, -ENOENT,
			"--args=%s: the file that defines the function is "
			"unknown; write PATH:FUNCTION, or the arguments as in "
			"%s@arg1,arg2/s",
			text, text);
	if (argument_line(spec, path, &line, &reason) != 0) {
		fail(why, -EINVAL,
		     "--args=%s: %s; write the arguments as in %s@arg1,arg2/s",
		     text, reason, text);
		free(reason);
		return -EINVAL;
	}
	if (line)
		actions->lines[actions->line_count++] =
			arena_printf(arena, "%s", line);
	free(line);
	return 0;
}

/* Adds the probe and its actions. */
static int settle_parsed(const struct probe_options *options, size_t probe,
			 const char *text, const struct probe_spec *spec,
			 const char *program, struct directives *directives,
			 char **why)
{
	const char *path = file_of(spec, program);
	struct probe_variables actions = { 0 };
	struct arena arena = { 0 };
	char *place;
	int err;

	take_lines(options, probe, &arena, &actions);
	err = add_arguments(options, probe, spec, path, &arena, &actions, why);
	if (!err)
		err = probe_variables_settle(&actions, spec, path, &arena, why);
	if (!err)
		err = settle_handlers(&actions, &arena, why);
	if (!err) {
		place = actions.is_typed ? bind_place(text, spec, path)
					 : memory_printf("%s", text);
		err = directives_add(directives, "probe", place, why);
		free(place);
	}
	for (size_t i = 0; i < actions.line_count && !err; i++)
		err = directives_add(directives, "action", actions.lines[i],
				     why);
	arena_fini(&arena);
	return err;
}

/*
 * Adds the probe, at no more than `copies` copies of a source line. Returns 0;
 * -EAGAIN and *why if this failed for several copies; or another -errno and
 * *why.
 */
static int settle_copies(const struct probe_options *options, size_t probe,
			 struct read_file *last, const char *program,
			 size_t copies, struct directives *directives,
			 char **why)
{
	const char *text = options->texts[probe];
	struct probe_spec spec;
	char *resolved;
	int err = source_line_resolve(text, program, copies, &resolved, why);

	if (!err && !resolved && !is_found(last, text, program))
		err = shown_place_resolve(text, files_of(last, program),
					  &resolved, why);
	if (err)
		return err;
	if (probe_spec_parse(resolved ? resolved : text, &spec) != 0)
		err = fail(why, -EINVAL,
			   "probe %s: not a probe location; write FUNCTION, "
			   "FUNCTION+OFFSET, FUNCTION%%return or FILE.c:LINE",
			   text);
	if (!err)
		err = check(last, &spec, text, program, options->command, why);
	if (!err)
		err = settle_parsed(options, probe, resolved ? resolved : text,
				    &spec, program, directives, why);
	free(resolved);
	return err && spec.address_count > 1 ? -EAGAIN : err;
}

/*
 * Adds the probe. If this fails for several copies of a source line, for
 * example because an action's variable has different locations in them, only
 * the first copy gets the probe, and the probe's text says so.
 */
static int settle(const struct probe_options *options, size_t probe,
		  struct read_file *last, const char *program,
		  struct directives *directives, char **why)
{
	int err = settle_copies(options, probe, last, program,
				PROBE_SPEC_MAX_ADDRESSES, directives, why);

	if (err != -EAGAIN)
		return err;
	free(*why);
	return settle_copies(options, probe, last, program, 1, directives, why);
}

int probe_options_settle(const struct probe_options *options,
			 const char *program, struct directives *directives,
			 char **why)
{
	struct read_file last = { .path = NULL };
	int err = 0;

	for (size_t i = 0; i < options->count && !err; i++)
		err = settle(options, i, &last, program, directives, why);
	forget_file(&last);
	needed_libraries_fini(&last.files);
	free(last.doubted);
	return err;
}

/* ---- Probes of a process ---- */

/* Returns a path to the program's file. The caller frees it. */
static char *program_of(pid_t pid)
{
	char *link = memory_printf("/proc/%d/exe", pid);
	char path[4096];
	const ssize_t bytes = readlink(link, path, sizeof(path) - 1);

	path[bytes < 0 ? 0 : bytes] = '\0';
	if (bytes <= 0 || access(path, R_OK) != 0)
		return link;
	free(link);
	return memory_printf("%s", path);
}

char *probe_options_lines(const struct probe_options *options, pid_t pid,
			  char **why)
{
	char *program = program_of(pid), *lines = NULL;
	struct directives directives;

	directives_init(&directives);
	if (probe_options_settle(options, program, &directives, why) == 0)
		lines = memory_printf("%s", directives_text(&directives));
	directives_fini(&directives);
	free(program);
	return lines;
}
