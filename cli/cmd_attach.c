/* SPDX-License-Identifier: MIT */
/* `clew attach`: records running processes for a while. */
#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/agent_library.h"
#include "cli/attach/attach_group.h"
#include "cli/attach/guardian.h"
#include "cli/attach/probe_request.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/options.h"
#include "cli/common/time_text.h"
#include "cli/deputy/deputy.h"
#include "cli/probes/probe_options.h"
#include "cli/push/intervals.h"
#include "cli/push/push.h"
#include "cli/recording/call_limit.h"
#include "cli/recording/recorded_line.h"
#include "cli/recording/recording_options.h"
#include "cli/recording/trim.h"
#include "cli/target/ending_signals.h"
#include "cli/target/file_rights.h"
#include "cli/target/target_choice.h"
#include "report/recording/announced.h"
#include "report/recording/recording_reader.h"

#define COMMAND                  "clew attach"
#define DIRECTIVE_JAVA_STANDBY   ""
#define DIRECTIVE_OVERFLOW_WAIT  ""
#define DIRECTIVE_RANK_IN_RECORD 0

/*
 * Limits the search for new children. Some processes that fork all the time
 * continue unrecorded.
 */
#define ROUNDS_MAX 16

/*
 * Between two searches for processes that begin later: a time, and at least
 * this many times as long as a search takes.
 */
#define SEARCH_NS    UINT64_C(250000000)
#define SEARCH_SHARE 20
/*
 * How many searches try to attach to a process that begins later, before its
 * refusal is reported. While a process starts, clew cannot attach to it.
 */
#define TRIES_MAX 8
/* A try that took longer is the last one. */
#define TRY_NS UINT64_C(1000000000)

enum {
	KEY_FOR = KEY_OF_COMMAND,
	KEY_CALLS,
	KEY_EVERY,
	KEY_KEEP,
	KEY_PUSH,
	KEY_AGENT,
};

/* Limits of an interval: one second to one week. */
#define EVERY_MIN_NS UINT64_C(1000000000)
#define EVERY_MAX_NS UINT64_C(604800000000000)

static const struct argp_option argp_options[] = {
	TARGET_CHOICE(0, 0),
	ROW_OUTPUT(HELP_FIRST),
	{ "for", KEY_FOR, "TIME", HELP_FIRST,
	  "Detach after TIME, such as 500ms, 10s or 2m", HELP_OUTPUT },
	{ "calls", KEY_CALLS, "N", 0, "Detach after about N calls",
	  HELP_OUTPUT },
	{ "every", KEY_EVERY, "TIME", 0,
	  "Save a snapshot at this interval, such as 15s", HELP_PUSH },
	{ "keep", KEY_KEEP, "N", 0,
	  "Retain the latest N snapshots (default: 2)", HELP_PUSH },
	{ "push", KEY_PUSH, "URL", 0,
	  "Send each interval, or all at the end, to a store of profiles",
	  HELP_PUSH },
	{ "agent", KEY_AGENT, "FILE[:OPTION]", 0,
	  "Load an agent library, as clew-alloc attach does", HELP_SELECTION },
	ROW_QUIET,
	WIRE_DIRECTIVES(ATTACH_ROW) RECORDING_ROWS,
	{ 0 },
};

struct attach_options {
	char *output; /* NULL if not given. */
	char *agent;  /* Path of the agent library, or NULL. */
	struct target_choice choice;
	int is_quiet;
	int has_no_cache;
	uint64_t calls; /* 0: no limit. */
	int64_t for_ms; /* -1: no time limit. */
	struct probe_options probes;
	struct directives directives;
	struct interval_options intervals;
	struct push_options push;
	char **words; /* the options that are passed to pushes */
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

static void set_every(struct attach_options *options, const char *text,
		      struct argp_state *state)
{
	uint64_t ns = 0;

	if (read_time(text, &ns) != 0 || ns < EVERY_MIN_NS || ns > EVERY_MAX_NS)
		complain_of_usage(state,
				  "--every=%s: not a time from 1s to a week; "
				  "write 15s, for example",
				  text);
	options->intervals.every_ns = ns;
}

static void set_agent(struct attach_options *options, const char *text,
		      struct argp_state *state)
{
	char *directive = NULL, *why = NULL;

	if (options->agent)
		argp_error(state, "--agent is given twice");
	if (agent_library_parse(text, &options->agent, &directive, &why) != 0 ||
	    directives_add(&options->directives, "agent", directive, &why) != 0)
		complain_of_usage(state, "%s", why);
	free(directive);
}

static void check_intervals(struct attach_options *options,
			    struct argp_state *state)
{
	struct interval_options *intervals = &options->intervals;

	if (intervals->keep && !intervals->every_ns)
		argp_error(state, "--keep needs --every");
	if (!intervals->keep)
		intervals->keep = INTERVALS_KEEP_DEFAULT;
	if (!options->push.url && push_options_are_given(&options->push))
		argp_error(state, "an option of pushes is given without "
				  "--push");
	intervals->url = options->push.url;
}

/*
 * Why a running process cannot be recorded with a directive, or NULL if it can.
 * Indexed by enum wire_directive.
 */
static const struct {
	const char *word, *why;
} obstacles[] = {
#define X(id, word, kind, member, standard, least, most, commands, key,        \
	  argument, group, rank, help, obstacle)                               \
	{ word, obstacle },
	WIRE_DIRECTIVES(X)
#undef X
};

/* Refuses what only `clew record` can do, whether an option or a rule asks. */
static void check_directives(const struct directives *directives,
			     struct argp_state *state)
{
	for (int i = 0; i < DIRECTIVE_COUNT; i++)
		if (obstacles[i].why && directives->given[i])
			complain_of_usage(state, "%s: %s", obstacles[i].word,
					  obstacles[i].why);
	if (directives_have(directives, DIRECTIVE_JAVA, "standby"))
		argp_error(state,
			   "--java=standby is an option of clew record; run "
			   "clew attach without options on a process that "
			   "was started with it");
	if (directives_have(directives, DIRECTIVE_ON_OVERFLOW, "wait"))
		argp_error(state,
			   "--on-overflow=wait needs the workers of clew "
			   "record; use --on-overflow=process");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct attach_options *options = state->input;
	error_t err;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case 'q':
		options->is_quiet = 1;
		return 0;
	case KEY_FOR:
		if (parse_time(argument, &options->for_ms) != 0)
			complain_of_usage(state,
					  "--for=%s: not a time; write 500ms, "
					  "10s or 2m, for "
					  "example",
					  argument);
		return 0;
	case KEY_CALLS:
		options->calls =
			parse_number(state, "calls", argument, UINT64_MAX);
		if (!options->calls)
			argp_error(state, "--calls=0: not a number of calls; "
					  "give at least 1");
		return 0;
	case KEY_EVERY:
		set_every(options, argument, state);
		return 0;
	case KEY_KEEP:
		options->intervals.keep = (unsigned int)parse_number(
			state, "keep", argument, INTERVALS_KEEP_MAX);
		if (options->intervals.keep < 2)
			argp_error(state, "--keep: not a number from 2 to %d",
				   INTERVALS_KEEP_MAX);
		return 0;
	case KEY_PUSH:
		options->push.url = argument;
		return 0;
	case KEY_AGENT:
		set_agent(options, argument, state);
		return 0;
	case KEY_NO_CACHE:
		options->has_no_cache = 1;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->push;
		return 0;
	case ARGP_KEY_END:
		check_intervals(options, state);
		if (options->calls &&
		    options->directives.given[DIRECTIVE_TRACE])
			argp_error(state,
				   "--calls and --trace exclude each other: "
				   "the calls of a trace are counted when it "
				   "is read");
		check_directives(&options->directives, state);
		recording_check(&options->directives, state);
		probe_options_check(&options->probes, &options->directives,
				    state);
		return target_choice_parse(&options->choice, key, argument,
					   state);
	default:
		err = target_choice_parse(&options->choice, key, argument,
					  state);
		if (err == ARGP_ERR_UNKNOWN)
			err = probe_options_parse(&options->probes, key,
						  argument, state);
		if (err != ARGP_ERR_UNKNOWN)
			return err;
		return recording_parse(&options->directives, key, argument,
				       state);
	}
}

/* ---- Attaching ---- */

/* State of one run, with all processes. */
struct attach_run {
	const struct attach_options *options;
	struct attach_group group;
	struct guardian guardian;
	/* Readable when a signal ends the run (ending_signals.h). */
	int signals;
	/* Processes that were tried, and how often. */
	struct seen {
		pid_t pid;
		int tries;
	} * seen;
	size_t seen_count, seen_capacity;
	int is_later;     /* whether the present search is not the first one */
	uint64_t took_ns; /* how long the last search took */
	uint64_t search_ns; /* time of the next search; 0: none */
	size_t refused;
	struct intervals intervals;
	char **folders; /* folders in which the members record */
	size_t folder_count;
};

static struct seen *find_seen(const struct attach_run *run, pid_t pid)
{
	for (size_t i = 0; i < run->seen_count; i++)
		if (run->seen[i].pid == pid)
			return &run->seen[i];
	return NULL;
}

/* Returns the number of this try; 0 if the process is not to be tried again. */
static int next_try(struct attach_run *run, pid_t pid)
{
	struct seen *one = find_seen(run, pid);

	if (one)
		return one->tries && one->tries < TRIES_MAX ? ++one->tries : 0;
	run->seen = memory_grow(run->seen, run->seen_count, &run->seen_capacity,
				sizeof(*run->seen));
	run->seen[run->seen_count++] = (struct seen){ pid, 1 };
	return 1;
}

/* Forgets a process, whose id may get another meaning. */
static void forget_seen(struct attach_run *run, pid_t pid)
{
	struct seen *one = find_seen(run, pid);

	if (one)
		*one = run->seen[--run->seen_count];
}

/* Adds probes. If this fails, the process is still recorded. */
static void add_probes(struct attach_run *run, struct attach_member *member)
{
	const struct probe_options *places = &run->options->probes;
	struct wire_live_probes probes = { 0 };
	char *lines, *why = NULL;

	if (!places->count)
		return;
	lines = probe_options_lines(places, member->pid, &why);
	if (lines)
		probe_request(&member->attaching, lines, &probes, &why);
	free(lines);
	if (why)
		complain(COMMAND, "process %d: no probes were added: %s",
			 member->pid, why);
	run->refused += why != NULL;
	free(why);
	for (uint32_t i = 0; i < probes.answer_count; i++) {
		why = probe_answer_text(&probes.answers[i]);
		if (why)
			complain(COMMAND, "process %d: probe %s: %s",
				 member->pid, places->texts[i], why);
		run->refused += why != NULL;
		free(why);
	}
}

/* Prints what a process does not record. */
static void print_notice(const struct attach_member *member)
{
	if (member->attaching.notice)
		complain(COMMAND, "process %d: %s", member->pid,
			 member->attaching.notice);
}

/*
 * Attaches to a process. Does not report the exit of a process that the user
 * did not name, nor a refusal that may be due to the process's start.
 */
static void add(struct attach_run *run, const struct chosen_process *process,
		int tries)
{
	const pid_t pid = process->pid;
	const uint64_t start_ns = tracer_now_ns();
	char *why = NULL;
	int err;

	guardian_watch(&run->guardian, pid);
	err = attach_group_add(&run->group, pid, &why);
	if (err && run->is_later && tries < TRIES_MAX &&
	    tracer_now_ns() - start_ns < TRY_NS) {
		free(why);
		return;
	}
	find_seen(run, pid)->tries = 0;
	if (!err) {
		struct attach_member *member =
			&run->group.members[run->group.count - 1];

		if (!member->is_forked)
			add_probes(run, member);
		if (run->is_later)
			print_notice(member);
		return;
	}
	if (process->is_named || !target_has_ended(pid)) {
		complain(COMMAND, "cannot attach to process %d: %s", pid, why);
		run->refused++;
	}
	free(why);
}

/*
 * Attaches to processes that are new. Returns their number; 0 if a signal to
 * end has arrived.
 */
static size_t add_new(struct attach_run *run, const struct chosen *chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		int tries;

		if (ending_signals_wait(run->signals, 0))
			return 0;
		tries = next_try(run, chosen->items[i].pid);
		if (!tries)
			continue;
		add(run, &chosen->items[i], tries);
		count++;
	}
	return count;
}

/* Forgets processes that are not chosen any more, whose ids may be reused. */
static void forget_absent(struct attach_run *run, const struct chosen *chosen)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->seen_count; i++) {
		size_t at = 0;

		while (at < chosen->count &&
		       chosen->items[at].pid != run->seen[i].pid)
			at++;
		if (at < chosen->count)
			run->seen[kept++] = run->seen[i];
	}
	run->seen_count = kept;
}

/* Returns the number of new processes; 0 also if no chosen process exists. */
static size_t search(struct attach_run *run)
{
	const uint64_t start_ns = tracer_now_ns();
	struct chosen chosen;
	char *why = NULL;
	size_t news;

	if (target_choice_find(&run->options->choice, &chosen, &why) != 0)
		free(why);
	run->took_ns = tracer_now_ns() - start_ns;
	forget_absent(run, &chosen);
	news = add_new(run, &chosen);
	free(chosen.items);
	return news;
}

/*
 * Repeats the search, because processes may fork children meanwhile that clew
 * has not seen.
 */
static void add_all(struct attach_run *run, const struct chosen *first)
{
	size_t news = add_new(run, first);

	for (int i = 0; i < ROUNDS_MAX && news; i++)
		news = search(run);
}

/* ---- Messages ---- */

/*
 * Prints the longest pauses of `count` processes: of the members from index
 * `first` on, or of any if `first` is SIZE_MAX.
 */
static void print_pauses(struct attach_run *run, const char *what, size_t first,
			 size_t count)
{
	struct attach_group *group = &run->group;
	const double all_ms = (double)group->all_ns / 1e6;
	const double one_ms = (double)group->one_ns / 1e6;

	group->all_ns = group->one_ns = 0;
	if (run->options->is_quiet || !count)
		return;
	if (count == 1 && first < group->count)
		complain(COMMAND,
			 "%s process %d: all threads were stopped for up to "
			 "%.1f ms, one thread alone for up to %.1f ms",
			 what, group->members[first].pid, all_ms, one_ms);
	else if (count == 1)
		complain(COMMAND,
			 "%s 1 process: all threads were stopped for up to "
			 "%.1f ms, one thread alone for up to %.1f ms",
			 what, all_ms, one_ms);
	else
		complain(COMMAND,
			 "%s %zu processes: all threads of a process were "
			 "stopped for up to %.1f ms, one thread alone for up "
			 "to %.1f ms",
			 what, count, all_ms, one_ms);
}

/*
 * Unless --quiet is given, prints an amount of memory of `count` processes
 * together.
 */
static void print_memory(const struct attach_run *run, const char *what,
			 int64_t kb, size_t count)
{
	if (run->options->is_quiet || !count)
		return;
	complain(COMMAND, "memory: %.1f MB %s in %zu process%s",
		 kb > 0 ? (double)kb * 1024 / 1e6 : 0.0, what, count,
		 count == 1 ? "" : "es");
}

static void print_end(const struct attach_run *run, pid_t pid, int err)
{
	if (!run->options->is_quiet)
		complain(COMMAND, "process %d has %s", pid,
			 err == -EIO ? "executed another program" : "exited");
}

/* ---- Waiting ---- */

/* Returns the remaining time for poll(), -1 for no limit. */
static int left_ms(const struct attach_options *options, uint64_t start_ns)
{
	const int64_t passed_ms =
		(int64_t)((tracer_now_ns() - start_ns) / 1000000);
	const int64_t left = options->for_ms - passed_ms;

	if (options->for_ms < 0)
		return -1;
	if (left <= 0)
		return 0;
	return left > 1000000 ? 1000000 : (int)left;
}

/* Returns the earlier time; -1 is later than all. */
static int earlier(int ms, int other_ms)
{
	return ms < 0 || (other_ms >= 0 && other_ms < ms) ? other_ms : ms;
}

static void free_folders(struct attach_run *run)
{
	for (size_t i = 0; i < run->folder_count; i++)
		free(run->folders[i]);
	free(run->folders);
}

static void begin_intervals(struct attach_run *run)
{
	run->folders = attach_group_folders(&run->group, &run->folder_count);
	intervals_begin(&run->intervals, &run->options->intervals, COMMAND,
			run->group.output.directory,
			(const char *const *)run->folders, run->folder_count);
}

/* Processes whose exit poll() reports, behind signals and intervals. */
struct watch_list {
	struct pollfd *fds;
	size_t count, capacity;
};

enum { WATCHED_SIGNALS, WATCHED_INTERVAL, WATCHED_MEMBERS };

static void watch(struct watch_list *watched, int fd)
{
	watched->fds = memory_grow(watched->fds, watched->count,
				   &watched->capacity, sizeof(*watched->fds));
	watched->fds[watched->count++] = (struct pollfd){ fd, POLLIN, 0 };
}

/* Watches the members that are not watched yet. */
static void watch_members(const struct attach_run *run,
			  struct watch_list *watched)
{
	while (watched->count < WATCHED_MEMBERS + run->group.count)
		watch(watched,
		      run->group.members[watched->count - WATCHED_MEMBERS]
			      .process);
}

/* Ignores exited processes from now on. Returns how many still run. */
static size_t ignore_ended(struct watch_list *watched)
{
	size_t going = 0;

	for (size_t i = WATCHED_MEMBERS; i < watched->count; i++) {
		if (watched->fds[i].revents)
			watched->fds[i].fd = -1;
		going += watched->fds[i].fd >= 0;
	}
	return going;
}

/*
 * Lets go of members that have exited or executed another program, to which
 * clew may attach again.
 */
static void let_go(struct attach_run *run, struct watch_list *watched)
{
	for (size_t i = 0; i < run->group.count; i++) {
		struct attach_member *member = &run->group.members[i];
		int err;

		if (member->is_over)
			continue;
		err = attach_group_let_go(&run->group, member);
		if (!err)
			continue;
		if (!member->is_forked)
			print_end(run, member->pid, err);
		forget_seen(run, member->pid);
		watched->fds[WATCHED_MEMBERS + i].fd = -1;
	}
}

/* Tells the intervals and the limit of calls the folders of new members. */
static void renew_folders(struct attach_run *run, struct call_limit *limit)
{
	free_folders(run);
	run->folders = attach_group_folders(&run->group, &run->folder_count);
	run->intervals.folders = (const char *const *)run->folders;
	run->intervals.folder_count = run->folder_count;
	limit->folders = run->folders;
	limit->folder_count = run->folder_count;
}

/* Attaches to chosen processes that have begun since the last search. */
static void search_later(struct attach_run *run, struct watch_list *watched,
			 struct call_limit *limit)
{
	const struct attach_group *group = &run->group;
	const size_t before = group->count;
	size_t first = before, entered = 0;
	uint64_t pause_ns;

	let_go(run, watched);
	search(run);
	for (size_t i = before; i < group->count; i++) {
		if (group->members[i].is_forked)
			continue;
		first = entered ? first : i;
		entered++;
	}
	print_pauses(run, "attached to", first, entered);
	if (group->count > before) {
		renew_folders(run, limit);
		watch_members(run, watched);
	}
	pause_ns = run->took_ns * SEARCH_SHARE;
	run->search_ns =
		tracer_now_ns() + (pause_ns > SEARCH_NS ? pause_ns : SEARCH_NS);
}

/* Returns the time until the next search for poll(), -1 for none. */
static int search_ms(const struct attach_run *run)
{
	const uint64_t now_ns = tracer_now_ns();

	if (!run->search_ns)
		return -1;
	return run->search_ns > now_ns
		       ? (int)((run->search_ns - now_ns) / 1000000) + 1
		       : 0;
}

/* Returns whether a search will try again to attach to a process. */
static int is_trying(const struct attach_run *run)
{
	for (size_t i = 0; i < run->seen_count; i++)
		if (run->seen[i].tries)
			return 1;
	return 0;
}

/*
 * Returns whether the run is over, because no member runs. With --for, a run
 * waits for processes that begin later until its time has passed.
 */
static int is_deserted(struct attach_run *run, struct watch_list *watched,
		       struct call_limit *limit)
{
	if (ignore_ended(watched) > 0)
		return 0;
	if (!run->search_ns)
		return 1;
	if (run->options->for_ms >= 0)
		return 0;
	search_later(run, watched, limit);
	return ignore_ended(watched) == 0 && !is_trying(run);
}

/*
 * Waits until the time of --for has passed, the calls of --calls are counted, a
 * signal to end arrives, or all processes have exited. Saves and pushes
 * intervals meanwhile, and attaches to chosen processes that begin later.
 */
static void wait_for_end(struct attach_run *run)
{
	struct call_limit limit = { .calls = run->options->calls };
	const uint64_t start_ns = tracer_now_ns();
	struct watch_list watched = { 0 };
	int ms;

	watch(&watched, run->signals);
	watch(&watched, -1);
	watch_members(run, &watched);
	call_limit_begin(&limit, run->folders, run->folder_count);
	while ((ms = earlier(left_ms(run->options, start_ns),
			     call_limit_poll(&limit))) != 0) {
		if (search_ms(run) == 0)
			search_later(run, &watched, &limit);
		ms = earlier(ms, search_ms(run));
		ms = earlier(ms, intervals_step(&run->intervals));
		watched.fds[WATCHED_INTERVAL].fd = run->intervals.child_fd;
		if (poll(watched.fds, watched.count, ms) < 0)
			continue;
		if (watched.fds[WATCHED_SIGNALS].revents ||
		    is_deserted(run, &watched, &limit))
			break;
	}
	free(watched.fds);
}

/* ---- Intervals ---- */

/*
 * Ends the work of the intervals and prints its results. Returns how many
 * pushes and snapshots failed.
 */
static uint64_t end_intervals(struct attach_run *run)
{
	struct push_counts counts;

	/*
	 * The signal that ended the run must not end this work, but a later one
	 * does.
	 */
	ending_signals_consume(run->signals);
	intervals_end(&run->intervals, run->signals, &counts);
	free_folders(run);
	if (counts.failed_snapshots)
		complain(
			COMMAND, "%s of %s snapshots were not saved",
			text_grouped(counts.failed_snapshots).text,
			text_grouped(counts.failed_snapshots + counts.snapshots)
				.text);
	if (counts.lost)
		complain(COMMAND,
			 "%s of %s pushes failed; the recording has everything",
			 text_grouped(counts.lost).text,
			 text_grouped(counts.lost + counts.pushed).text);
	else if (counts.pushed && !run->options->is_quiet)
		complain(COMMAND, "%s push%s succeeded",
			 text_grouped(counts.pushed).text,
			 counts.pushed == 1 ? "" : "es");
	return counts.lost + counts.failed_snapshots;
}

/* ---- Detaching ---- */

/*
 * Detaches from all processes. Returns the number of failures; that a process
 * has exited or executed another program is no failure.
 */
static size_t detach_all(struct attach_run *run)
{
	struct attach_group *group = &run->group;
	size_t left = 0, failed = 0;

	for (size_t i = 0; i < group->count; i++) {
		struct attach_member *member = &group->members[i];
		char *why = NULL;
		int err;

		if (member->is_over)
			continue;
		err = attach_group_detach(group, member, &why);
		if (err == -ESRCH || err == -EIO)
			print_end(run, member->pid, err);
		else if (err)
			complain(COMMAND, "cannot detach from process %d: %s",
				 member->pid, why);
		left += !err;
		failed += err && err != -ESRCH && err != -EIO;
		free(why);
	}
	left += attach_group_detach_forked(group);
	failed += attach_group_bring(group, COMMAND);
	print_pauses(run, "detached from", group->count == 1 ? 0 : SIZE_MAX,
		     left);
	print_memory(run, "remain", group->kept_kb, left);
	return failed;
}

/*
 * Copies files in which the processes describe their generated code, because
 * they may change and are deleted later.
 */
static void keep_announced(const char *folder)
{
	struct recording recording;
	char *why;

	if (recording_open_some(&recording, folder, PART_KIND(WIRE_JITDUMP),
				&why) != 0) {
		free(why);
		return;
	}
	for (size_t i = 0; i < recording.part_count; i++)
		for (int kind = 0; kind < ANNOUNCED_COUNT; kind++) {
			const struct part_copy *part = &recording.parts[i];

			if (announced_keep(&recording, part, kind, part->path,
					   &why) == 0)
				continue;
			complain(COMMAND,
				 "a file of generated code was not saved: %s",
				 why);
			free(why);
		}
	recording_close(&recording);
}

/* ---- The whole command ---- */

enum { SOME_REFUSED = 2, SOME_LOST = 3 };

/*
 * Prints a summary. If no function could be hooked, prints a line about it and
 * returns 0; otherwise returns 1.
 */
static int summarise(const struct attach_run *run)
{
	const char *folder = run->group.output.directory;

	if (!folder)
		return 1;
	return run->options->is_quiet
		       ? recorded_line_warn(folder)
		       : recorded_line_print(folder, run->options->output);
}

static int record(struct attach_run *run)
{
	size_t failed;
	uint64_t lost;
	int is_hooked;

	print_pauses(run, "attached to", 0, run->group.count);
	print_memory(run, "added", run->group.added_kb, run->group.count);
	for (size_t i = 0; i < run->group.count; i++)
		print_notice(&run->group.members[i]);
	begin_intervals(run);
	run->is_later = 1;
	if (target_choice_is_open(&run->options->choice))
		run->search_ns = tracer_now_ns() + SEARCH_NS;
	wait_for_end(run);
	failed = detach_all(run);
	if (run->group.output.directory) {
		trim_module_stubs(run->group.output.directory);
		keep_announced(run->group.output.directory);
	}
	is_hooked = summarise(run);
	lost = end_intervals(run);
	if (failed)
		return EXIT_FAILURE;
	if (run->refused || !is_hooked)
		return SOME_REFUSED;
	return lost ? SOME_LOST : EXIT_SUCCESS;
}

/* Raises the limit of descriptors: each process needs three. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * Unless --no-cache is given, adds a cache. Other users can read it if clew is
 * root and records their processes.
 */
static void add_cache(struct attach_options *options,
		      const struct chosen *chosen)
{
	int is_shared = 0;

	if (options->has_no_cache)
		return;
	for (size_t i = 0; i < chosen->count && geteuid() == 0; i++) {
		const int64_t user = file_rights_user(chosen->items[i].pid);

		if (user > 0)
			directives_add_shared_cache(&options->directives,
						    (uid_t)user);
		is_shared |= user > 0;
	}
	if (!is_shared)
		directives_add_cache(&options->directives);
}

/* Returns whether any option configures the recording. */
static int wishes(struct attach_options *options)
{
	return options->output || options->calls || options->has_no_cache ||
	       options->intervals.every_ns || options->push.url ||
	       options->probes.count || *directives_text(&options->directives);
}

static int attach(struct attach_options *options, const struct chosen *chosen)
{
	const int has_wishes = wishes(options);
	struct attach_run run = { .options = options };
	const char *config;
	char *why = NULL;
	int status = EXIT_FAILURE;

	options->output = options->output ? options->output : DEFAULT_RECORDING;
	allow_descriptors();
	run.signals = ending_signals_watch();
	add_cache(options, chosen);
	if (options->probes.starts_trace &&
	    directives_add(&options->directives, "trace-waits", NULL, &why) !=
		    0)
		return give_up(COMMAND, why);
	config = directives_text(&options->directives);
	if (attach_group_init(&run.group, options->output, config, &why) != 0)
		return give_up(COMMAND, why);
	run.group.has_wishes = has_wishes;
	run.group.agent = options->agent;
	guardian_start(&run.guardian, COMMAND);
	add_all(&run, chosen);
	if (run.group.count)
		status = record(&run);
	else if (!run.refused)
		complain(COMMAND, "all selected processes have exited");
	attach_group_fini(&run.group);
	guardian_end(&run.guardian);
	free(run.seen);
	return status;
}

/* Checks where to push before any process is changed. */
static int prepare_push(struct attach_options *options, char **why)
{
	struct push push;
	int err;

	if (!options->push.url)
		return 0;
	err = push_begin(&push, &options->push, why);
	if (err)
		return err;
	err = push_share_secrets(&push, why);
	push_end(&push);
	if (err)
		return err;
	options->words = push_options_words(&options->push,
					    &options->intervals.word_count);
	options->intervals.words = (const char *const *)options->words;
	return 0;
}

int command_attach(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &later_push_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = argp_options,
		.children = children,
		.parser = parse,
		.args_doc = "[PID...]",
		.doc = "Count each call of running processes for a while, and "
		       "restore them at the end.",
	};
	struct attach_options options = { .for_ms = -1 };
	struct chosen chosen = { 0 };
	char *why = NULL;
	int status;

	directives_init(&options.directives);
	probe_options_init(&options.probes);
	options.probes.awaits = 1;
	push_options_init(&options.push);
	command_line_parse(&argp, argc, argv, 0, &options);
	if (prepare_push(&options, &why) != 0 ||
	    target_choice_find(&options.choice, &chosen, &why) != 0)
		status = give_up(COMMAND, why);
	else if (chosen.count == 1 && deputy_is_useful(chosen.items[0].pid))
		status = deputy_run(chosen.items[0].pid, argc, argv,
				    options.is_quiet);
	else
		status = attach(&options, &chosen);
	free(chosen.items);
	for (size_t i = 0; i < options.intervals.word_count; i++)
		free(options.words[i]);
	free(options.words);
	free(options.agent);
	push_options_fini(&options.push);
	directives_fini(&options.directives);
	probe_options_fini(&options.probes);
	target_choice_fini(&options.choice);
	return status;
}
