/* SPDX-License-Identifier: MIT */
/* See class_archive.h. */
#include "jvm/class_archive.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "preload/sys/sys.h"

#define FILE_BYTES   16384 /* number of bytes that are read from a file */
#define OPTIONS_FILE "-XX:VMOptionsFile="

/*
 * Returns whether the text contains at least one of the options. The array of
 * options ends with NULL.
 */
static int mentions(const char *text, const char *const *options)
{
	for (; *options; options++)
		if (strstr(text, *options))
			return 1;
	return 0;
}

static int file_mentions(const char *path, const char *const *options)
{
	const int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	char text[FILE_BYTES];
	long bytes;

	if (fd < 0)
		return 0;
	bytes = sys_read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	if (bytes < 0)
		return 0;
	text[bytes] = '\0';
	return mentions(text, options);
}

/*
 * Returns whether an environment variable that the JVM itself reads contains an
 * option. The launcher reads JDK_JAVA_OPTIONS and passes these options as
 * arguments.
 */
static int environment_mentions(const char *const *options)
{
	static const char *const names[] = { "JAVA_TOOL_OPTIONS=",
					     "_JAVA_OPTIONS=" };

	for (char **entry = environ; entry && *entry; entry++)
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (!strncmp(*entry, names[i], strlen(names[i])) &&
			    mentions(*entry, options))
				return 1;
	return 0;
}

static int argument_mentions(const char *argument, const char *const *options)
{
	const size_t name = strlen(OPTIONS_FILE);

	if (!strncmp(argument, OPTIONS_FILE, name))
		return file_mentions(argument + name, options);
	for (; *options; options++)
		if (!strncmp(argument, *options, strlen(*options)))
			return 1;
	return 0;
}

static int are_given(const JavaVMInitArgs *given, const char *const *options)
{
	for (jint i = 0; i < given->nOptions; i++)
		if (given->options[i].optionString &&
		    argument_mentions(given->options[i].optionString, options))
			return 1;
	return environment_mentions(options);
}

int class_archive_is_written(const JavaVMInitArgs *given)
{
	static const char *const options[] = { "-XX:ArchiveClassesAtExit=",
					       "-XX:+AutoCreateSharedArchive",
					       "-Xshare:dump", NULL };

	return are_given(given, options);
}

/*
 * -Xshare and the options of AOT caches exclude each other. The result is NULL
 * if the JVM has to write an AOT cache, because -XX:AOTMode=off would prevent
 * that.
 */
const char *class_archive_off(const JavaVMInitArgs *given)
{
	static const char *const writers[] = { "-XX:AOTCacheOutput=",
					       "-XX:AOTMode=record",
					       "-XX:AOTMode=create", NULL };
	static const char *const aot[] = { "-XX:AOTCache=", "-XX:AOTMode=",
					   "-XX:AOTConfiguration=", NULL };

	if (are_given(given, writers))
		return NULL;
	return are_given(given, aot) ? "-XX:AOTMode=off" : "-Xshare:off";
}
