/* SPDX-License-Identifier: MIT */
#include "preload/exec.h"

#include <alloca.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "preload/config.h"
#include "preload/next.h"
#include "preload/text.h"
#include "preload/trap.h"

#define DIR_PREFIX     CONFIG_DIR_VARIABLE "="
#define PRELOAD_PREFIX "LD_PRELOAD="
#define LIBRARY_NAME   "libclew.so"

/* Ours, as "NAME=value"; empty when nothing is handed on. */
static struct {
	char dir[PATH_MAX + sizeof(DIR_PREFIX)];
	char preload[PATH_MAX + sizeof(PRELOAD_PREFIX)]; /* us alone */
} kept;

static int has_prefix(const char *string, const char *prefix)
{
	while (*prefix)
		if (*string++ != *prefix++)
			return 0;
	return 1;
}

/* The element of a colon- or blank-separated list that is our library. */
static const char *find_library(const char *list, size_t *length)
{
	for (;; list += *length + 1) {
		const char *name;

		*length = strcspn(list, ": ");
		name = list + *length;
		while (name > list && name[-1] != '/')
			name--;
		if (*length - (size_t)(name - list) >= strlen(LIBRARY_NAME) &&
		    has_prefix(name, LIBRARY_NAME))
			return list;
		if (!list[*length])
			return NULL;
	}
}

void exec_keep_environment(char **environment)
{
	for (; *environment; environment++) {
		const char *entry = *environment, *library;
		struct text text;
		size_t length;

		if (has_prefix(entry, DIR_PREFIX)) {
			text = text_in(kept.dir, sizeof(kept.dir));
			text_string(&text, entry);
		}
		if (!has_prefix(entry, PRELOAD_PREFIX))
			continue;
		library = find_library(entry + strlen(PRELOAD_PREFIX), &length);
		if (!library)
			continue;
		text = text_in(kept.preload, sizeof(kept.preload));
		text_string(&text, PRELOAD_PREFIX);
		while (library && length--)
			text_char(&text, *library++);
	}
}

void exec_clean_environment(char **environment)
{
	char **to = environment;

	for (; *environment; environment++) {
		char *entry = *environment, *library;
		size_t length;

		if (has_prefix(entry, DIR_PREFIX))
			continue;
		if (has_prefix(entry, PRELOAD_PREFIX)) {
			char *list = entry + strlen(PRELOAD_PREFIX);

			library = (char *)find_library(list, &length);
			if (library) {
				length += library[length] != '\0';
				memmove(library, library + length,
					strlen(library + length) + 1);
			}
			if (!*list)
				continue;
		}
		*to++ = entry;
	}
	*to = NULL;
}

/* ---- The program's environment, completed ---- */

struct missing {
	int dir, preload;
	size_t count;          /* of entries that there are */
	const char *preloaded; /* the program's own LD_PRELOAD list */
};

static struct missing find_missing(char *const environment[])
{
	struct missing missing = { .dir = *kept.dir != '\0',
				   .preload = *kept.preload != '\0' };
	size_t length;

	for (; environment && environment[missing.count]; missing.count++) {
		const char *entry = environment[missing.count];

		if (has_prefix(entry, DIR_PREFIX))
			missing.dir = 0;
		if (!has_prefix(entry, PRELOAD_PREFIX))
			continue;
		missing.preloaded = entry + strlen(PRELOAD_PREFIX);
		if (find_library(missing.preloaded, &length))
			missing.preload = 0;
	}
	return missing;
}

/* Bytes for complete()'s array and string. */
static size_t completed_bytes(const struct missing *missing)
{
	size_t list = missing->preloaded ? strlen(missing->preloaded) : 0;

	return (missing->count + 3) * sizeof(char *) + sizeof(kept.preload) +
	       list + 2;
}

static char **complete(const struct missing *missing, char *const old[],
		       void *memory)
{
	char **environment = memory;
	size_t n = 0;

	for (size_t i = 0; i < missing->count; i++)
		if (!missing->preload || !has_prefix(old[i], PRELOAD_PREFIX))
			environment[n++] = old[i];
	if (missing->dir)
		environment[n++] = kept.dir;
	if (missing->preload) {
		char *entry = (char *)(environment + missing->count + 3);
		struct text text = text_in(entry, SIZE_MAX);

		text_string(&text, kept.preload);
		if (missing->preloaded && *missing->preloaded) {
			text_char(&text, ':');
			text_string(&text, missing->preloaded);
		}
		environment[n++] = entry;
	}
	environment[n] = NULL;
	return environment;
}

/* The environment to exec with; on our caller's stack, as exec must be. */
#define COMPLETED(environment)                                                 \
	({                                                                     \
		struct missing missing_ = find_missing(environment);           \
		missing_.dir || missing_.preload                               \
			? complete(&missing_, environment,                     \
				   alloca(completed_bytes(&missing_)))         \
			: (char **)(environment);                              \
	})

/* Executes with the mask that the program means (trap.h). */
#define WITH_MASK(call)                                                        \
	({                                                                     \
		const uint64_t begun_ = trap_begin_exec();                     \
		const int result_ = (call);                                    \
		trap_end_exec(begun_);                                         \
		result_;                                                       \
	})

/* ---- In front of libc ---- */

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return WITH_MASK(NEXT(execve)(path, argv, COMPLETED(envp)));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return WITH_MASK(NEXT(execvpe)(file, argv, COMPLETED(envp)));
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return WITH_MASK(NEXT(fexecve)(fd, argv, COMPLETED(envp)));
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Collect the arguments of an execl into an array on the caller's stack. */
#define COLLECT(argv, first, arguments)                                        \
	do {                                                                   \
		va_list counting_;                                             \
		size_t count_ = 1;                                             \
		va_start(counting_, first);                                    \
		while (va_arg(counting_, char *))                              \
			count_++;                                              \
		va_end(counting_);                                             \
		argv = alloca((count_ + 1) * sizeof(*argv));                   \
		argv[0] = (char *)first;                                       \
		va_start(arguments, first);                                    \
		for (size_t i_ = 1; i_ <= count_; i_++)                        \
			argv[i_] = va_arg(arguments, char *);                  \
	} while (0)

EXPORT int execl(const char *path, const char *argument, ...)
{
	va_list arguments;
	char **argv;

	COLLECT(argv, argument, arguments);
	va_end(arguments);
	return execv(path, argv);
}

EXPORT int execlp(const char *file, const char *argument, ...)
{
	va_list arguments;
	char **argv;

	COLLECT(argv, argument, arguments);
	va_end(arguments);
	return execvp(file, argv);
}

EXPORT int execle(const char *path, const char *argument, ...)
{
	va_list arguments;
	char **argv, **envp;

	COLLECT(argv, argument, arguments);
	envp = va_arg(arguments, char **);
	va_end(arguments);
	return execve(path, argv, envp);
}

EXPORT int posix_spawn(pid_t *pid, const char *path,
		       const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes, char *const argv[],
		       char *const envp[])
{
	return WITH_MASK(NEXT(posix_spawn)(pid, path, actions, attributes, argv,
					   COMPLETED(envp)));
}

EXPORT int posix_spawnp(pid_t *pid, const char *file,
			const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const argv[],
			char *const envp[])
{
	return WITH_MASK(NEXT(posix_spawnp)(pid, file, actions, attributes,
					    argv, COMPLETED(envp)));
}
