/* SPDX-License-Identifier: MIT */
#include "cli/loaded_files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

static int is_there(char *const *list, size_t count, const char *text)
{
	for (size_t i = count; i-- > 0;)
		if (strcmp(list[i], text) == 0)
			return 1;
	return 0;
}

void loaded_files_add(struct loaded_files *files, const char *path)
{
	char *resolved = realpath(path, NULL);

	if (!resolved)
		resolved = memory_string(path, strlen(path));
	if (is_there(files->paths, files->count, resolved)) {
		free(resolved);
		return;
	}
	files->paths = memory_grow(files->paths, files->count, &files->capacity,
				   sizeof(*files->paths));
	files->paths[files->count++] = resolved;
}

static void add_missing(struct loaded_files *files, const char *name)
{
	if (is_there(files->missing, files->missing_count, name))
		return;
	files->missing =
		memory_grow(files->missing, files->missing_count,
			    &files->missing_capacity, sizeof(*files->missing));
	files->missing[files->missing_count++] =
		memory_string(name, strlen(name));
}

/* Of this program's: the same that would load what it is asked about. */
static int find_loader(struct dl_phdr_info *program, size_t size, void *found)
{
	(void)size;
	for (int i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_INTERP)
			*(const char **)found =
				(const char *)(program->dlpi_addr +
					       program->dlpi_phdr[i].p_vaddr);
	return 1; /* the program comes first, and suffices */
}

static int is_for_loader(const char *path)
{
	unsigned char head[EI_CLASS + 1] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);

	if (fd >= 0)
		close(fd);
	return got == sizeof(head) && memcmp(head, ELFMAG, SELFMAG) == 0 &&
	       head[EI_CLASS] == ELFCLASS64;
}

/*
 * "	NAME => PATH (0xADDRESS)", "	PATH (0xADDRESS)" or "	NAME => not found".
 * What has no path, like the vDSO, is no file.
 */
static void take_line(struct loaded_files *files, char *line)
{
	char *name = line + strspn(line, "\t ");
	char *arrow = strstr(name, " => ");
	char *path = arrow ? arrow + 4 : name;
	char *end = strstr(path, " (0x");

	if (arrow)
		*arrow = '\0';
	if (arrow && strncmp(path, "not found", 9) == 0)
		add_missing(files, name);
	if (!end || *path != '/')
		return;
	*end = '\0';
	loaded_files_add(files, path);
}

/* With which the loader lists what it would load, runs nothing, and ends. */
static char **tracing_environment(void)
{
	size_t count = 0;
	char **made;

	while (environ[count])
		count++;
	made = memory_zeroed(count + 2, sizeof(*made));
	made[0] = (char *)"LD_TRACE_LOADED_OBJECTS=1";
	memcpy(made + 1, environ, count * sizeof(*made));
	return made;
}

static int ask(const char *loader, const char *path, pid_t *pid, int *answer)
{
	char *argv[] = { (char *)loader, (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	char **variables;
	int ends[2];
	int err;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
					 O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	variables = tracing_environment();
	err = -posix_spawn(pid, loader, &actions, NULL, argv, variables);
	free(variables);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (err)
		close(ends[0]);
	*answer = ends[0];
	return err;
}

int loaded_files_add_needed(struct loaded_files *files, const char *path)
{
	char *resolved = realpath(path, NULL); /* it has a slash: no search */
	const char *loader = NULL;
	size_t capacity = 0;
	char *line = NULL;
	int answer = -1, err;
	FILE *lines;
	pid_t pid;

	dl_iterate_phdr(find_loader, &loader);
	if (!resolved || !loader || !is_for_loader(resolved)) {
		free(resolved);
		return loader ? 0 : -ENOENT;
	}
	err = ask(loader, resolved, &pid, &answer);
	free(resolved);
	if (err)
		return err;
	lines = fdopen(answer, "r");
	if (!lines)
		memory_exhausted();
	while (getline(&line, &capacity, lines) > 0)
		take_line(files, line);
	free(line);
	fclose(lines);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

void loaded_files_fini(struct loaded_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	for (size_t i = 0; i < files->missing_count; i++)
		free(files->missing[i]);
	free(files->paths);
	free(files->missing);
}
