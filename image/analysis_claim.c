/* SPDX-License-Identifier: MIT */
#include "image/analysis_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 5

/* Somebody else's could be held for ever. */
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

/* The milliseconds until the lock was had; negative: it was not. */
static int lock(int fd)
{
	static const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };
	int waited_ms = 0;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || waited_ms >= CLAIM_WAIT_MS)
			return -1;
		nanosleep(&pause, NULL);
		waited_ms += LOOK_MS;
	}
	return waited_ms;
}

/*
 * Who has opened the file before it goes gets a lock that nobody else asks for, and
 * finds the analysis.
 */
void analysis_claim_end(struct analysis_claim *claim)
{
	const int errno_before = errno;

	if (claim->fd >= 0) {
		unlink(claim->path.text);
		flock(claim->fd, LOCK_UN); /* a forked child may have it, too */
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
