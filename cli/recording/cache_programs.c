/* SPDX-License-Identifier: MIT */
/* See cache_programs.h. */
#include "cli/recording/cache_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/library.h"
#include "cli/common/output.h"
#include "cli/recording/launch.h"
#include "cli/recording/needed_libraries.h"
#include "cli/target/executable.h"
#include "wire/warmed.h"

struct cached_programs {
	char *const *paths;
	char *library;
	char *folder; /* Temporary folder for recordings. */
	const char *cache_folder;
	pid_t *pids; /* Process that warms each program; 0 if none. */
	uint32_t running;
};

static void discard_output(void)
{
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
}

/*
 * Returns the configuration for a program: among other directives, one `warm`
 * for each file that the loader would map, in the loader's order. Returns NULL
 * if a path contains a newline. The caller frees the text.
 */
static char *directives_for(const struct cached_programs *programs,
			    const char *path)
{
	char *text =
		memory_printf("time none\ncache %s\n", programs->cache_folder);
	struct needed_libraries needed;

	needed_libraries_find(&needed, path);
	for (size_t i = 0; i < needed.count && text; i++) {
		char *longer = strchr(needed.items[i].path, '\n')
				       ? NULL
				       : memory_printf("%swarm %s\n", text,
						       needed.items[i].path);

		free(text);
		text = longer;
	}
	needed_libraries_fini(&needed);
	return text;
}

/*
 * Warms the cache for one program. Runs clew itself with the library preloaded:
 * the library creates the stubs for the program's files and exits before
 * main(). Returns its exit status, or EXIT_FAILURE. Called in a child, because
 * it discards the output of the calling process.
 */
static int warm(const struct cached_programs *programs, size_t number)
{
	char *directives = directives_for(programs, programs->paths[number]);
	char *path = memory_printf("%s/%zu", programs->folder, number);
	char clew[] = "/proc/self/exe";
	char *argv[] = { clew, NULL };
	struct launch job = { .argv = argv, .library = programs->library };
	struct launch_outcome outcome = { .status = -1 };
	struct output output;
	char *why;

	discard_output();
	if (!directives || output_create(&output, path, directives, &why) != 0)
		return EXIT_FAILURE;
	job.output = output.directory;
	if (launch(&job, &outcome) != 0 || outcome.exec_error ||
	    !WIFEXITED(outcome.status))
		outcome.status = -1;
	output_undo(&output);
	output_fini(&output);
	return outcome.status < 0 ? EXIT_FAILURE : WEXITSTATUS(outcome.status);
}

static int can_be_recorded(const char *path)
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
		_exit(warm(programs, number));
	if (pid < 0)
		return;
	programs->pids[number] = pid;
	programs->running++;
}

/* Converts an exit status to enum cache_kept. */
static uint8_t kept_by(int status)
{
	const int kept = WEXITSTATUS(status) - WIRE_WARMED;

	if (!WIFEXITED(status) || kept < 0 || kept > WIRE_WARMED_ALL)
		return CACHE_FAILED;
	if (kept & WIRE_WARMED_NOTHING)
		return 0;
	if (!(kept & WIRE_WARMED_STUBS))
		return kept & WIRE_WARMED_BUSY ? CACHE_IS_BUSY : CACHE_FAILED;
	return kept & WIRE_WARMED_TEXT ? CACHE_HAS_STUBS | CACHE_HAS_TEXT
				       : CACHE_HAS_STUBS;
}

static void await_any(struct cached_programs *programs, size_t count,
		      uint8_t *kept)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	if (pid < 0)
		programs->running = 0;
	for (size_t i = 0; pid > 0 && i < count; i++) {
		if (programs->pids[i] != pid)
			continue;
		kept[i] = kept_by(status);
		programs->pids[i] = 0;
		programs->running--;
	}
}

static void warm_all(struct cached_programs *programs, size_t count,
		     uint32_t jobs, uint8_t *kept)
{
	for (size_t i = 0; i < count; i++) {
		if (!can_be_recorded(programs->paths[i]))
			continue;
		while (programs->running >= jobs)
			await_any(programs, count, kept);
		begin_one(programs, i);
	}
	while (programs->running)
		await_any(programs, count, kept);
}

int cache_programs(char *const *paths, size_t count, uint32_t jobs,
		   const char *cache_folder, uint8_t *kept, char **why)
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
		err = fail(why, -errno, "the folder %s cannot be created",
			   programs.folder);
	} else {
		programs.pids = memory_zeroed(count, sizeof(*programs.pids));
		warm_all(&programs, count, jobs, kept);
		free(programs.pids);
		rmdir(programs.folder);
	}
	free(programs.folder);
	free(programs.library);
	return err;
}
