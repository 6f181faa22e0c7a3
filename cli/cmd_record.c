/* SPDX-License-Identifier: MIT */
/*
 * `clew record`: runs a program and records it. If recording fails, the target
 * runs all the same, unless an option is wrong or a probe is impossible. The
 * exit status is the target's; STATUS_UNRECORDED if the target succeeds but is
 * not recorded; or 126 or 127 if it cannot be executed.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/library.h"
#include "cli/common/options.h"
#include "cli/common/output.h"
#include "cli/common/recording_writer.h"
#include "cli/probes/probe_options.h"
#include "cli/recording/directives.h"
#include "cli/recording/inherited_filter.h"
#include "cli/recording/launch.h"
#include "cli/recording/packing.h"
#include "cli/recording/reading_lines.h"
#include "cli/recording/recorded_line.h"
#include "cli/recording/recording_options.h"
#include "cli/recording/trim.h"
#include "cli/recording/unrecorded_reason.h"
#include "cli/target/executable.h"
#include "cli/target/room_files.h"
#include "report/live/packet_workers.h"
#include "report/model/probe_list.h"
#include "report/recording/announced.h"
#include "report/recording/rules.h"
#include "wire/packet.h"

#define DIRECTIVE_JAVA_STANDBY   "|standby[:...]"
#define DIRECTIVE_OVERFLOW_WAIT  "|wait"
#define DIRECTIVE_RANK_IN_RECORD HELP_FIRST

enum {
	STATUS_UNRECORDED = 125,
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
};

static const struct argp_option argp_options[] = {
	ROW_OUTPUT(HELP_FIRST),
	ROW_QUIET,
	{ "verbose", 'v', NULL, 0,
	  "Print a summary at the end, also without a terminal", HELP_OUTPUT },
	WIRE_DIRECTIVES(RECORD_ROW) RECORDING_ROWS,
	{ 0 },
};

struct record_options {
	char *output;
	char **target; /* The target's argv. */
	int verbose;
	int quiet;
	int no_cache;
	struct directives directives;
	struct probe_options probes;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct record_options *options = state->input;
	error_t err;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case 'q':
		options->quiet = 1;
		return 0;
	case 'v':
		options->verbose = 1;
		return 0;
	case KEY_NO_CACHE:
		options->no_cache = 1;
		return 0;
	case ARGP_KEY_ARGS:
		options->target = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			   "no program is given; write `clew record -- CMD`");
		return 0;
	case ARGP_KEY_END:
		recording_check(&options->directives, state);
		probe_options_check(&options->probes, &options->directives,
				    state);
		return 0;
	default:
		err = probe_options_parse(&options->probes, key, argument,
					  state);
		if (err != ARGP_ERR_UNKNOWN)
			return err;
		return recording_parse(&options->directives, key, argument,
				       state);
	}
}

static int status_of_exec(const char *name, const char *target, int err)
{
	complain(name, "%s: %s", target,
		 err == -ENOENT ? "there is no such program" : strerror(-err));
	return err == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

/*
 * Prepares `job` for recording. On failure, prints an error and does not set
 * job->output: the program is then not recorded.
 */
static void prepare(const char *name, struct record_options *options,
		    const char *program, struct launch *job,
		    struct output *output)
{
	char *why = executable_obstacle(program);
	uint64_t avoided = 0;

	if (why) {
		complain(name, "%s cannot be recorded: %s", program, why);
		free(why);
		return;
	}
	if (!options->no_cache)
		directives_add_cache(&options->directives);
	if (inherited_filter_check(&avoided, &why) == 0 &&
	    directives_add_avoided(&options->directives, avoided, &why) == 0 &&
	    library_find_loadable(&job->library, &why) == 0 &&
	    output_create(output, options->output,
			  directives_text(&options->directives), &why) == 0) {
		job->output = output->directory;
		return;
	}
	complain(name, "the program runs, but it is not recorded: %s", why);
	free(why);
}

static void summarise(const struct record_options *options, const char *path)
{
	if (options->quiet)
		return;
	if (options->verbose)
		recorded_line_print(path, options->output);
	else if (isatty(STDERR_FILENO))
		recorded_line_suggest(path, options->output);
}

/* Checks of a recording after the target's end. */
struct record_check {
	const char *name;           /* Name of the command. */
	struct recording recording; /* Headers only. */
	struct rule_sums rules;
	struct probe_list probes;
};

/*
 * Stores files that an exited process announced in its part. Readers search for
 * those of running processes.
 */
static void keep_announced(const struct record_check *check,
			   const struct part_copy *part)
{
	char *why;

	if (kill((pid_t)part->header->pid, 0) == 0 || errno != ESRCH)
		return;
	for (int kind = 0; kind < ANNOUNCED_COUNT; kind++)
		if (announced_keep(&check->recording, part, kind, part->path,
				   &why) != 0) {
			complain(check->name,
				 "a file of generated code was not saved: %s",
				 why);
			free(why);
		}
}

/* Reads chunks of these kinds from a part. Returns whether this succeeded. */
static int read_part(struct part_copy *part, const char *path, uint64_t kinds)
{
	char *why;

	if (part_open_some(part, path, kinds, &why) == 0)
		return 1;
	free(why);
	return 0;
}

/*
 * Checks a part. Reads only a few small chunks of most parts, because reading
 * all takes as long as the program took to write it.
 */
static void check_part(struct record_check *check, const char *path)
{
	struct part_copy part;
	int has_probes;

	if (!read_part(&part, path,
		       PART_KIND(WIRE_RULES) | PART_KIND(WIRE_JITDUMP)))
		return;
	rule_sums_add(&check->rules, &part);
	keep_announced(check, &part);
	has_probes = part_has_chunk(&part, WIRE_PROBES);
	part_close(&part);
	if (!has_probes || !read_part(&part, path, PART_KINDS_ALL))
		return;
	probe_list_add(&check->probes, &part);
	part_close(&part);
}

/*
 * Returns whether the target was recorded in `path`. Otherwise prints an error.
 */
static int check_recording(const char *name,
			   const struct record_options *options,
			   const char *path,
			   const struct launch_outcome *outcome)
{
	struct record_check check = { .name = name };
	char *why;

	if (recording_open_headers(&check.recording, path, &why) != 0)
		free(why);
	why = unrecorded_reason(&check.recording, path, outcome->pid,
				outcome->status);
	if (why)
		complain(name, "%s was not recorded: %s", options->target[0],
			 why);
	for (size_t i = 0; i < check.recording.part_count; i++)
		check_part(&check, check.recording.parts[i].path);
	if (!why) {
		rule_sums_warn(stderr, &check.rules, "clew record: ");
		probes_warn(stderr, &check.probes, "clew record: ");
	}
	rule_sums_fini(&check.rules);
	probe_list_fini(&check.probes);
	recording_close(&check.recording);
	free(why);
	return !why;
}

/*
 * Returns the exit status of clew for a target that ran, or dies by the signal
 * that has killed the target.
 */
static int status_of(const struct launch_outcome *outcome, int is_recorded)
{
	if (WIFSIGNALED(outcome->status))
		die_by(WTERMSIG(outcome->status));
	if (WEXITSTATUS(outcome->status) == 0 && !is_recorded)
		return STATUS_UNRECORDED;
	return WEXITSTATUS(outcome->status);
}

/*
 * Shows a finished recording. Another program may have renamed or removed its
 * folder meanwhile. Returns whether the recording contains the target.
 */
static int show_recording(const char *name,
			  const struct record_options *options,
			  const struct output *output,
			  const struct launch_outcome *outcome)
{
	char *place = output_place(output);
	int is_recorded;

	if (!place) {
		complain(name,
			 "%s was not recorded: the folder %s was removed while "
			 "it ran",
			 options->target[0], output->directory);
		return 0;
	}
	if (output->directory && strcmp(place, output->directory) != 0)
		complain(name, "%s was renamed to %s while %s ran",
			 output->directory, place, options->target[0]);
	trim_recording(place);
	is_recorded = check_recording(name, options, place, outcome);
	if (is_recorded)
		summarise(options, place);
	free(place);
	return is_recorded;
}

/* ---- The earlier recording, and tasks while the target runs ---- */

/* Tasks while the target runs. */
struct record_poll {
	const char *name; /* Name of the command. */
	struct launch *job;
	struct output *output;
	/* Lines about files that are being read; NULL if none are printed. */
	struct reading_lines *lines;
	struct packing *packing; /* NULL: no parts are packed */
};

static void keep_output(const char *name, struct output *output)
{
	char *why;

	if (output_keep(output, &why) == 0)
		return;
	complain(name, "%s", why);
	free(why);
}

static void poll_meanwhile(void *context)
{
	const struct record_poll *poll = context;

	if (poll->output->has_before &&
	    recording_has_begun(poll->output->directory))
		keep_output(poll->name, poll->output);
	if (poll->lines)
		reading_lines_poll(poll->lines);
	if (poll->packing)
		packing_poll(poll->packing);
	if (!poll->lines && !poll->packing && !poll->output->has_before)
		poll->job->poll = NULL;
}

/*
 * If there is an earlier recording: keeps the new one if calls were counted in
 * it, or if its folder was moved. Otherwise restores the earlier one.
 */
static void settle_output(const char *name, struct output *output)
{
	if (!output->has_before)
		return;
	if (!output_is_in_place(output) ||
	    recording_has_begun(output->directory)) {
		keep_output(name, output);
		return;
	}
	output_undo(output);
	complain(name, "%s still contains the earlier recording", output->path);
}

/*
 * Polls while the target runs: to print progress on a terminal, so that a slow
 * start does not look like a hang, to keep the new recording early, and to pack
 * parts.
 */
static void begin_poll(const struct record_options *options,
		       struct record_poll *poll)
{
	struct launch *job = poll->job;

	if (job->output && !options->quiet && isatty(STDERR_FILENO))
		poll->lines = reading_lines_create(job->output);
	if (job->output)
		poll->packing = packing_begin(job->output);
	if (poll->lines || poll->packing || poll->output->has_before) {
		job->poll = poll_meanwhile;
		job->poll_context = poll;
	}
}

/*
 * Starts workers that count a trace's calls meanwhile. Without workers, the
 * program's threads do so.
 */
static struct packet_workers *begin_workers(
	const char *name, const struct record_options *options,
	const struct launch *job)
{
	const struct directives *directives = &options->directives;
	const char *asked = directives->given[DIRECTIVE_WORKERS];
	uint64_t count = 0;
	struct packet_workers *workers;
	char *why;

	if (asked)
		text_parse_size(asked, &count);
	else if (directives_have(directives, DIRECTIVE_ON_OVERFLOW, "wait"))
		count = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (!job->output || !count)
		return NULL;
	if (count > WIRE_WORKERS_MAX)
		count = WIRE_WORKERS_MAX;
	if (packet_workers_start(&workers, job->output, (unsigned int)count,
				 room_files_allow, &why) == 0)
		return workers;
	complain(name, "%s", why);
	free(why);
	return NULL;
}

static void end_workers(const char *name, struct packet_workers *workers)
{
	char *why;

	if (!workers || packet_workers_stop(workers, &why) == 0)
		return;
	complain(name, "some calls of the trace were not counted: %s", why);
	free(why);
}

static int record(const char *name, struct record_options *options)
{
	struct launch job = { .argv = options->target };
	struct launch_outcome outcome;
	struct packet_workers *workers;
	struct output output = { .lock = -1 };
	struct record_poll looking = { name, &job, &output, NULL, NULL };
	char *program, *why;
	int is_recorded = 0, status;
	int err = executable_find(options->target[0], &program);

	if (err)
		return status_of_exec(name, options->target[0], err);
	options->probes.command = name;
	err = probe_options_settle(&options->probes, program,
				   &options->directives, &why);
	if (err) {
		free(program);
		return give_up(name, why);
	}
	prepare(name, options, program, &job, &output);
	free(program);
	begin_poll(options, &looking);
	workers = begin_workers(name, options, &job);
	err = launch(&job, &outcome);
	end_workers(name, workers);
	reading_lines_destroy(looking.lines);
	packing_end(looking.packing);
	if (err) {
		complain(name, "cannot create a process: %s", strerror(-err));
		status = STATUS_NOT_EXECUTABLE;
		goto undo;
	}
	if (outcome.exec_error) {
		status = status_of_exec(name, options->target[0],
					outcome.exec_error);
		goto undo;
	}
	if (job.output) {
		is_recorded = show_recording(name, options, &output, &outcome);
		settle_output(name, &output);
	}
	status = status_of(&outcome, is_recorded);
	goto free_job;
undo:
	if (job.output)
		output_undo(&output);
free_job:
	free(job.library);
	output_fini(&output);
	return status;
}

int command_record(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "CMD [ARG...]",
		.doc = "Run CMD, count each call that it makes, and exit with "
		       "its status.",
	};
	struct record_options options = { .output = DEFAULT_RECORDING };
	int status;

	directives_init(&options.directives);
	probe_options_init(&options.probes);
	command_line_parse_program(&argp, argc, argv, &options);
	status = record(argv[0], &options);
	directives_fini(&options.directives);
	probe_options_fini(&options.probes);
	return status;
}
