/* SPDX-License-Identifier: MIT */
/* See analysis_claim.h. */
#include "image/analysis_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 5

/*
 * Returns whether the file belongs to this user. Another user could hold the
 * lock on a file for ever.
 */
static int is_ours(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	       status.st_uid == geteuid();
}

static int open_claim(const char *path)
{
	int fd = open(path,
		      O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
		      0600);

	if (fd < 0 || is_ours(fd))
		return fd;
	close(fd);
	return -1;
}

/*
 * Returns how many milliseconds it took to get the lock; negative: not locked.
 */
static int lock(int fd)
{
	static const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	int waited_ms = 0;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || waited_ms >= CLAIM_WAIT_MS)
			return -1;
		nanosleep(&pause, NULL);
		waited_ms += POLL_MS;
	}
	return waited_ms;
}

/*
 * Removes the file and releases the lock. A process that has opened the file
 * before it is removed locks a file that no other process uses, and finds the
 * analysis.
 */
void analysis_claim_end(struct analysis_claim *claim)
{
	const int errno_before = errno;

	if (claim->fd >= 0) {
		unlink(claim->path.text);
		/* A forked child may have the file open as well. */
		flock(claim->fd, LOCK_UN);
		close(claim->fd);
	}
	claim->fd = -1;
	errno = errno_before;
}

void analysis_claim_begin(struct analysis_claim *claim, const char *cache_dir,
			  const struct analysis *analysis)
{
	const int errno_before = errno;

	claim->fd = -1;
	if (!cache_path_of(&claim->path, cache_dir, analysis)) {
		cache_path_add(&claim->path, ".claim");
		if (!claim->path.is_too_long)
			claim->fd = open_claim(claim->path.text);
	}
	if (claim->fd >= 0 && lock(claim->fd) != 0)
		analysis_claim_end(claim);
	errno = errno_before;
}
