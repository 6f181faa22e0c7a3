/* SPDX-License-Identifier: MIT */
/* See attach_lock.h. */
#include "cli/attach/attach_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/target/target.h"
#include "cli/target/user_name.h"

static const struct {
	const char *name, *does;
} purposes[] = {
	[ATTACH_LOCK_SESSION] = { "attach", "is attached to it" },
	[ATTACH_LOCK_PROBES] = { "probes", "changes its probes" },
};

/* ---- One record lock ---- */

/*
 * Locks a byte of a file. Returns 0; 1 if another process has the lock, and its
 * pid in *holder (0 if the pid is not visible); or -errno.
 */
static int lock_byte(int fd, off_t byte, pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = byte,
			      .l_len = 1 };

	if (fcntl(fd, F_SETLK, &lock) == 0)
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return -errno;
	*holder = 0;
	if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		*holder = lock.l_pid;
	return 1;
}

static int is_held(pid_t holder, enum attach_lock_for purpose, char **why)
{
	const int64_t uid = holder ? target_status(holder, "Uid", 10) : -1;
	const char *does = purposes[purpose].does;
	char *user;

	if (uid < 0)
		return fail(why, -EBUSY,
			    "another clew command %s; wait until it ends, or "
			    "end it",
			    does);
	user = user_name((uid_t)uid);
	fail(why, -EBUSY,
	     "another clew command (process %d, user %s) %s; wait until it "
	     "ends, or end it",
	     holder, user, does);
	free(user);
	return -EBUSY;
}

/* ---- The lock file in the user's folder ---- */

/*
 * Opens a folder if it belongs to clew's effective user and its mode has no bit
 * of `forbidden`. Returns a descriptor, or -1.
 */
static int open_own(int parent, const char *path, mode_t forbidden)
{
	const int fd = openat(parent, path,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	    !(status.st_mode & forbidden))
		return fd;
	close(fd);
	return -1;
}

static int open_folder_in(const char *parent_path, mode_t forbidden)
{
	const int parent = parent_path && *parent_path == '/'
				   ? open_own(AT_FDCWD, parent_path, forbidden)
				   : -1;
	int fd;

	if (parent < 0)
		return -1;
	mkdirat(parent, "clew", 0700);
	fd = open_own(parent, "clew", 0022);
	close(parent);
	return fd;
}

/*
 * Opens a folder to which only clew's user can write. Returns a descriptor, or
 * -1 if the user has no such folder, like many users of daemons.
 */
static int open_folder(void)
{
	char *path;
	int fd;

	if (geteuid() == 0)
		return open_folder_in("/run", 0022);
	fd = open_folder_in(getenv("XDG_RUNTIME_DIR"), 0077);
	if (fd >= 0)
		return fd;
	path = memory_printf("/run/user/%u", geteuid());
	fd = open_folder_in(path, 0077);
	free(path);
	return fd;
}

/*
 * Returns whether the file was removed, by the process that had the lock
 * before, after this process had opened it.
 */
static int is_removed(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

/*
 * Creates and locks the file in the user's folder. Returns 0, or 1 if another
 * process has the lock (*holder). Returns 0 also without a lock, if the file
 * cannot be created or locked; then the lock on clear_refs is the only one.
 */
static int take_file(struct attach_lock *lock, pid_t *holder)
{
	int busy = 0;

	do {
		if (lock->file >= 0)
			close(lock->file);
		lock->file =
			openat(lock->folder, lock->name,
			       O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (lock->file >= 0)
			busy = lock_byte(lock->file, 0, holder);
	} while (lock->file >= 0 && !busy && is_removed(lock->file));
	return busy > 0;
}

/* ---- Both locks ---- */

/*
 * Locks a byte of /proc/PID/clear_refs. Returns 0, or 1 if another process has
 * the lock (*holder). Returns 0 also if the file cannot be opened or locked; a
 * user who cannot open it cannot attach to the process.
 */
static int take_process(struct attach_lock *lock, pid_t pid,
			enum attach_lock_for purpose, pid_t *holder)
{
	char *path = memory_printf("/proc/%d/clear_refs", pid);

	lock->process = open(path, O_WRONLY | O_CLOEXEC);
	free(path);
	return lock->process >= 0 &&
	       lock_byte(lock->process, purpose, holder) > 0;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void close_all(struct attach_lock *lock)
{
	close_one(lock->file);
	close_one(lock->folder);
	close_one(lock->process);
	free(lock->name);
}

int attach_lock_take(struct attach_lock *lock, pid_t pid,
		     enum attach_lock_for purpose, char **why)
{
	pid_t holder = 0;

	*lock = (struct attach_lock){ .process = -1, .folder = -1, .file = -1 };
	if (take_process(lock, pid, purpose, &holder))
		goto busy;
	lock->folder = open_folder();
	if (lock->folder < 0)
		return 0;
	lock->name = memory_printf("%s-%d-%" PRIu64, purposes[purpose].name,
				   pid, target_start(pid));
	if (!take_file(lock, &holder))
		return 0;
busy:
	close_all(lock);
	return is_held(holder, purpose, why);
}

void attach_lock_release(struct attach_lock *lock)
{
	if (lock->file >= 0)
		unlinkat(lock->folder, lock->name, 0);
	close_all(lock);
}

void attach_locks_remove_left(void)
{
	const int folder = open_folder();
	DIR *files = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;
	uint64_t start;
	int pid;

	while (files && (entry = readdir(files)))
		if (sscanf(entry->d_name, "%*[a-z]-%d-%" SCNu64, &pid,
			   &start) == 2 &&
		    target_start(pid) != start)
			unlinkat(folder, entry->d_name, 0);
	if (files)
		closedir(files);
	else
		close_one(folder);
}
