/* SPDX-License-Identifier: MIT */
/*
 * See snapshots.h. Files are copied as a reader copies them while they grow
 * (report/recording/part_reader.h): from the start, so that everything that the
 * header refers to exists. The trace is copied before the part, which therefore
 * contains every function of it.
 *
 * A packet that its thread reuses while the trace is copied is a mixture of two
 * packets. Such a packet is found by its sequence after the copy, and copied
 * again. The copy of a packet that its thread writes meanwhile can contain
 * half a word, and lack words before others that it contains, because the
 * processor copies bytes in any order. Therefore all packets are read twice
 * (read_again()).
 */
#include "preload/answers/snapshots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/clew.h"
#include "preload/answers/agent_marks.h"
#include "preload/answers/agent_recorded.h"
#include "preload/hot/sink.h"
#include "preload/record/inheritance.h"
#include "preload/sys/apart.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "preload/time/samples.h"
#include "wire/mark_records.h"
#include "wire/packet.h"
#include "wire/taken.h"

#define PIECE_BYTES  (64 << 10)
#define PACKET_BYTES (WIRE_PACKET_BYTES - sizeof(struct wire_chunk))

_Static_assert(PIECE_BYTES >= WIRE_PACKET_BYTES, "of a packet");

/*
 * State of one snapshot, which is allocated because the program's stack may
 * be small.
 */
struct snapshot_files {
	char directory[PATH_MAX];
	const char *from;
	char to[PATH_MAX];
	/*
	 * header of the file that is being copied; NULL if the file does not
	 * grow
	 */
	const struct wire_header *header;
	int has_packets;
	/*
	 * It begins at a multiple of a cache line's size, as each range of a
	 * file that is copied does: then processors copy whole words of 8
	 * bytes, so that no count is read half. With other addresses, 1 of 3
	 * counts that changed all the time was read half (Zen 3).
	 */
	_Alignas(64) unsigned char piece[PIECE_BYTES];
};

/* ---- A file ---- */

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

/* Copies a range of a file. Holes stay holes. */
static int copy_stretch(struct snapshot_files *snapshot, int from, int to,
			long at, long end)
{
	int err = 0;

	sys_call(SYS_lseek, from, at, SEEK_SET, 0, 0, 0);
	sys_call(SYS_lseek, to, at, SEEK_SET, 0, 0, 0);
	while (at < end && !err) {
		const long left = end - at;
		const long got = sys_read(from, snapshot->piece,
					  left < PIECE_BYTES ? (size_t)left
							     : PIECE_BYTES);

		if (got <= 0)
			return (int)got;
		err = write_all(to, snapshot->piece, got);
		at += got;
	}
	return err;
}

/*
 * Returns the length to copy. For a file that grows, that is the length in use
 * at present, which is shorter than the file and may be greater than the length
 * in the header that was copied.
 */
static long length_of(const struct snapshot_files *snapshot,
		      const struct stat *st)
{
	return snapshot->header ? (long)atomic_load(&snapshot->header->end)
				: (long)st->st_size;
}

static int copy_bytes_of(struct snapshot_files *snapshot, int from, int to)
{
	struct stat st;
	long at = 0;
	int err = sys_fstat(from, &st);

	while (!err && at < st.st_size) {
		long end;

		at = sys_call(SYS_lseek, from, at, SEEK_DATA, 0, 0, 0);
		if (at < 0)
			break; /* only a hole follows */
		end = sys_call(SYS_lseek, from, at, SEEK_HOLE, 0, 0, 0);
		if (end < 0 || end > st.st_size)
			end = st.st_size;
		err = copy_stretch(snapshot, from, to, at, end);
		at = end;
	}
	if (err)
		return err;
	return (int)sys_call(SYS_ftruncate, to, length_of(snapshot, &st), 0, 0,
			     0, 0);
}

/* ---- Packets ---- */

static int is_at(int fd, void *bytes, size_t count, uint64_t at)
{
	return sys_call(SYS_pread64, fd, (long)bytes, (long)count, (long)at, 0,
			0) == (long)count;
}

static void put_at(int fd, const void *bytes, size_t count, uint64_t at)
{
	sys_call(SYS_pwrite64, fd, (long)bytes, (long)count, (long)at, 0, 0);
}

/*
 * Reads the words of the packet in `piece` again, up to the last that is not 0.
 * These words were written before, so they are complete now; words of later
 * calls are not read. *bytes is set to their size. Returns whether the packet
 * at this offset is still the same.
 */
static int read_again(struct snapshot_files *snapshot, int from, uint64_t at,
		      size_t *bytes)
{
	const uint32_t *words = (const void *)snapshot->piece;
	const struct wire_packet_begin first =
		*(const struct wire_packet_begin *)snapshot->piece;
	struct wire_packet_begin now;
	size_t count = PACKET_BYTES / sizeof(*words);

	while (count && !words[count - 1])
		count--;
	*bytes = count * sizeof(*words);
	return wire_packet_is_begun(&first) &&
	       is_at(from, snapshot->piece, *bytes, at) &&
	       is_at(from, &now, sizeof(now), at) &&
	       wire_packet_is_same(&first, &now);
}

/*
 * Copies the packet again; if it also changes meanwhile, writes an empty one.
 */
static void copy_again(struct snapshot_files *snapshot, int from, int to,
		       uint64_t at)
{
	static const uint32_t nothing;
	size_t bytes;

	if (is_at(from, snapshot->piece, PACKET_BYTES, at) &&
	    read_again(snapshot, from, at, &bytes))
		put_at(to, snapshot->piece, PACKET_BYTES, at);
	else
		put_at(to, &nothing, sizeof(nothing), at);
}

/*
 * Completes the copy of the packet at this offset. Returns whether the thread
 * has reused the packet since it was copied.
 */
static int settle_packet(struct snapshot_files *snapshot, int from, int to,
			 uint64_t at)
{
	const struct wire_packet_begin *copied = (const void *)snapshot->piece;
	size_t bytes;

	if (!is_at(to, snapshot->piece, PACKET_BYTES, at) ||
	    !wire_packet_is_begun(copied))
		return 0;
	if (!read_again(snapshot, from, at, &bytes)) {
		copy_again(snapshot, from, to, at);
		return 1;
	}
	put_at(to, snapshot->piece, bytes, at);
	return 0;
}

/*
 * Completes the copies of all packets, and counts those that were reused
 * meanwhile as reused packets in the copy. Does not count them if calls are
 * counted before their packet is reused, because the file with those counts is
 * copied later.
 */
static void settle_packets(struct snapshot_files *snapshot, int from, int to)
{
	const struct wire_header *header = (const void *)snapshot->piece;
	struct wire_chunk chunk;
	uint64_t dropped_at = 0, dropped = 0, count = 0, at, end;

	if (!is_at(to, snapshot->piece, sizeof(*header), 0))
		return;
	end = header->end;
	for (at = header->header_bytes; at < end; at += chunk.bytes) {
		const uint64_t payload = at + sizeof(chunk);

		if (!is_at(to, &chunk, sizeof(chunk), at) ||
		    chunk.bytes < sizeof(chunk))
			break;
		if (chunk.kind == WIRE_PACKET_BLOCKS)
			dropped_at =
				payload +
				offsetof(struct wire_packet_blocks, dropped);
		if (chunk.kind == WIRE_PACKET)
			count += settle_packet(snapshot, from, to, payload);
	}
	if (!count || !dropped_at ||
	    rt.recorder->trace.overflow != WIRE_OVERFLOW_DROP ||
	    !is_at(to, &dropped, sizeof(dropped), dropped_at))
		return;
	dropped += count;
	put_at(to, &dropped, sizeof(dropped), dropped_at);
}

/* A function for apart_call(): copies one file. */
static int copy_file(void *argument)
{
	struct snapshot_files *snapshot = argument;
	int from = sys_open(snapshot->from, O_RDONLY | O_CLOEXEC, 0), to, err;

	if (from < 0)
		return from;
	to = sys_open(snapshot->to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		      0600);
	err = to < 0 ? to : copy_bytes_of(snapshot, from, to);
	if (!err && snapshot->has_packets)
		settle_packets(snapshot, from, to);
	if (to >= 0)
		sys_close(to);
	sys_close(from);
	return err;
}

/* ---- All files ---- */

static const char *last_part(const char *path)
{
	const char *last = path;

	for (; *path; path++)
		if (*path == '/')
			last = path;
	return last;
}

/* Copies a file under its own name. */
static int copy_into(struct snapshot_files *snapshot, const char *from)
{
	struct text text = text_in(snapshot->to, sizeof(snapshot->to));

	text_string(&text, snapshot->directory);
	text_string(&text, last_part(from));
	snapshot->from = from;
	return text_was_cut(&text) ? -ENAMETOOLONG
				   : apart_call(copy_file, snapshot);
}

/* Writes the path of the file with the calls that workers have counted. */
static int taken_path(struct snapshot_files *snapshot, const char *trace)
{
	struct text text = text_in((char *)snapshot->piece, PATH_MAX);
	const char *end = trace;

	while (*end)
		end++;
	for (end -= sizeof(WIRE_TRACE_SUFFIX) - 1; trace < end; trace++)
		text_char(&text, *trace);
	text_string(&text, WIRE_TAKEN_SUFFIX);
	return text_was_cut(&text) ? -ENAMETOOLONG : 0;
}

/*
 * Copies the calls that workers have counted, from the file beside the trace,
 * which need not exist.
 */
static int copy_taken(struct snapshot_files *snapshot, const char *trace)
{
	int err = taken_path(snapshot, trace);

	if (!err)
		err = copy_into(snapshot, (const char *)snapshot->piece);
	return err == -ENOENT ? 0 : err;
}

/* Copies the configuration beside the part, which need not exist. */
static int copy_config(struct snapshot_files *snapshot, const char *part)
{
	char *path = (char *)snapshot->piece;
	struct text text = text_in(path, PATH_MAX);
	struct text to = text_in(snapshot->to, sizeof(snapshot->to));
	int err;

	for (const char *end = last_part(part); part < end; part++)
		text_char(&text, *part);
	text_string(&text, "/" WIRE_CONFIG_NAME);
	text_string(&to, snapshot->directory);
	text_string(&to, "/" WIRE_CONFIG_NAME);
	if (text_was_cut(&text) || text_was_cut(&to))
		return -ENAMETOOLONG;
	snapshot->from = path;
	err = apart_call(copy_file, snapshot);
	return err == -ENOENT ? 0 : err;
}

static int copy_part(struct snapshot_files *snapshot, const struct part *part,
		     int has_packets)
{
	int err;

	snapshot->header = part->header;
	snapshot->has_packets = has_packets;
	err = copy_into(snapshot, part->file.path);
	snapshot->header = NULL;
	snapshot->has_packets = 0;
	return err;
}

static int copy_all(struct snapshot_files *snapshot)
{
	const struct recorder *recorder = rt.recorder;
	const struct part *trace = &recorder->trace.part;
	int err = copy_config(snapshot, recorder->part.file.path);

	if (!err && trace->header && !trace->file.is_private)
		err = copy_part(snapshot, trace, 1);
	if (!err && recorder->trace.has_workers && !trace->file.is_private)
		err = copy_taken(snapshot, trace->file.path);
	if (!err)
		err = copy_part(snapshot, &recorder->part, 0);
	return err;
}

static int make_directory(const char *path)
{
	return (int)sys_call(SYS_mkdirat, AT_FDCWD, (long)path, 0700, 0, 0, 0);
}

/*
 * Begins a snapshot. Returns NULL and sets *err to -errno if none is possible,
 * for example because there is no recording to copy, system calls are filtered,
 * or memory is short.
 */
static struct snapshot_files *begin(int *err)
{
	struct snapshot_files *made;

	*err = -ENODEV;
	if (!agent_is_recorded() || rt.recorder->part.file.is_private)
		return NULL;
	*err = -EPERM;
	if (runtime_is_filtered())
		return NULL;
	/*
	 * Copies inherited chunks into the part first, because the parts of
	 * ancestors will not be in the new folder.
	 */
	*err = inheritance_settle(&rt.recorder->part);
	if (*err)
		return NULL;
	*err = -ENOMEM;
	made = sys_map_private(sizeof(*made));
	if (sys_failed(made))
		return NULL;
	sink_moment();
	samples_note_moment(rt.header);
	*err = 0;
	return made;
}

int snapshot_write(const char *path)
{
	int err;
	struct snapshot_files *snapshot = begin(&err);
	struct text text;

	if (!snapshot)
		return err;
	text = text_in(snapshot->directory, sizeof(snapshot->directory));
	text_string(&text, path);
	err = text_was_cut(&text) ? -ENAMETOOLONG : make_directory(path);
	if (!err)
		err = copy_all(snapshot);
	sys_munmap(snapshot, sizeof(*snapshot));
	return err;
}

/* ---- Snapshots beside the part ---- */

struct snapshot_cause {
	/*
	 * 1: the snapshot is taken because of the thread's innermost call; 0:
	 * because of a signal
	 */
	int is_call;
	uint64_t ticks; /* duration of the call so far; 0: unknown */
};

/* Writes the name PID.SEQ.snapshotN. */
static int name(struct snapshot_files *snapshot, uint32_t number)
{
	const char *part = rt.recorder->part.file.path, *end = part;
	struct text text =
		text_in(snapshot->directory, sizeof(snapshot->directory));

	while (*end)
		end++;
	end -= sizeof(WIRE_PART_SUFFIX) - 1;
	while (part < end)
		text_char(&text, *part++);
	text_string(&text, WIRE_SNAPSHOT_SUFFIX);
	text_number(&text, number);
	return text_was_cut(&text) ? -ENAMETOOLONG : 0;
}

/*
 * Creates the folder with the first free number. Returns the number, or -errno.
 */
static int make_next(struct snapshot_files *snapshot)
{
	/* latest number in this process or its ancestors */
	static _Atomic uint32_t latest;
	uint32_t n = atomic_load(&latest);
	int err = -EEXIST;

	while (err == -EEXIST) {
		if (n == WIRE_SNAPSHOTS_MAX)
			return -ENOSPC;
		err = name(snapshot, ++n);
		if (!err)
			err = make_directory(snapshot->directory);
	}
	if (err)
		return err;
	atomic_store(&latest, n);
	return (int)n;
}

/* Marks the snapshot and the call that causes it. */
static void mark(const struct snapshot_cause *cause, uint64_t number)
{
	if (cause->ticks)
		agent_mark_past(WIRE_MARK_SNAPSHOT_CALL, number, cause->ticks);
	else if (cause->is_call)
		clew_mark(WIRE_MARK_SNAPSHOT_CALL, number);
	clew_mark(WIRE_MARK_SNAPSHOT, number);
}

/*
 * Takes the next snapshot. Returns its number, or -errno. Sets *number to that
 * of the folder, or to 0 if none was created.
 */
static int take_next(const struct snapshot_cause *cause, int *number)
{
	int err;
	struct snapshot_files *snapshot = begin(&err);

	*number = 0;
	if (snapshot) {
		err = make_next(snapshot);
		if (err > 0) {
			*number = err;
			/*
			 * The marks are recorded before copying, so the
			 * snapshot contains them.
			 */
			mark(cause, (uint64_t)*number);
			err = copy_all(snapshot);
		}
		sys_munmap(snapshot, sizeof(*snapshot));
	}
	if (err < 0)
		clew_mark("snapshot failed", (uint64_t)-err);
	return err < 0 ? err : *number;
}

void snapshot_take(void)
{
	static const struct snapshot_cause other;
	int number;

	take_next(&other, &number);
}

void snapshot_take_of_call(uint64_t ticks)
{
	const struct snapshot_cause call = { .is_call = 1, .ticks = ticks };
	int number;

	take_next(&call, &number);
}

int snapshot_take_whole(uint64_t ticks)
{
	const struct snapshot_cause call = { .is_call = 1, .ticks = ticks };
	int number;
	const int err = take_next(&call, &number);

	if (err < 0 && number)
		snapshot_remove((uint32_t)number);
	return err;
}

/* Removes the copy of a file, which need not exist. */
static void remove_copy(struct snapshot_files *snapshot, const char *from)
{
	struct text text = text_in(snapshot->to, sizeof(snapshot->to));

	text_string(&text, snapshot->directory);
	text_string(&text, last_part(from));
	if (!text_was_cut(&text))
		sys_call(SYS_unlinkat, AT_FDCWD, (long)snapshot->to, 0, 0, 0,
			 0);
}

void snapshot_remove(uint32_t number)
{
	const struct recorder *recorder = rt.recorder;
	const struct part *trace = &recorder->trace.part;
	struct snapshot_files *snapshot;

	if (runtime_is_filtered())
		return;
	snapshot = sys_map_private(sizeof(*snapshot));
	if (sys_failed(snapshot))
		return;
	if (name(snapshot, number) == 0) {
		remove_copy(snapshot, "/" WIRE_CONFIG_NAME);
		remove_copy(snapshot, recorder->part.file.path);
		if (trace->header && !trace->file.is_private) {
			remove_copy(snapshot, trace->file.path);
			if (taken_path(snapshot, trace->file.path) == 0)
				remove_copy(snapshot,
					    (const char *)snapshot->piece);
		}
		sys_call(SYS_unlinkat, AT_FDCWD, (long)snapshot->directory,
			 AT_REMOVEDIR, 0, 0, 0);
		clew_mark(WIRE_MARK_SNAPSHOT_REMOVED, number);
	}
	sys_munmap(snapshot, sizeof(*snapshot));
}
