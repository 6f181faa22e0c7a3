/* SPDX-License-Identifier: MIT */
/*
 * clew_snapshot(): a recording of what the process has done so far, beside its own.
 * Files are copied as a reader copies them while they grow (report/recording/part_reader.h):
 * from the start on, so that all that the header says to be there is.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/clew.h"
#include "preload/agent_recorded.h"
#include "preload/sys/apart.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

#define PIECE_BYTES (64 << 10)

struct snapshot_file {
	const char *from, *to;
	int is_part;
	unsigned char *piece;
};

static int write_all(int fd, const unsigned char *bytes, long count)
{
	while (count > 0) {
		const long put =
			sys_call(SYS_write, fd, (long)bytes, count, 0, 0, 0);

		if (put < 0)
			return (int)put;
		bytes += put;
		count -= put;
	}
	return 0;
}

/* A hole stays one. */
static int copy_stretch(const struct snapshot_file *file, int from, int to,
			long at, long end)
{
	int err = 0;

	sys_call(SYS_lseek, from, at, SEEK_SET, 0, 0, 0);
	sys_call(SYS_lseek, to, at, SEEK_SET, 0, 0, 0);
	while (at < end && !err) {
		const long left = end - at;
		const long got = sys_read(from, file->piece,
					  left < PIECE_BYTES ? (size_t)left
							     : PIECE_BYTES);

		if (got <= 0)
			return (int)got;
		err = write_all(to, file->piece, got);
		at += got;
	}
	return err;
}

/*
 * A part is longer than what is in use. What its header said when it was copied, first of
 * all, is less than what it says now.
 */
static long length_of(const struct snapshot_file *file, const struct stat *st)
{
	return file->is_part ? (long)atomic_load(&rt.header->end)
			     : (long)st->st_size;
}

static int copy_opened(const struct snapshot_file *file, int from, int to)
{
	struct stat st;
	long at = 0;
	int err = sys_fstat(from, &st);

	while (!err && at < st.st_size) {
		long end;

		at = sys_call(SYS_lseek, from, at, SEEK_DATA, 0, 0, 0);
		if (at < 0)
			break; /* nothing but a hole */
		end = sys_call(SYS_lseek, from, at, SEEK_HOLE, 0, 0, 0);
		if (end < 0 || end > st.st_size)
			end = st.st_size;
		err = copy_stretch(file, from, to, at, end);
		at = end;
	}
	if (err)
		return err;
	return (int)sys_call(SYS_ftruncate, to, length_of(file, &st), 0, 0, 0,
			     0);
}

/* For apart_call(). */
static int copy_file(void *argument)
{
	const struct snapshot_file *file = argument;
	int from = sys_open(file->from, O_RDONLY | O_CLOEXEC, 0), to, err;

	if (from < 0)
		return from;
	to = sys_open(file->to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	err = to < 0 ? to : copy_opened(file, from, to);
	if (to >= 0)
		sys_close(to);
	sys_close(from);
	return err;
}

/* A file of the recording, by its own name. */
static int copy_into(const char *directory, const char *from, int is_part,
		     unsigned char *piece)
{
	char path[PATH_MAX];
	struct text text = text_in(path, sizeof(path));
	struct snapshot_file file = { from, path, is_part, piece };

	text_string(&text, directory);
	text_string(&text, strrchr(from, '/'));
	return text_was_cut(&text) ? -ENAMETOOLONG
				   : apart_call(copy_file, &file);
}

/* What was asked for, which lies beside the part. None is none. */
static int copy_config(const char *directory, const char *part,
		       unsigned char *piece)
{
	char path[PATH_MAX];
	struct text text = text_in(path, sizeof(path));
	int err;

	for (const char *end = strrchr(part, '/'); part < end; part++)
		text_char(&text, *part);
	text_string(&text, "/" WIRE_CONFIG_NAME);
	if (text_was_cut(&text))
		return -ENAMETOOLONG;
	err = copy_into(directory, path, 0, piece);
	return err == -ENOENT ? 0 : err;
}

int clew_snapshot(const char *path)
{
	const struct part_file *part;
	unsigned char *piece;
	int err;

	if (!agent_is_recorded() || rt.recorder->part.file.is_private)
		return -ENODEV;
	if (runtime_is_filtered())
		return -EPERM;
	part = &rt.recorder->part.file;
	piece = sys_map_private(PIECE_BYTES);
	if (sys_failed(piece))
		return -ENOMEM;
	err = (int)sys_call(SYS_mkdirat, AT_FDCWD, (long)path, 0700, 0, 0, 0);
	if (!err)
		err = copy_config(path, part->path, piece);
	if (!err)
		err = copy_into(path, part->path, 1, piece);
	sys_munmap(piece, PIECE_BYTES);
	return err;
}
