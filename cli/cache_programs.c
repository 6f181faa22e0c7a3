/* SPDX-License-Identifier: MIT */
#include "cli/cache_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/executable.h"
#include "cli/launch.h"
#include "cli/library.h"
#include "cli/output.h"

struct cached_programs {
	char *const *paths;
	char *library;
	char *folder; /* for recordings, of which nothing stays */
	const char *cache_folder;
	pid_t *pids; /* who loads which; 0: nobody */
	uint32_t running;
};

/* What the loader says of one that it cannot load it has said before. */
static void say_nothing(void)
{
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
}

/* In a process of its own: its exit status. */
static int load(const struct cached_programs *programs, size_t number)
{
	char *directives = memory_printf("time none\nonly-warm\ncache %s\n",
					 programs->cache_folder);
	char *path = memory_printf("%s/%zu", programs->folder, number);
	char *argv[] = { programs->paths[number], NULL };
	struct launch job = { .argv = argv, .library = programs->library };
	struct output output;
	struct launch_outcome outcome = { .status = -1 };
	char *why;

	say_nothing();
	if (output_create(&output, path, directives, &why) != 0)
		return EXIT_FAILURE;
	job.output = output.directory;
	if (launch(&job, &outcome) != 0 || outcome.exec_error)
		outcome.status = -1;
	output_undo(&output);
	return outcome.status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int can_be_loaded(const char *path)
{
	char *obstacle = executable_obstacle(path);

	free(obstacle);
	return !obstacle && executable_is_elf(path);
}

static void begin_one(struct cached_programs *programs, size_t number)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(load(programs, number));
	if (pid < 0)
		return;
	programs->pids[number] = pid;
	programs->running++;
}

static void await_any(struct cached_programs *programs, size_t count,
		      uint8_t *is_kept)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	if (pid < 0)
		programs->running = 0;
	for (size_t i = 0; pid > 0 && i < count; i++) {
		if (programs->pids[i] != pid)
			continue;
		is_kept[i] = status == 0;
		programs->pids[i] = 0;
		programs->running--;
	}
}

static void load_all(struct cached_programs *programs, size_t count,
		     uint32_t jobs, uint8_t *is_kept)
{
	for (size_t i = 0; i < count; i++) {
		if (!can_be_loaded(programs->paths[i]))
			continue;
		while (programs->running >= jobs)
			await_any(programs, count, is_kept);
		begin_one(programs, i);
	}
	while (programs->running)
		await_any(programs, count, is_kept);
}

int cache_programs(char *const *paths, size_t count, uint32_t jobs,
		   const char *cache_folder, uint8_t *is_kept, char **why)
{
	const char *temporary = getenv("TMPDIR");
	struct cached_programs programs = { .paths = paths,
					    .cache_folder = cache_folder };
	int err = library_find(&programs.library, why);

	if (err)
		return err;
	programs.folder = memory_printf(
		"%s/clew-warm-XXXXXX",
		temporary && *temporary == '/' ? temporary : "/tmp");
	if (!mkdtemp(programs.folder)) {
		err = fail(why, -errno, "%s cannot be made", programs.folder);
	} else {
		programs.pids = memory_zeroed(count, sizeof(*programs.pids));
		load_all(&programs, count, jobs, is_kept);
		free(programs.pids);
		rmdir(programs.folder);
	}
	free(programs.folder);
	free(programs.library);
	return err;
}
