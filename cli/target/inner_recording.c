/* SPDX-License-Identifier: MIT */
/* See inner_recording.h. */
#include "cli/target/inner_recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file_copy.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "base/suffix.h"
#include "cli/target/live_process.h"
#include "wire/inherited.h"
#include "wire/packet.h"
#include "wire/recording.h"
#include "wire/snapshot_name.h"

#define LINES_BYTES   (1 << 20)
#define SEQ_SHIFT_MAX 100000
#define FOLDER_FLAGS  (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- Lines in the home ---- */

static int open_lines(int home, int flags)
{
	return openat(home, WIRE_UNRECORDED_NAME,
		      flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/*
 * Returns the text that follows the pid in a line about the folder. The caller
 * frees it.
 */
static char *beginning_of(const struct inner_folder *folder)
{
	return memory_printf(" " WIRE_RECORDED_IN "%s ", folder->path);
}

static int append(int home, const char *text, size_t bytes)
{
	const int fd = open_lines(home, O_WRONLY | O_APPEND);
	int err = fd < 0 ? -errno : 0;

	if (!err && write(fd, text, bytes) != (ssize_t)bytes)
		err = errno ? -errno : -ENOSPC;
	if (fd >= 0)
		close(fd);
	return err;
}

static int open_home(const char *path)
{
	const int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int inner_recording_announce(const struct inner_folder *folder, pid_t pid,
			     const char *home, char **why)
{
	const int fd = open_home(home);
	char *beginning = beginning_of(folder);
	char *whole = memory_printf("%d%sbelow its root directory until clew "
				    "attach or clew detach detaches from it\n",
				    pid, beginning);
	int err = fd < 0 ? fd : append(fd, whole, strlen(whole));

	if (fd >= 0)
		close(fd);
	free(whole);
	free(beginning);
	return err ? fail(why, err, "%s: %s", home, strerror(-err)) : 0;
}

/*
 * Returns the contents of the file WIRE_UNRECORDED_NAME in a folder, at most
 * LINES_BYTES bytes; "" if it cannot be read. The caller frees the text.
 */
static char *read_lines(int folder)
{
	const int fd = open_lines(folder, O_RDONLY);
	char *text = memory_zeroed(LINES_BYTES + 1, 1);
	const ssize_t got = fd < 0 ? 0 : read(fd, text, LINES_BYTES);

	text[got < 0 ? 0 : got] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/*
 * Returns the offset of the line about the folder in the home's file
 * WIRE_UNRECORDED_NAME, or -1.
 */
static off_t find_line(int home, const struct inner_folder *folder)
{
	char *text = read_lines(home), *said = beginning_of(folder);
	off_t found = -1;

	for (char *line = text, *end; (end = strchr(line, '\n')) && found < 0;
	     line = end + 1) {
		const size_t digits = strspn(line, "0123456789");

		if (digits && strncmp(line + digits, said, strlen(said)) == 0)
			found = line - text;
	}
	free(said);
	free(text);
	return found;
}

/*
 * Makes the line that names the folder a comment, by writing "#" over its first
 * byte. The file is changed in place, because other processes may append lines
 * at the same time.
 */
static void strike_line(int home, const struct inner_folder *folder)
{
	const off_t at = find_line(home, folder);
	const int fd = at < 0 ? -1 : open_lines(home, O_WRONLY);

	if (fd >= 0 && pwrite(fd, "#", 1, at) != 1)
		errno = 0; /* On failure the line stays. */
	if (fd >= 0)
		close(fd);
}

/*
 * Appends the lines that begin with a pid, which the library has written, from
 * the folder's file WIRE_UNRECORDED_NAME to the file of this name in the home,
 * with one write(). Returns 0 or -errno.
 */
static int bring_lines(int home, const struct inner_folder *folder)
{
	char *text = read_lines(folder->fd), *to = text;
	int err = 0;

	for (char *line = text, *end; (end = strchr(line, '\n'));
	     line = end + 1) {
		const size_t bytes = (size_t)(end + 1 - line);

		if (*line < '0' || *line > '9')
			continue;
		memmove(to, line, bytes);
		to += bytes;
	}
	if (to > text)
		err = append(home, text, (size_t)(to - text));
	free(text);
	return err;
}

/* ---- Files ---- */

/* A file or folder of a recording that is copied. */
struct inner_file {
	const char *name;
	uint32_t pid, seq;
	const char *suffix; /* the end of the name, behind PID.SEQ */
	int is_snapshot;    /* a folder that contains a recording */
};

/*
 * Parses a file name: "PID.SEQ.part", "PID.SEQ.trace", or "PID.SEQ.snapshotN".
 * Returns 0 for all other names.
 */
static int parse_name(const char *name, struct inner_file *file)
{
	int end = -1;

	*file = (struct inner_file){ .name = name };
	if (sscanf(name, "%9" SCNu32 ".%9" SCNu32 "%n", &file->pid, &file->seq,
		   &end) != 2 ||
	    end < 0)
		return 0;
	file->suffix = name + end;
	file->is_snapshot = strncmp(file->suffix, WIRE_SNAPSHOT_SUFFIX,
				    strlen(WIRE_SNAPSHOT_SUFFIX)) == 0 &&
			    wire_snapshot_number(file->suffix);
	return file->is_snapshot ||
	       strcmp(file->suffix, WIRE_PART_SUFFIX) == 0 ||
	       strcmp(file->suffix, WIRE_TRACE_SUFFIX) == 0;
}

/* Returns the name of a file's copy. The caller frees it. */
static char *name_of(const struct inner_file *file, uint32_t shift)
{
	return memory_printf("%" PRIu32 ".%" PRIu32 "%s", file->pid,
			     file->seq + shift, file->suffix);
}

/*
 * Calls visit() for each file that is copied from a folder, until a call
 * returns another value than 0. Returns this value, 0, or -errno.
 */
static int each_file(int folder,
		     int (*visit)(void *context, const struct inner_file *file),
		     void *context)
{
	DIR *files = fdopendir(dup(folder));
	struct dirent *entry;
	int result = 0;

	if (!files)
		return -errno;
	rewinddir(files);
	while (!result && (entry = readdir(files))) {
		struct inner_file file;

		if (parse_name(entry->d_name, &file))
			result = visit(context, &file);
	}
	closedir(files);
	return result;
}

struct bringing {
	int home, from;
	/*
	 * Number that is added to the SEQ of all copied files, because the home
	 * may have files of other processes with the same PID and SEQ.
	 */
	uint32_t shift;
	int is_inside; /* the folder is a snapshot */
};

static int is_taken(void *context, const struct inner_file *file)
{
	const struct bringing *bringing = context;
	char *other = name_of(file, bringing->shift);
	const int is = faccessat(bringing->home, other, F_OK,
				 AT_SYMLINK_NOFOLLOW) == 0;

	free(other);
	return is;
}

/*
 * Adds the shift to SEQ in an array of references to ancestors' parts, because
 * these parts are copied too. Returns 0 or -errno.
 */
static int shift_items(int fd, uint64_t at, uint64_t bytes, uint32_t shift)
{
	struct wire_inherited item;

	for (; bytes >= sizeof(item); bytes -= sizeof(item)) {
		if (pread(fd, &item, sizeof(item), (off_t)at) != sizeof(item))
			/* The file was truncated; readers report this. */
			return 0;
		item.seq += shift;
		if (pwrite(fd, &item, sizeof(item), (off_t)at) != sizeof(item))
			return -EIO;
		at += sizeof(item);
	}
	return 0;
}

/*
 * Adds the shift to all references in a part. Stops at the first invalid chunk,
 * which readers report. Returns 0 or -errno.
 */
static int shift_inherited(int fd, const struct wire_header *header,
			   uint32_t shift)
{
	struct wire_chunk chunk;
	int err = 0;

	for (uint64_t at = header->header_bytes;
	     !err &&
	     pread(fd, &chunk, sizeof(chunk), (off_t)at) == sizeof(chunk) &&
	     chunk.bytes >= sizeof(chunk) && chunk.bytes <= header->end - at &&
	     chunk.used <= chunk.bytes - sizeof(chunk);
	     at += chunk.bytes)
		if (chunk.kind == WIRE_INHERITED)
			err = shift_items(fd, at + sizeof(chunk), chunk.used,
					  shift);
	return err;
}

/*
 * Adds the shift to SEQ in the part's header and, if the process was forked, to
 * its parent's and all references to ancestors. Returns 0 or -errno.
 */
static int shift_seq(int fd, struct wire_header *header, uint32_t shift)
{
	int err = 0;

	if (!shift)
		return 0;
	header->seq += shift;
	if (header->origin == WIRE_FROM_FORK) {
		header->parent_seq += shift;
		err = shift_inherited(fd, header, shift);
	}
	if (!err && pwrite(fd, header, sizeof(*header), 0) != sizeof(*header))
		err = -EIO;
	return err;
}

static int copy_file(int from, int to, uint32_t shift)
{
	struct wire_header header;
	struct stat status;
	int err;

	if (fstat(from, &status) != 0 ||
	    pread(from, &header, sizeof(header), 0) != sizeof(header))
		return -EIO;
	if ((uint64_t)status.st_size > header.end)
		status.st_size = (off_t)header.end;
	err = file_copy_until(from, to, status.st_size);
	return err ? err : shift_seq(to, &header, shift);
}

/*
 * Opens a part or trace in the folder. Refuses other files, because a hostile
 * process may have put any file there. Returns a descriptor or -errno.
 */
static int open_file(int folder, const char *name)
{
	const int fd =
		regular_file_open_at(folder, name, O_RDONLY | O_NOFOLLOW);
	uint8_t magic[sizeof(WIRE_MAGIC) - 1];
	struct stat status;

	if (fd < 0)
		return fd == -EINVAL || fd == -ELOOP ? -EBADMSG : fd;
	/* A file with several links may be a file of another user. */
	if (fstat(fd, &status) == 0 && status.st_nlink == 1 &&
	    pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    memcmp(magic, WIRE_MAGIC, sizeof(magic)) == 0)
		return fd;
	close(fd);
	return -EBADMSG;
}

/*
 * Makes the home's owner the owner of a copied file, so that this user can read
 * it. Returns 0 or -errno.
 */
static int give_to_owner(int fd, int home)
{
	const gid_t same = (gid_t)-1;
	struct stat status;

	if (fstat(home, &status) != 0)
		return -errno;
	return status.st_uid == geteuid() ||
			       fchown(fd, status.st_uid, same) == 0
		       ? 0
		       : -errno;
}

static int bring_one(const struct bringing *bringing,
		     const struct inner_file *file)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	const int from = open_file(bringing->from, file->name);
	char *other = name_of(file, bringing->shift);
	int to, err;

	if (from < 0) {
		free(other);
		return from == -EBADMSG ? 0 : from;
	}
	to = openat(bringing->home, other, flags, 0600);
	err = to < 0 ? -errno : copy_file(from, to, bringing->shift);
	if (!err)
		err = give_to_owner(to, bringing->home);
	if (to >= 0 && close(to) != 0 && !err)
		err = -errno;
	if (err && to >= 0)
		unlinkat(bringing->home, other, 0);
	close(from);
	free(other);
	return err;
}

static int bring_file(void *context, const struct inner_file *file);

/*
 * Creates the folder of a snapshot in the home. Returns a descriptor or -errno.
 */
static int make_snapshot(const struct bringing *bringing,
			 const struct inner_file *file)
{
	char *name = name_of(file, bringing->shift);
	int fd = mkdirat(bringing->home, name, 0700) == 0
			 ? openat(bringing->home, name, FOLDER_FLAGS)
			 : -1;
	int err = fd < 0 ? -errno : give_to_owner(fd, bringing->home);

	free(name);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

/* Copies the files of a snapshot. Returns 0 or -errno. */
static int bring_snapshot(const struct bringing *bringing,
			  const struct inner_file *file)
{
	struct bringing inside = { .shift = bringing->shift, .is_inside = 1 };
	int err;

	inside.from = openat(bringing->from, file->name, FOLDER_FLAGS);
	if (inside.from < 0) /* A hostile process may have made a file. */
		return errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	inside.home = make_snapshot(bringing, file);
	err = inside.home < 0 ? inside.home
			      : each_file(inside.from, bring_file, &inside);
	if (inside.home >= 0)
		close(inside.home);
	close(inside.from);
	return err;
}

static int bring_file(void *context, const struct inner_file *file)
{
	const struct bringing *bringing = context;

	if (!file->is_snapshot)
		return bring_one(bringing, file);
	return bringing->is_inside ? 0 : bring_snapshot(bringing, file);
}

static int remove_file(void *context, const struct inner_file *file)
{
	unlinkat(*(const int *)context, file->name, 0);
	return 0;
}

/* Removes a snapshot, which contains only files of each_file(). */
static void remove_snapshot(int home, const char *name)
{
	const int fd = openat(home, name, FOLDER_FLAGS);

	if (fd >= 0) {
		each_file(fd, remove_file, (void *)&fd);
		close(fd);
	}
	unlinkat(home, name, AT_REMOVEDIR);
}

/*
 * Removes the copy of a file from the home, if there is one, after a later step
 * has failed.
 */
static int take_back(void *context, const struct inner_file *file)
{
	const struct bringing *bringing = context;
	char *other = name_of(file, bringing->shift);

	if (file->is_snapshot)
		remove_snapshot(bringing->home, other);
	else
		unlinkat(bringing->home, other, 0);
	free(other);
	return 0;
}

/*
 * Copies all files that are valid parts, traces and snapshots, and the lines
 * about what was not recorded. If this fails, removes the copies. Returns 0 or
 * -errno.
 */
static int bring_all(int home, const struct inner_folder *folder)
{
	struct bringing bringing = { .home = home, .from = folder->fd };
	int err;

	while ((err = each_file(folder->fd, is_taken, &bringing)) > 0 &&
	       bringing.shift < SEQ_SHIFT_MAX)
		bringing.shift++;
	if (err)
		return err > 0 ? -EEXIST : err;
	err = each_file(folder->fd, bring_file, &bringing);
	if (!err)
		err = bring_lines(home, folder);
	if (err)
		each_file(folder->fd, take_back, &bringing);
	return err;
}

/* ---- Public functions ---- */

/* Returns the pid of a process that still records in the folder, or 0. */
static pid_t user_of(const struct inner_folder *folder)
{
	size_t count;
	struct live_process *all = live_processes(&count);
	struct stat here, there;
	pid_t user = 0;

	for (size_t i = 0; i < count; i++) {
		if (fstat(folder->fd, &here) == 0 &&
		    stat(all[i].recording, &there) == 0 &&
		    here.st_dev == there.st_dev && here.st_ino == there.st_ino)
			user = all[i].pid;
		live_process_fini(&all[i]);
	}
	free(all);
	return user;
}

static int bring(const struct inner_folder *folder, int home, pid_t *user)
{
	int err;

	*user = user_of(folder);
	if (*user)
		return -EBUSY;
	if (find_line(home, folder) < 0)
		return -ENOENT;
	err = bring_all(home, folder);
	if (!err)
		strike_line(home, folder);
	return err;
}

int inner_recording_bring(struct inner_folder *folder, const char *home,
			  char **why)
{
	const int fd = open_home(home);
	pid_t user = 0;
	const int err = fd < 0 ? fd : bring(folder, fd, &user);

	if (fd >= 0)
		close(fd);
	if (!err) {
		inner_folder_remove(folder);
		return 0;
	}
	if (user)
		return fail(
			why, err,
			"its recording remains in %s below its root directory "
			"and is not in %s: process %d still records there",
			folder->path, home, user);
	return fail(why, err,
		    "its recording remains in %s below its root directory and "
		    "is not in %s: %s",
		    folder->path, home,
		    err == -ENOENT ? "that folder does not exist, or does not "
				     "expect a recording"
				   : strerror(-err));
}

int inner_recording_bring_of(pid_t pid,
			     const struct wire_attachment *attachment,
			     char **why)
{
	struct inner_folder folder;
	int err;

	*why = NULL;
	if (!*attachment->home)
		return 0;
	err = inner_folder_open(&folder, pid, attachment->dir, why);
	if (err)
		return err;
	err = inner_recording_bring(&folder, attachment->home, why);
	if (err)
		inner_folder_close(&folder);
	return err;
}
