/* SPDX-License-Identifier: MIT */
/* See top_target.h. */
#include "cli/show/top_target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/output.h"
#include "cli/common/own_child.h"
#include "cli/target/live_process.h"
#include "cli/target/target.h"
#include "report/recording/part_reader.h"

/* Times to wait after SIGTERM, in steps of 5 ms. */
enum {
	/* two seconds, until the program that was started is killed */
	PATIENCE = 400,
	/*
	 * Five seconds, until the recorder is left alone. A killed process in
	 * an uninterruptible system call ends after that call.
	 */
	PATIENCE_MAX = 1000,
};

/* ---- Processes that are already recorded ---- */

/*
 * Returns a pidfd of a process, or -1. A pidfd refers to the same process for
 * ever; a pid may belong to another process later.
 */
static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void close_pidfd(int pidfd)
{
	if (pidfd >= 0)
		close(pidfd);
}

static int open_recorded(struct top_target *target, pid_t pid, char **why)
{
	struct live_process process;
	/* If this process exits, its pid cannot lead to a later recording. */
	const int pidfd = pidfd_of(pid);
	int err = live_process_init(&process, pid, why);

	if (err) {
		close_pidfd(pidfd);
		return err;
	}
	*target = (struct top_target){
		.pid = pid,
		.command = process.command,
		.recording = process.recording,
		.part = process.part,
		.pidfd = pidfd,
	};
	return 0;
}

/* ---- Processes that another clew records for us ---- */

static int make_folder(struct top_target *target, char **why)
{
	const char *temporary = getenv("TMPDIR");

	target->folder = memory_printf("%s/clew-top-XXXXXX",
				       temporary ? temporary : "/tmp");
	if (!mkdtemp(target->folder)) {
		fail(why, -errno, "%s: %s", target->folder, strerror(errno));
		free(target->folder);
		target->folder = NULL;
		return -EACCES;
	}
	target->recording = memory_printf("%s/clew.out", target->folder);
	return 0;
}

/*
 * Becomes the recorder. `clew top` ends the recorder by SIGTERM; if `clew top`
 * crashes or is killed, the kernel sends this signal.
 */
static void become_recorder(char **argv, const char *said, pid_t top)
{
	const int out =
		open(said, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* `clew top` has ended before the call of prctl(). */
	if (getppid() != top)
		_exit(127);
	dup2(out, STDERR_FILENO);
	own_child_become(argv);
}

static char *said_path(const struct top_target *target)
{
	return memory_printf("%s/said", target->folder);
}

static int start_recorder(struct top_target *target, char **argv, char **why)
{
	const pid_t top = getpid();
	char *said = said_path(target);

	target->recorder = fork();
	if (target->recorder == 0)
		become_recorder(argv, said, top);
	free(said);
	return target->recorder > 0
		       ? 0
		       : fail(why, -errno, "cannot create a process: %s",
			      strerror(errno));
}

/* Returns whether the part's process counts calls, or has counted some. */
static int is_counting(const char *path)
{
	struct part_copy part;
	char *why;
	int is;

	if (part_open(&part, path, &why) != 0) {
		free(why);
		return 0;
	}
	is = part.header->state >= WIRE_RUNNING;
	part_close(&part);
	return is;
}

/* Calls `found` for each part in the recording, until it returns nonzero. */
static void each_part(const struct top_target *target,
		      int (*found)(void *context, const char *path, pid_t pid),
		      void *context)
{
	DIR *folder = opendir(target->recording);
	struct dirent *entry;
	int is_done = 0;

	while (folder && !is_done && (entry = readdir(folder))) {
		const size_t length = strlen(entry->d_name);
		const long pid = strtol(entry->d_name, NULL, 10);
		char *path;

		if (pid <= 0 || length < strlen(WIRE_PART_SUFFIX) ||
		    strcmp(entry->d_name + length - strlen(WIRE_PART_SUFFIX),
			   WIRE_PART_SUFFIX) != 0)
			continue;
		path = memory_printf("%s/%s", target->recording, entry->d_name);
		is_done = found(context, path, (pid_t)pid);
		free(path);
	}
	if (folder)
		closedir(folder);
}

/*
 * Takes the part unless it cannot be read or its process has not begun to
 * count. Returns 1 if it takes the part, which ends the search.
 */
static int take_part(void *context, const char *path, pid_t pid)
{
	struct top_target *target = context;

	if (!is_counting(path))
		return 0;
	target->part = memory_string(path, strlen(path));
	target->pid = pid;
	return 1;
}

/*
 * Adds a part, unless the counts have it, it cannot be read, or its process has
 * not begun to count. Returns 0: the search continues.
 */
static int add_part(void *context, const char *path, pid_t pid)
{
	(void)pid;
	if (!live_counts_has(context, path) && is_counting(path))
		live_counts_add(context, path);
	return 0;
}

/*
 * Sets *why to the last line that the recorder has written, without its name,
 * or to "nothing was recorded". Returns -ECHILD.
 */
static int explain_end(const struct top_target *target, char **why)
{
	char *path = said_path(target), *line = NULL, *last = NULL;
	FILE *file = fopen(path, "re");
	size_t room = 0;
	const char *text = "nothing was recorded";

	free(path);
	while (file && getline(&line, &room, file) >= 0) {
		free(last);
		last = memory_string(line, strcspn(line, "\n"));
	}
	if (last && strstr(last, ": "))
		text = strstr(last, ": ") + 2;
	fail(why, -ECHILD, "%s", text);
	free(line);
	free(last);
	if (file)
		fclose(file);
	return -ECHILD;
}

/*
 * Waits until a part can be read. Returns 0; or -ECHILD and *why if the
 * recorder has ended before.
 */
static int await_part(struct top_target *target, char **why)
{
	const struct timespec moment = { .tv_nsec = 2000000 };
	int has_ended = 0;

	for (;;) {
		each_part(target, take_part, target);
		if (target->part)
			return 0;
		if (has_ended)
			return explain_end(target, why);
		has_ended = waitpid(target->recorder, NULL, WNOHANG) != 0;
		if (has_ended)
			target->recorder = 0;
		else
			nanosleep(&moment, NULL);
	}
}

/* Returns the option of `clew attach` for an item, which the caller frees. */
static char *option_of(const struct target_choice_item *item)
{
	switch (item->key) {
	case KEY_EXE:
		return memory_printf("--exe=%s", item->text);
	case KEY_PIDFILE:
		return memory_printf("--pidfile=%s", item->text);
	case KEY_CGROUP:
		return memory_printf("--cgroup=%s", item->text);
	default:
		return memory_printf("%d", item->pid);
	}
}

static char *joined(char *const *words)
{
	char *line = memory_string("", 0);

	for (; *words; words++) {
		char *longer =
			memory_printf("%s%s%s", line, *line ? " " : "", *words);

		free(line);
		line = longer;
	}
	return text_printable(line);
}

/* Starts `clew attach`, which chooses the processes as it does for users. */
static int open_attached(struct top_target *target,
			 const struct target_choice *choice, char **why)
{
	static const char *const words[] = { "clew", "attach", "-q", "-o" };
	enum { WORDS = 4 };
	char **argv = memory_zeroed(choice->count + WORDS + 3, sizeof(*argv));
	size_t count = WORDS + 1;
	int err;

	for (int i = 0; i < WORDS; i++)
		argv[i] = memory_string(words[i], strlen(words[i]));
	argv[WORDS] = memory_printf("%s", target->recording);
	for (size_t i = 0; i < choice->count; i++)
		argv[count++] = option_of(&choice->items[i]);
	if (choice->has_children)
		argv[count++] = memory_printf("--children");
	err = start_recorder(target, argv, why);
	target->command = choice->count == 1 && choice->items[0].pid &&
					  !choice->has_children
				  ? live_process_command(choice->items[0].pid)
				  : joined(argv + WORDS + 1);
	if (!err)
		err = await_part(target, why);
	for (size_t i = 0; i < count; i++)
		free(argv[i]);
	free(argv);
	return err;
}

static int open_started(struct top_target *target, char **command, char **why)
{
	static const char *const words[] = { "clew", "record", "-q", "-o" };
	enum { WORDS = 4 };
	size_t count = 0;
	char **argv;
	int err;

	target->is_started = 1;

	while (command[count])
		count++;
	argv = memory_zeroed(count + WORDS + 3, sizeof(*argv));
	for (int i = 0; i < WORDS; i++)
		argv[i] = memory_string(words[i], strlen(words[i]));
	argv[WORDS] = target->recording;
	argv[WORDS + 1] = memory_string("--", 2);
	for (size_t i = 0; i < count; i++)
		argv[WORDS + 2 + i] = command[i];
	target->command = joined(command);
	err = start_recorder(target, argv, why);
	for (int i = 0; i < WORDS; i++)
		free(argv[i]);
	free(argv[WORDS + 1]);
	free(argv);
	return err ? err : await_part(target, why);
}

/* ---- Public functions ---- */

int top_target_open(struct top_target *target,
		    const struct target_choice *choice, char **command,
		    char **why)
{
	const int is_one = !command && choice->count == 1 &&
			   choice->items[0].pid && !choice->has_children;
	int err;

	*target = (struct top_target){ .pidfd = -1 };
	if (is_one) {
		err = open_recorded(target, choice->items[0].pid, why);
		if (err != -ENOENT)
			return err;
		free(*why);
	}
	err = make_folder(target, why);
	if (!err)
		err = command ? open_started(target, command, why)
			      : open_attached(target, choice, why);
	if (err)
		top_target_close(target);
	return err;
}

void top_target_add_parts(const struct top_target *target,
			  struct live_counts *counts)
{
	/* A recording of the user may have other processes. */
	if (target->folder)
		each_part(target, add_part, counts);
	else if (!counts->part_count)
		live_counts_add(counts, target->part);
}

static void remove_folder(struct top_target *target)
{
	char *said = said_path(target);

	output_remove(target->recording);
	unlink(said);
	rmdir(target->folder);
	free(said);
}

/* Kills the process if it is a child of `parent`, which is our child. */
static void kill_child(pid_t parent, pid_t pid)
{
	const int pidfd = pidfd_of(pid);

	/*
	 * If the process of the pidfd exits here, the parent may be that of a
	 * later process with this pid. The signal then reaches no process.
	 */
	if (pidfd >= 0 && target_status(pid, "PPid", 10) == parent)
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	close_pidfd(pidfd);
}

/* Kills all children of the recorder: the program that it has started. */
static void kill_program(pid_t recorder)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0)
			kill_child(recorder, pid);
	}
	if (folder)
		closedir(folder);
}

/*
 * Ends the recorder, which passes the signal on to a program that it started.
 * Returns whether it has ended.
 */
static int end_recorder(const struct top_target *target)
{
	const struct timespec moment = { .tv_nsec = 5000000 };

	kill(target->recorder, SIGTERM);
	for (int i = 0; i < PATIENCE_MAX; i++) {
		if (waitpid(target->recorder, NULL, WNOHANG) != 0)
			return 1;
		if (target->is_started && i == PATIENCE)
			kill_program(target->recorder);
		nanosleep(&moment, NULL);
	}
	complain("clew top",
		 "process %d, which records, has not ended after %d seconds; "
		 "its recording remains in %s",
		 target->recorder, PATIENCE_MAX / 200, target->folder);
	return 0;
}

void top_target_close(struct top_target *target)
{
	const int has_ended = target->recorder <= 0 || end_recorder(target);

	if (target->folder && has_ended)
		remove_folder(target);
	close_pidfd(target->pidfd);
	free(target->folder);
	free(target->command);
	free(target->recording);
	free(target->part);
	*target = (struct top_target){ .pidfd = -1 };
}

int top_target_is_alive(struct top_target *target)
{
	struct pollfd end = { .fd = target->pidfd, .events = POLLIN };

	if (target->pidfd >= 0)
		return poll(&end, 1, 0) <= 0;
	if (!target->folder)
		return kill(target->pid, 0) == 0 || errno == EPERM;
	/* The recorder ends after the last process. */
	if (target->recorder > 0 &&
	    waitpid(target->recorder, NULL, WNOHANG) != 0)
		target->recorder = 0;
	return target->recorder > 0;
}
