/* SPDX-License-Identifier: MIT */
/* See intervals.h. */
#include "cli/push/intervals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "cli/common/command.h"
#include "cli/common/output.h"
#include "cli/common/own_child.h"

/* Added to the nice value of the children, which compete with the program. */
enum { NICENESS = 10 };

/* ---- Starting child processes ---- */

static void start(struct intervals *intervals, enum interval_step step,
		  char **argv)
{
	intervals->child = fork();
	if (intervals->child == 0) {
		(void)!nice(NICENESS);
		own_child_become(argv);
	}
	if (intervals->child < 0) {
		complain(intervals->command, "cannot create a process: %s",
			 strerror(errno));
		return;
	}
	intervals->step = step;
	intervals->child_fd = (int)syscall(SYS_pidfd_open, intervals->child, 0);
}

/* Returns the path of a snapshot; number 0 is the recording. */
static char *snapshot_path(const struct intervals *intervals,
			   unsigned int number)
{
	return number ? memory_printf("%s.%u", intervals->output, number)
		      : memory_printf("%s", intervals->output);
}

/* Frees the words and their array. */
static void free_words(char **argv, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(argv[i]);
	free(argv);
}

static char **new_words(size_t count)
{
	return memory_zeroed(count + 1, sizeof(char *));
}

static char *copy(const char *word)
{
	return memory_string(word, strlen(word));
}

/* Returns the path that a snapshot has until it is complete. */
static char *new_path(const struct intervals *intervals)
{
	return memory_printf("%s.new", intervals->output);
}

/*
 * Starts to write a snapshot of the folders that still exist. A folder in
 * another mount namespace vanishes when its last process exits.
 */
static void start_merge(struct intervals *intervals)
{
	char **argv = new_words(intervals->folder_count + 4);
	size_t count = 0;

	argv[count++] = copy("clew");
	argv[count++] = copy("merge");
	argv[count++] = copy("-o");
	argv[count++] = new_path(intervals);
	output_remove(argv[count - 1]);
	for (size_t i = 0; i < intervals->folder_count; i++)
		if (access(intervals->folders[i], F_OK) == 0)
			argv[count++] = copy(intervals->folders[i]);
	start(intervals, INTERVAL_MERGES, argv);
	free_words(argv, count);
}

/*
 * Starts to push the difference between the snapshots `newer` and `older`, or
 * all of `newer` if `older` is 0.
 */
static void start_push(struct intervals *intervals, unsigned int newer,
		       unsigned int older)
{
	const struct interval_options *options = intervals->options;
	char **argv = new_words(options->word_count + 8);
	size_t count = 0;

	argv[count++] = copy("clew");
	argv[count++] = copy("push");
	argv[count++] = copy("--quiet");
	argv[count++] =
		memory_printf("--empty-status=%d", INTERVAL_EMPTY_STATUS);
	for (size_t i = 0; i < options->word_count; i++)
		argv[count++] = copy(options->words[i]);
	if (older) {
		char *path = snapshot_path(intervals, older);

		argv[count++] = memory_printf("--since=%s", path);
		free(path);
	}
	argv[count++] = copy("--");
	argv[count++] = snapshot_path(intervals, newer);
	argv[count++] = copy(options->url);
	start(intervals, INTERVAL_PUSHES, argv);
	if (intervals->child < 0)
		intervals->counts->lost++;
	free_words(argv, count);
}

/* ---- Steps ---- */

/* Makes the new snapshot OUTPUT.1. Returns 0, or -errno after a message. */
static int rotate(struct intervals *intervals)
{
	char *newest = new_path(intervals), *why;
	int err = output_rotate(intervals->output, newest,
				intervals->options->keep, &why);

	if (err) {
		complain(intervals->command, "no snapshot: %s", why);
		free(why);
		output_remove(newest);
	}
	free(newest);
	return err;
}

static void finish_merge(struct intervals *intervals, int has_worked)
{
	struct push_counts *counts = intervals->counts;
	const unsigned int older = intervals->has_snapshot ? 2 : 0;

	if (!has_worked || rotate(intervals) != 0) {
		counts->failed_snapshots++;
		return;
	}
	counts->snapshots++;
	intervals->has_snapshot = 1;
	if (intervals->options->url)
		start_push(intervals, 1, older);
}

static void finish_push(struct intervals *intervals, int status)
{
	struct push_counts *counts = intervals->counts;

	if (WIFEXITED(status) && WEXITSTATUS(status) == INTERVAL_EMPTY_STATUS)
		return;
	if (status) {
		counts->lost++;
		return;
	}
	counts->pushed++;
	counts->pushed_at_s = (uint64_t)time(NULL);
}

/* Handles the end of the child. Returns 0 if it still runs. */
static int reap(struct intervals *intervals, int flags)
{
	const enum interval_step step = intervals->step;
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(intervals->child, &status, flags);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return 0;
	if (intervals->child_fd >= 0)
		close(intervals->child_fd);
	intervals->child_fd = -1;
	intervals->step = INTERVAL_WAITS;
	if (step == INTERVAL_MERGES)
		finish_merge(intervals, pid > 0 && status == 0);
	else
		finish_push(intervals, pid > 0 ? status : -1);
	return 1;
}

void intervals_begin(struct intervals *intervals,
		     const struct interval_options *options,
		     const char *command, const char *output,
		     const char *const *folders, size_t folder_count)
{
	*intervals = (struct intervals){
		.options = options,
		.command = command,
		.folders = folders,
		.folder_count = folder_count,
		.child_fd = -1,
	};
	if (!output || (!options->every_ns && !options->url))
		return;
	intervals->output = copy(output);
	intervals->next_ns = now_ns(CLOCK_MONOTONIC) + options->every_ns;
	intervals->counts = push_counts_create();
	if (!intervals->counts)
		intervals->counts = &intervals->own;
}

static int left_ms(const struct intervals *intervals)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);
	const uint64_t left =
		intervals->next_ns > now ? intervals->next_ns - now : 0;

	/* The time is rounded up, so that the interval is over then. */
	return left / 1000000 > 1000000 ? 1000000 : (int)(left / 1000000) + 1;
}

int intervals_step(struct intervals *intervals)
{
	if (!intervals->output || !intervals->options->every_ns)
		return -1;
	while (intervals->step != INTERVAL_WAITS)
		if (!reap(intervals, WNOHANG))
			return intervals->child_fd >= 0 ? -1 : 100;
	if (now_ns(CLOCK_MONOTONIC) < intervals->next_ns)
		return left_ms(intervals);
	intervals->next_ns =
		now_ns(CLOCK_MONOTONIC) + intervals->options->every_ns;
	start_merge(intervals);
	return intervals->step == INTERVAL_WAITS || intervals->child_fd < 0
		       ? 100
		       : -1;
}

/*
 * Waits for the child. Ends it when a signal arrives, unless child_fd is -1.
 * Returns whether the work has ended by itself.
 */
static int finish(struct intervals *intervals, int signals)
{
	struct pollfd ends[] = { { intervals->child_fd, POLLIN, 0 },
				 { signals, POLLIN, 0 } };
	char *path;

	if (intervals->child_fd < 0) {
		reap(intervals, 0);
		return 1;
	}
	while (poll(ends, 2, -1) < 0 && errno == EINTR)
		;
	if (ends[0].revents || !ends[1].revents) {
		reap(intervals, 0);
		return 1;
	}
	/* SIGKILL: a merge would finish its file first. */
	kill(intervals->child, SIGKILL);
	reap(intervals, 0);
	path = new_path(intervals);
	output_remove(path);
	free(path);
	return 0;
}

void intervals_end(struct intervals *intervals, int signals,
		   struct push_counts *counts)
{
	int goes_on = 1;

	*counts = (struct push_counts){ 0 };
	if (!intervals->output)
		return;
	while (intervals->step != INTERVAL_WAITS && goes_on)
		goes_on = finish(intervals, signals);
	if (intervals->options->url && goes_on) {
		start_push(intervals, 0, intervals->has_snapshot);
		while (intervals->step != INTERVAL_WAITS)
			finish(intervals, signals);
	} else if (intervals->options->url) {
		intervals->counts->lost++;
	}
	*counts = *intervals->counts;
	free(intervals->output);
	intervals->output = NULL;
}
