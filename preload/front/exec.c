/* SPDX-License-Identifier: MIT */
/* See exec.h. */
#include "preload/front/exec.h"

#include <alloca.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "preload/front/exec_mask.h"
#include "preload/front/exec_target.h"
#include "preload/host/config.h"
#include "preload/host/next.h"
#include "preload/hot/sink.h"
#include "preload/patch/trap.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "preload/time/events.h"

#define DIR_PREFIX     CONFIG_DIR_VARIABLE "="
#define PRELOAD_PREFIX "LD_PRELOAD="
#define LIBRARY_NAME   "libclew.so"

/*
 * clew's environment variables, in the form "NAME=value". Empty strings if they
 * are not passed on.
 */
static struct {
	char dir[PATH_MAX + sizeof(DIR_PREFIX)];
	/* LD_PRELOAD with this library only */
	char preload[PATH_MAX + sizeof(PRELOAD_PREFIX)];
} kept;

static int has_prefix(const char *string, const char *prefix)
{
	while (*prefix)
		if (*string++ != *prefix++)
			return 0;
	return 1;
}

/*
 * Returns the element of a list, separated by colons or blanks, that names this
 * library, or NULL.
 */
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
				if (!*list)
					continue;
			}
		}
		*to++ = entry;
	}
	*to = NULL;
}

/* ---- The program's environment, completed, or without clew ---- */

struct changes {
	int dir, preload; /* 1 for each variable that is missing */
	/* The library cannot be loaded there: remove both variables. */
	int unloadable;
	size_t count; /* number of existing entries */
	/* size of the LD_PRELOAD entries that have to be extended */
	size_t bytes;
};

/*
 * Returns whether the new program could not open the library, because this
 * process has changed its root or its user. The loader would then print an
 * error on stderr. The new program opens files as the real user, without
 * capabilities that this process may still have: that is what faccessat()
 * checks.
 */
static int is_unreachable(void)
{
	const char *path = kept.preload + strlen(PRELOAD_PREFIX);
	int err;

	if (!strchr(path, '/'))
		/*
		 * A name without a slash is searched by the loader; an empty
		 * one is not passed on.
		 */
		return 0;
	err = sys_access(path, R_OK);
	return err == -ENOENT || err == -EACCES || err == -ENOTDIR;
}

static struct changes find_changes(char *const environment[], int is_foreign)
{
	struct changes changes = { .dir = *kept.dir != '\0',
				   .preload = *kept.preload != '\0',
				   .unloadable =
					   is_foreign || is_unreachable() };
	size_t length;

	for (; environment && environment[changes.count]; changes.count++) {
		const char *entry = environment[changes.count];

		if (has_prefix(entry, DIR_PREFIX))
			changes.dir = 0;
		if (!has_prefix(entry, PRELOAD_PREFIX))
			continue;
		changes.bytes += strlen(entry) + 1;
		if (find_library(entry + strlen(PRELOAD_PREFIX), &length))
			changes.preload = 0;
	}
	return changes;
}

/*
 * Returns the size of changed()'s array and strings. They are on the stack,
 * which may be small, so only strings that change are copied.
 */
static size_t changed_bytes(const struct changes *changes)
{
	return (changes->count + 3) * sizeof(char *) + strlen(kept.preload) +
	       changes->bytes + 2;
}

static char **without_us(const struct changes *changes, char *const old[],
			 char **environment)
{
	char *strings = (char *)(environment + changes->count + 1);

	for (size_t i = 0; i < changes->count; i++) {
		environment[i] = old[i];
		if (!has_prefix(old[i], PRELOAD_PREFIX))
			continue;
		environment[i] = strings;
		strings = stpcpy(strings, old[i]) + 1;
	}
	environment[changes->count] = NULL;
	exec_clean_environment(environment);
	return environment;
}

static char **completed(const struct changes *changes, char *const old[],
			char **environment)
{
	const char *preloaded = NULL;
	size_t n = 0;

	for (size_t i = 0; i < changes->count; i++) {
		if (!changes->preload || !has_prefix(old[i], PRELOAD_PREFIX))
			environment[n++] = old[i];
		else
			preloaded = old[i] + strlen(PRELOAD_PREFIX);
	}
	if (changes->dir)
		environment[n++] = kept.dir;
	if (changes->preload) {
		char *entry = (char *)(environment + changes->count + 3);
		struct text text = text_in(entry, SIZE_MAX);

		text_string(&text, kept.preload);
		if (preloaded && *preloaded) {
			text_char(&text, ':');
			text_string(&text, preloaded);
		}
		environment[n++] = entry;
	}
	environment[n] = NULL;
	return environment;
}

static char **changed(const struct changes *changes, char *const old[],
		      void *memory)
{
	return changes->unloadable ? without_us(changes, old, memory)
				   : completed(changes, old, memory);
}

/*
 * Evaluates to the environment for exec. The array is allocated on the caller's
 * stack, because exec must not allocate other memory.
 */
#define HANDED_ON(environment, is_foreign)                                     \
	({                                                                     \
		struct changes changes_ = find_changes(                        \
			environment, *kept.preload && (is_foreign));           \
		changes_.dir || changes_.preload || changes_.unloadable        \
			? changed(&changes_, environment,                      \
				  alloca(changed_bytes(&changes_)))            \
			: (char **)(environment);                              \
	})

/*
 * Executes a program with the signal mask that this program has requested
 * (trap.h, exec_mask.h).
 */
#define WITH_MASK(call)                                                        \
	({                                                                     \
		events_end_own();                                              \
		const struct exec_mask opened_ = exec_mask_begin();            \
		const uint64_t begun_ = trap_begin_exec();                     \
		const int result_ = (call);                                    \
		trap_end_exec(begun_);                                         \
		exec_mask_end(opened_);                                        \
		sink_moved(0); /* a spawned child made calls */                \
		result_;                                                       \
	})

/* ---- Fronts ---- */

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return WITH_MASK(NEXT(execve)(
		path, argv, HANDED_ON(envp, exec_target_is_foreign(path))));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return WITH_MASK(NEXT(execvpe)(
		file, argv,
		HANDED_ON(envp, exec_target_is_foreign_by_name(file))));
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return WITH_MASK(NEXT(fexecve)(
		fd, argv, HANDED_ON(envp, exec_target_is_foreign_at(fd))));
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Collects the arguments of an execl in an array on the caller's stack. */
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
	return WITH_MASK(NEXT(posix_spawn)(
		pid, path, actions, attributes, argv,
		HANDED_ON(envp, exec_target_is_foreign(path))));
}

EXPORT int posix_spawnp(pid_t *pid, const char *file,
			const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const argv[],
			char *const envp[])
{
	return WITH_MASK(NEXT(posix_spawnp)(
		pid, file, actions, attributes, argv,
		HANDED_ON(envp, exec_target_is_foreign_by_name(file))));
}
