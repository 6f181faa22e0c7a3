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
#include "base/now.h"
#include "cli/common/command.h"
#include "cli/common/output.h"
#include "cli/common/own_child.h"
#include "cli/target/live_process.h"
#include "cli/target/target.h"
#include "report/recording/part_reader.h"

#define COMMAND "clew top"

/* Times to wait after SIGTERM. */
enum {
	/* until the program that was started is killed */
	PATIENCE_S = 2,
	/*
	 * Until the recorder is left alone: clew attach may need ten seconds to
	 * detach. A killed process in an uninterruptible system call ends after
	 * that call.
	 */
	PATIENCE_MAX_S = 15,
};

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

/*
 * Takes the part unless it cannot be read or its process has not begun to
 * count. Returns 1 if it takes the part, which ends the search.
 */
static int take_part(void *context, const char *path, pid_t pid)
{
	struct top_target *target = context;

	if (!top_part_is_counting(path))
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
	if (!live_counts_has(context, path) && top_part_is_counting(path))
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
 * Prints the messages of `clew attach`, for example why it could not attach to
 * one of several processes.
 */
static void repeat_refusals(const struct top_target *target)
{
	char *path = said_path(target), *line = NULL;
	FILE *file = fopen(path, "re");
	size_t room = 0;

	free(path);
	while (file && getline(&line, &room, file) >= 0) {
		const char *text = strstr(line, ": ");

		line[strcspn(line, "\n")] = '\0';
		if (text)
			complain(COMMAND, "%s", text + 2);
	}
	free(line);
	if (file)
		fclose(file);
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
		top_each_part(target->recording, take_part, target);
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

/* Stores the options of `clew attach`. Returns their number. */
static size_t options_of(const struct target_choice *choice, char **words)
{
	size_t count = 0;

	for (size_t i = 0; i < choice->count; i++)
		words[count++] = option_of(&choice->items[i]);
	if (choice->has_children)
		words[count++] = memory_printf("--children");
	return count;
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

/*
 * Starts `clew attach`, which chooses the processes as it does for users, or
 * with `pids` only attaches to those.
 */
static int open_attached(struct top_target *target,
			 const struct target_choice *choice,
			 const struct chosen *pids, char **why)
{
	static const char *const words[] = { "clew", "attach", "-q", "-o" };
	enum { WORDS = 4 };
	const size_t room = choice->count + (pids ? pids->count : 0);
	char **argv = memory_zeroed(room + WORDS + 3, sizeof(*argv));
	size_t count = WORDS + 1;
	int err;

	for (int i = 0; i < WORDS; i++)
		argv[i] = memory_string(words[i], strlen(words[i]));
	argv[WORDS] = memory_printf("%s", target->recording);
	for (size_t i = 0; pids && i < pids->count; i++)
		argv[count++] = memory_printf("%d", pids->items[i].pid);
	if (!pids)
		count += options_of(choice, argv + count);
	err = start_recorder(target, argv, why);
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

/* ---- Opening ---- */

static void remove_folder(struct top_target *target)
{
	char *said = said_path(target);

	char *recording = memory_printf("%s/clew.out", target->folder);

	output_remove(recording);
	unlink(said);
	rmdir(target->folder);
	free(recording);
	free(said);
	free(target->folder);
	target->folder = NULL;
}

/* Returns whether the user has chosen one process, by its pid. */
static int is_one(const struct target_choice *choice)
{
	return choice->count == 1 && choice->items[0].pid &&
	       !choice->has_children;
}

/* Returns the line that describes the processes; the caller frees it. */
static char *describe(const struct target_choice *choice)
{
	char **words = memory_zeroed(choice->count + 2, sizeof(*words));
	char *text;

	if (is_one(choice)) {
		free(words);
		return live_process_command(choice->items[0].pid);
	}
	options_of(choice, words);
	text = joined(words);
	for (size_t i = 0; words[i]; i++)
		free(words[i]);
	free(words);
	return text;
}

/*
 * Removes the processes from `chosen` that are recorded already, and adds them
 * to the target. Returns 0; or -errno and *why if it is unknown whether the
 * only process is recorded.
 */
static int take_recorded(struct top_target *target, struct chosen *chosen,
			 char **why)
{
	size_t kept = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct chosen_process process = chosen->items[i];
		const int err =
			top_recorded_add(&target->recorded, process.pid, why);

		if (err && err != -ENOENT && is_one(target->choice))
			return err;
		if (!err)
			continue;
		free(*why);
		chosen->items[kept++] = process;
	}
	chosen->count = kept;
	return 0;
}

/* Reads the recording, or the first of several, of the recorded processes. */
static void take_recording(struct top_target *target)
{
	const struct top_recorded *recorded = &target->recorded;
	const char *part = recorded->parts.items[0];
	const char *recording = recorded->recordings.items[0];

	target->pid = recorded->items[0].pid;
	target->part = memory_string(part, strlen(part));
	target->recording = memory_string(recording, strlen(recording));
}

/*
 * Attaches to processes. If this is not possible, but other chosen processes
 * are recorded already, prints why and succeeds.
 */
static int attach(struct top_target *target, const struct target_choice *choice,
		  const struct chosen *chosen, char **why)
{
	const int has_others = target->recorded.count > 0;
	int err = make_folder(target, why);

	if (err)
		return err;
	err = open_attached(target, choice, has_others ? chosen : NULL, why);
	if (!err || !has_others)
		return err;
	complain(COMMAND, "%s", *why);
	free(*why);
	free(target->recording);
	target->recording = NULL;
	remove_folder(target);
	return 0;
}

/* Opens the chosen processes: those that are recorded, and all others. */
static int open_chosen(struct top_target *target,
		       const struct target_choice *choice, char **why)
{
	struct chosen chosen;
	int err = target_choice_find(choice, &chosen, why);

	if (err)
		return err;
	target->choice = choice;
	target->command = describe(choice);
	err = take_recorded(target, &chosen, why);
	if (!err && chosen.count > 0)
		err = attach(target, choice, &chosen, why);
	if (!err && !target->part)
		take_recording(target);
	free(chosen.items);
	return err;
}

static int open_command(struct top_target *target, char **command, char **why)
{
	const int err = make_folder(target, why);

	return err ? err : open_started(target, command, why);
}

/* ---- Public functions ---- */

int top_target_open(struct top_target *target,
		    const struct target_choice *choice, char **command,
		    char **why)
{
	int err;

	*target = (struct top_target){ .patience_s = PATIENCE_MAX_S };
	err = command ? open_command(target, command, why)
		      : open_chosen(target, choice, why);
	if (err)
		top_target_close(target);
	return err;
}

void top_target_add_parts(struct top_target *target, struct live_counts *counts)
{
	struct top_recorded *recorded = &target->recorded;

	if (recorded->count && !is_one(target->choice))
		top_recorded_update(recorded, target->choice);
	for (size_t i = 0; i < recorded->parts.count; i++)
		if (!live_counts_has(counts, recorded->parts.items[i]))
			live_counts_add(counts, recorded->parts.items[i]);
	if (target->folder)
		top_each_part(target->recording, add_part, counts);
}

int top_target_has_several_recordings(const struct top_target *target)
{
	return target->recorded.recordings.count + (target->folder != NULL) > 1;
}

/* Kills the process if it is a child of `parent`, which is our child. */
static void kill_child(pid_t parent, pid_t pid)
{
	const int pidfd = top_pidfd_of(pid);

	/*
	 * If the process of the pidfd exits here, the parent may be that of a
	 * later process with this pid. The signal then reaches no process.
	 */
	if (pidfd >= 0 && target_status(pid, "PPid", 10) == parent)
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	top_pidfd_close(pidfd);
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
	const uint64_t start_ns = now_ns(CLOCK_MONOTONIC);
	const struct timespec moment = { .tv_nsec = 5000000 };
	uint64_t passed_s = 0;
	int is_killed = 0;

	kill(target->recorder, SIGTERM);
	while (passed_s < target->patience_s) {
		if (waitpid(target->recorder, NULL, WNOHANG) != 0)
			return 1;
		if (target->is_started && !is_killed &&
		    passed_s >= PATIENCE_S) {
			kill_program(target->recorder);
			is_killed = 1;
		}
		nanosleep(&moment, NULL);
		passed_s = (now_ns(CLOCK_MONOTONIC) - start_ns) / 1000000000;
	}
	complain(COMMAND,
		 "process %d, which records, has not ended after %u seconds; "
		 "its recording remains in %s",
		 target->recorder, target->patience_s, target->folder);
	return 0;
}

void top_target_close(struct top_target *target)
{
	const int has_ended = target->recorder <= 0 || end_recorder(target);

	if (target->folder && target->part && target->choice)
		repeat_refusals(target);
	if (target->folder && has_ended)
		remove_folder(target);
	top_recorded_fini(&target->recorded);
	free(target->folder);
	free(target->command);
	free(target->recording);
	free(target->part);
	*target = (struct top_target){ 0 };
}

int top_target_is_alive(struct top_target *target)
{
	/* The recorder ends after the last process. */
	if (target->recorder > 0 &&
	    waitpid(target->recorder, NULL, WNOHANG) != 0)
		target->recorder = 0;
	return target->recorder > 0 || top_recorded_is_alive(&target->recorded);
}
