/* SPDX-License-Identifier: MIT */
#include "cli/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

/* As open(2) would have made it, where mkstemp(3) is more careful. */
static void set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

/* Links are followed: it is the file that is replaced. free() it. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : memory_string(path, strlen(path));
}

static int open_temporary(struct replacement *replacement)
{
	int fd;

	replacement->temporary = memory_printf("%s.XXXXXX", replacement->path);
	fd = mkostemp(replacement->temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	set_mode(fd);
	replacement->out = fdopen(fd, "w");
	return replacement->out ? 0 : -errno;
}

int replacement_begin(struct replacement *replacement, const char *path,
		      char **why)
{
	struct stat status;
	int err = 0;

	*replacement = (struct replacement){ .path = resolve(path) };
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		replacement->out = fopen(path, "we");
		err = replacement->out ? 0 : -errno;
	} else {
		err = open_temporary(replacement);
	}
	if (!err)
		return 0;
	fail(why, err, "%s: %s", path, strerror(-err));
	free(replacement->temporary);
	free(replacement->path);
	return err;
}

static void remove_temporary(struct replacement *replacement)
{
	if (replacement->temporary)
		unlink(replacement->temporary);
	free(replacement->temporary);
	free(replacement->path);
}

/*
 * 0, or why not all was written. stdio remembers that a write failed and not
 * why, but where nothing fits one byte more does not, either.
 */
static int flush(FILE *out)
{
	if (fflush(out) != 0)
		return -errno;
	if (!ferror(out))
		return 0;
	return write(fileno(out), "", 1) < 0 ? -errno : -EIO;
}

int replacement_commit(struct replacement *replacement, char **why)
{
	int err = flush(replacement->out);

	if (fclose(replacement->out) != 0 && !err)
		err = -errno;
	if (!err && replacement->temporary &&
	    rename(replacement->temporary, replacement->path) != 0)
		err = -errno;
	if (err) {
		fail(why, err, "%s: %s", replacement->path, strerror(-err));
		remove_temporary(replacement);
		return err;
	}
	free(replacement->temporary);
	free(replacement->path);
	return 0;
}

void replacement_revert(struct replacement *replacement)
{
	fclose(replacement->out);
	remove_temporary(replacement);
}
