/* SPDX-License-Identifier: MIT */
/* See library.h. */
#include "cli/common/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "wire/deputy_order.h"

#define LIBRARY_VARIABLE "CLEW_LIBRARY"
#define LOADED           "loaded"

/* Returns the folder of this program, or NULL. The caller frees it. */
static char *own_folder(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length <= 0)
		return NULL;
	path[length] = '\0';
	*strrchr(path, '/') = '\0';
	return memory_string(path, strlen(path));
}

/* Returns the library next to this program, or NULL. The caller frees it. */
static char *find_beside(void)
{
	static const char *const places[] = {
		"../preload/libclew.so", /* In the build tree. */
		LIBRARY_NAME,
		CLEW_LIBRARY_FOLDER "/libclew.so",
	};
	char *folder = own_folder();
	char *found = NULL;

	for (size_t i = 0;
	     folder && !found && i < sizeof(places) / sizeof(*places); i++) {
		char *place = memory_printf("%s/%s", folder, places[i]);

		found = realpath(place, NULL);
		free(place);
	}
	free(folder);
	return found;
}

int library_find(char **path, char **why)
{
	const char *wanted = getenv(LIBRARY_VARIABLE);
	char *found = wanted ? realpath(wanted, NULL) : find_beside();

	if (!found && wanted)
		return fail(why, -errno, "%s: %s", wanted, strerror(errno));
	if (!found)
		return fail(why, -ENOENT,
			    "libclew.so was not found beside clew; "
			    "set " LIBRARY_VARIABLE);
	if (found[strcspn(found, " :")] != '\0') {
		fail(why, -EINVAL,
		     "%s: the path of libclew.so must not contain a blank or a "
		     "colon, because LD_PRELOAD separates paths by them; "
		     "install clew elsewhere",
		     found);
		free(found);
		return -EINVAL;
	}
	*path = found;
	return 0;
}

/*
 * Runs in a child. Writes LOADED or the loader's error to the pipe, or nothing
 * if loading ends the process.
 */
_Noreturn static void load(const char *path, int pipe_fd)
{
	static const struct rlimit no_core;
	const char *text = LOADED;

	setrlimit(RLIMIT_CORE, &no_core);
	if (!dlopen(path, RTLD_NOW | RTLD_LOCAL))
		text = dlerror();
	if (write(pipe_fd, text, strlen(text)) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

/*
 * Returns whether a debugger traces clew. It may follow the first child of
 * clew, to reach the program, and a child that it does not follow dies at the
 * debugger's breakpoints in the loader.
 */
static int is_traced(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int tracer = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (file)
		fclose(file);
	return tracer != 0;
}

/* Loads the library in a child process. Returns 0, or -errno and *why. */
static int check_loading(const char *path, char **why)
{
	char text[PATH_MAX + 200] = "";
	int pipe_fds[2];
	ssize_t length;
	pid_t child;

	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return fail(why, -errno, "a pipe cannot be created: %s",
			    strerror(errno));
	child = fork();
	if (child == 0)
		load(path, pipe_fds[1]);
	close(pipe_fds[1]);
	length = child > 0 ? read(pipe_fds[0], text, sizeof(text) - 1) : -1;
	close(pipe_fds[0]);
	if (length < 0)
		return fail(why, -EAGAIN, "a process cannot be created");
	waitpid(child, NULL, 0);
	if (length == 0)
		return fail(why, -ELIBBAD,
			    "%s is damaged: a process that loads it dies; "
			    "install clew again",
			    path);
	if (strcmp(text, LOADED) != 0)
		return fail(why, -ELIBACC,
			    "the dynamic loader cannot load %s; install clew "
			    "again, or on another file system",
			    text);
	return 0;
}

/*
 * Stores the path `found` in *path if the library can be loaded, and frees it
 * otherwise. Returns 0, or -errno and *why.
 */
static int take_loadable(char *found, char **path, char **why)
{
	const int err = is_traced() ? 0 : check_loading(found, why);

	if (err)
		free(found);
	else
		*path = found;
	return err;
}

int library_find_loadable(char **path, char **why)
{
	char *found;
	const int err = library_find(&found, why);

	return err ? err : take_loadable(found, path, why);
}

/* Returns the path of a file in the folder of the library `path`. */
static char *file_beside(const char *path, const char *name)
{
	return memory_printf("%.*s/%s", (int)(strrchr(path, '/') - path), path,
			     name);
}

int library_find_in_blocks(const char *path, char **other, char **why)
{
	return take_loadable(file_beside(path, "in-blocks/" LIBRARY_NAME),
			     other, why);
}

int library_find_deputy(char **path, char **why)
{
	char *first, *place;
	int err = library_find(&first, why);

	if (err)
		return err;
	place = file_beside(first, DEPUTY_LIBRARY);
	*path = realpath(place, NULL);
	if (!*path)
		err = fail(why, -errno, "%s: %s", place, strerror(errno));
	free(place);
	free(first);
	return err;
}
