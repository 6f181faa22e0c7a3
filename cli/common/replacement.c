/* SPDX-License-Identifier: MIT */
/* See replacement.h. */
#include "cli/common/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

/*
 * Returns whether another user, who is not root, owns this link or FIFO and may
 * have created it to make clew write elsewhere.
 */
static int is_foreign(const char *path, mode_t type)
{
	struct stat status;

	return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == type &&
	       status.st_uid != geteuid() && status.st_uid != 0;
}

/*
 * Follows links of the user and of root, so the file behind them is replaced.
 * Links of other users are replaced themselves. The caller frees the path.
 */
static char *resolve(const char *path)
{
	char *real = is_foreign(path, S_IFLNK) ? NULL : realpath(path, NULL);

	return real ? real : memory_string(path, strlen(path));
}

/*
 * Returns whether the path is a device or a pipe, which is written to directly.
 */
static int is_special(const char *path)
{
	struct stat status;

	return !is_foreign(path, S_IFLNK) && stat(path, &status) == 0 &&
	       !S_ISREG(status.st_mode);
}

static int open_temporary(struct replacement *replacement,
			  const struct recording_readers *readers)
{
	int fd;

	replacement->temporary = memory_printf("%s.XXXXXX", replacement->path);
	fd = mkostemp(replacement->temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	recording_readers_apply(readers, fd);
	replacement->out = fdopen(fd, "w");
	return replacement->out ? 0 : -errno;
}

int replacement_begin(struct replacement *replacement, const char *path,
		      const struct recording_readers *readers, char **why)
{
	int err = 0;

	if (is_foreign(path, S_IFIFO))
		return fail(why, -EPERM,
			    "%s is a FIFO of another user; choose another path",
			    path);
	*replacement = (struct replacement){ .path = resolve(path) };
	if (is_special(path)) {
		replacement->out = fopen(path, "we");
		err = replacement->out ? 0 : -errno;
	} else {
		err = open_temporary(replacement, readers);
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
 * Flushes. Returns 0 or -errno. stdio records that an earlier write failed but
 * not why, so another write of one byte finds the reason, such as a full disk.
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
