/* SPDX-License-Identifier: MIT */
/* See top_target.h. */
#include "cli/show/top_target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/output.h"
#include "cli/target/live_process.h"
#include "report/recording/part_reader.h"

/* How long a program may ignore SIGTERM, two seconds, in steps of 5 ms. */
enum { PATIENCE = 400 };

/* ---- Processes that are already recorded ---- */

static int open_recorded(struct top_target *target, pid_t pid, char **why)
{
	struct live_process process;
	int err = live_process_init(&process, pid, why);

	if (err)
		return err;
	*target = (struct top_target){
		.pid = pid,
		.command = process.command,
		.recording = process.recording,
		.part = process.part,
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
 * Becomes the recorder, in a process group of its own: ^C goes to `clew top`,
 * which ends the recorder.
 */
static void become_recorder(char **argv, const char *said)
{
	int null = open("/dev/null", O_RDWR);
	int out = open(said, O_WRONLY | O_CREAT | O_EXCL, 0600);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execv("/proc/self/exe", argv);
	_exit(127);
}

static char *said_path(const struct top_target *target)
{
	return memory_printf("%s/said", target->folder);
}

static int start_recorder(struct top_target *target, char **argv, char **why)
{
	char *said = said_path(target);

	target->recorder = fork();
	if (target->recorder == 0)
		become_recorder(argv, said);
	free(said);
	return target->recorder > 0
		       ? 0
		       : fail(why, -errno, "cannot create a process: %s",
			      strerror(errno));
}

/*
 * Returns the first part in the recording and stores its pid, or returns NULL
 * if there is none yet.
 */
static char *find_part(const struct top_target *target, pid_t *pid)
{
	DIR *folder = opendir(target->recording);
	struct dirent *entry;
	char *found = NULL;

	while (folder && !found && (entry = readdir(folder))) {
		char *end;
		const long number = strtol(entry->d_name, &end, 10);

		if (number <= 0 || strcmp(end, ".0" WIRE_PART_SUFFIX) != 0)
			continue;
		*pid = (pid_t)number;
		found = memory_printf("%s/%s", target->recording,
				      entry->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* Returns whether the part is in use. */
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

/*
 * Sets *why to the last line that the recorder has written, without its name.
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

/* Waits until a part can be read. */
static int await_part(struct top_target *target, char **why)
{
	const struct timespec moment = { .tv_nsec = 2000000 };
	int has_ended = 0;

	for (;;) {
		target->part = find_part(target, &target->pid);
		if (target->part && is_counting(target->part))
			return 0;
		free(target->part);
		target->part = NULL;
		if (has_ended)
			return explain_end(target, why);
		has_ended = waitpid(target->recorder, NULL, WNOHANG) != 0;
		if (has_ended)
			target->recorder = 0;
		else
			nanosleep(&moment, NULL);
	}
}

static int open_attached(struct top_target *target, pid_t pid, char **why)
{
	char name[] = "clew", attach[] = "attach", quiet[] = "-q", to[] = "-o";
	char *number = memory_printf("%d", pid);
	char *argv[] = { name,   attach, quiet, to, target->recording,
			 number, NULL };
	int err = start_recorder(target, argv, why);

	target->command = live_process_command(pid);
	if (!err)
		err = await_part(target, why);
	free(number);
	return err;
}

static char *command_line(char **command)
{
	char *line = memory_string("", 0);

	for (; *command; command++) {
		char *longer = memory_printf("%s%s%s", line, *line ? " " : "",
					     *command);

		free(line);
		line = longer;
	}
	return text_printable(line);
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
	target->command = command_line(command);
	err = start_recorder(target, argv, why);
	for (int i = 0; i < WORDS; i++)
		free(argv[i]);
	free(argv[WORDS + 1]);
	free(argv);
	return err ? err : await_part(target, why);
}

/* ---- Public functions ---- */

int top_target_open(struct top_target *target, pid_t pid, char **command,
		    char **why)
{
	int err;

	*target = (struct top_target){ 0 };
	if (pid) {
		err = open_recorded(target, pid, why);
		if (err != -ENOENT)
			return err;
		free(*why);
	}
	err = make_folder(target, why);
	if (!err)
		err = pid ? open_attached(target, pid, why)
			  : open_started(target, command, why);
	if (err)
		top_target_close(target);
	return err;
}

static void remove_folder(struct top_target *target)
{
	char *said = said_path(target);

	output_remove(target->recording);
	unlink(said);
	rmdir(target->folder);
	free(said);
}

/*
 * Ends the recorder, which passes the signal on to a program that it started.
 */
static void end_recorder(const struct top_target *target)
{
	const struct timespec moment = { .tv_nsec = 5000000 };

	kill(target->recorder, SIGTERM);
	for (int i = 0; waitpid(target->recorder, NULL, WNOHANG) == 0; i++) {
		if (target->is_started && i == PATIENCE)
			kill(target->pid, SIGKILL);
		nanosleep(&moment, NULL);
	}
}

void top_target_close(struct top_target *target)
{
	if (target->recorder > 0)
		end_recorder(target);
	if (target->folder)
		remove_folder(target);
	free(target->folder);
	free(target->command);
	free(target->recording);
	free(target->part);
	*target = (struct top_target){ 0 };
}

int top_target_is_alive(const struct top_target *target)
{
	return kill(target->pid, 0) == 0 || errno == EPERM;
}
