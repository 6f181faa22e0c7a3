/* SPDX-License-Identifier: MIT */
/* See part_file.h. */
#include "preload/record/part_file.h"

#include "machine/address_space.h"
#include "preload/record/page_making.h"
#include "preload/sys/apart.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/enlarge.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/recording.h"

#define PAGE         WIRE_PAGE_BYTES
#define SEQ_MAX      1000000

#define LENGTH_TRIED (UINT64_C(1) << 20)
#define LENGTH_FIRST (UINT64_C(256) << 20)
/*
 * most blocks of 512 bytes that a file without data may have if the file system
 * supports holes
 */
#define HOLE_BLOCKS_MAX     64

#define SEGMENT_FIRST       (UINT64_C(16) << 20)
#define SEGMENT_FIRST_TIGHT (UINT64_C(1) << 20)
#define TIGHT_PART          8

/*
 * The least size of a chunk whose pages are created by writing zeros
 * (page_making.h).
 */
#define WRITTEN_MIN (UINT64_C(32) << 10)

static uint64_t limit_of(int resource)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };

	sys_getrlimit(resource, &limit);
	return limit.rlim_cur;
}

/* ---- Length ---- */

/*
 * Returns whether the path still leads to the file. The program may have
 * renamed or removed the file, or changed its root.
 */
static int is_there(const struct part_file *file)
{
	struct stat st;

	return !sys_stat(file->path, &st) && st.st_dev == file->dev &&
	       st.st_ino == file->ino;
}

/* Sets the length of the file by its path, as far as RLIMIT_FSIZE allows. */
static int set_length(struct part_file *file, uint64_t bytes)
{
	const uint64_t limit = limit_of(RLIMIT_FSIZE) & ~(uint64_t)(PAGE - 1);
	int err;

	if (bytes > limit)
		bytes = limit;
	if (bytes <= file->bytes)
		return -EFBIG;
	if (!is_there(file))
		return -ENOENT;
	err = enlarge_named(file->path, bytes);
	if (!err)
		file->bytes = bytes;
	return err;
}

/*
 * Makes the file longer before this is necessary, so that recording can
 * continue for some time after the path has become invalid.
 */
static int lengthen(struct part_file *file, uint64_t end)
{
	int err = 0;

	if (file->is_private)
		return 0;
	if (end > file->bytes / 2)
		err = set_length(file, 2 * end);
	if (end > file->bytes)
		err = set_length(file, end);
	return end <= file->bytes ? 0 : err ? err : -EFBIG;
}

/*
 * Sets the file's first length by its descriptor: LENGTH_FIRST, but only
 * LENGTH_TRIED on a file system without holes, and at most RLIMIT_FSIZE.
 */
static int set_first_length(struct part_file *file, int fd)
{
	const uint64_t limit = limit_of(RLIMIT_FSIZE) & ~(uint64_t)(PAGE - 1);
	uint64_t tried = limit < LENGTH_TRIED ? limit : LENGTH_TRIED;
	uint64_t first = limit < LENGTH_FIRST ? limit : LENGTH_FIRST;
	struct stat st;
	int err = tried ? enlarge_file(fd, tried) : -EFBIG;

	if (err)
		return err;
	file->bytes = tried;
	if (first > tried && !sys_fstat(fd, &st) &&
	    st.st_blocks < HOLE_BLOCKS_MAX && !enlarge_file(fd, first))
		file->bytes = first;
	return 0;
}

/* ---- Memory ---- */

/*
 * Reserves the addresses of a segment. If the part has no file, its anonymous
 * memory is mapped as shared, because mremap() can map only shared memory a
 * second time.
 */
static unsigned char *reserve(const struct part_file *file, uint64_t bytes)
{
	const int sharing = file->is_private ? MAP_SHARED : MAP_PRIVATE;

	return place_map(bytes, PROT_NONE,
			 sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/*
 * Reserves addresses that have the same offset within a huge page as in the
 * file, so that the kernel can map huge pages as a whole.
 */
static unsigned char *reserve_like_file(const struct part_file *file,
					uint64_t offset, uint64_t bytes)
{
	unsigned char *at = reserve(file, bytes + HUGE_PAGE_BYTES);
	uint64_t before;

	if (sys_failed(at))
		return reserve(file, bytes);
	before = (offset - (uintptr_t)at) % HUGE_PAGE_BYTES;
	if (before)
		sys_munmap(at, before);
	sys_munmap(at + before + bytes, HUGE_PAGE_BYTES - before);
	return at + before;
}

static unsigned char *address_of(const struct part_file *file, uint64_t offset)
{
	const struct segment *segment =
		&file->segments[file->segment_count - 1];

	while (segment->offset > offset)
		segment--;
	return segment->at + (offset - segment->offset);
}

/*
 * Maps [offset, offset + bytes) of the file over reserved addresses, with
 * PROT_NONE at first. The first segment, at the beginning of the file, is
 * mapped by fd; later ones by mremap().
 */
static int map_over(const struct part_file *file, unsigned char *at,
		    uint64_t offset, uint64_t bytes, int fd)
{
	void *got = at;

	if (file->is_private)
		return 0;
	if (fd >= 0)
		got = sys_mmap(at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, fd,
			       0);
	else
		got = (void *)sys_call(
			SYS_mremap, (long)address_of(file, offset), 0,
			(long)bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (long)at,
			0);
	if (sys_failed(got))
		return (int)(long)got;
	/*
	 * Without MADV_RANDOM the first store would read megabytes of the hole
	 * around it.
	 */
	sys_madvise(at, bytes, MADV_RANDOM);
	/*
	 * A process that has filled one segment probably fills another. Single
	 * pages cost six times as much as a huge page.
	 */
	if (offset)
		sys_madvise(at, bytes, MADV_HUGEPAGE);
	return sys_mprotect(at, bytes, PROT_NONE);
}

/*
 * Maps a segment of this size. `offset` is 0, or the page before it is mapped
 * already.
 */
static int map_segment(const struct part_file *file, uint64_t offset,
		       uint64_t bytes, int fd, struct segment *out)
{
	const uint64_t known = offset ? PAGE : 0;
	unsigned char *at =
		offset ? reserve_like_file(file, offset - known, known + bytes)
		       : reserve(file, bytes);
	int err;

	if (sys_failed(at))
		return -ENOMEM;
	err = map_over(file, at, offset - known, known + bytes, fd);
	if (err) {
		sys_munmap(at, known + bytes);
		return err;
	}
	if (known)
		sys_munmap(at, known);
	*out = (struct segment){ .at = at + known,
				 .offset = offset,
				 .bytes = bytes };
	return 0;
}

/*
 * Adds a segment that is as large as all segments before, so that there are
 * few. Adds a smaller one if address space is limited or such a large one
 * cannot be mapped.
 */
static int add_segment(struct part_file *file, uint64_t offset,
		       uint64_t bytes_needed, int fd)
{
	const int is_tight = limit_of(RLIMIT_AS) != RLIM_INFINITY;
	uint64_t bytes = is_tight ? SEGMENT_FIRST_TIGHT : SEGMENT_FIRST;
	uint64_t again = is_tight ? offset / TIGHT_PART : offset;
	int err;

	if (file->segment_count == PART_SEGMENTS_MAX)
		return -ENOSPC;
	if (bytes < again)
		bytes = again & ~(uint64_t)(PAGE - 1);
	do {
		if (bytes < bytes_needed)
			bytes = bytes_needed;
		err = map_segment(file, offset, bytes, fd,
				  &file->segments[file->segment_count]);
		if (err && bytes == bytes_needed)
			return err;
		bytes = bytes / 2 & ~(uint64_t)(PAGE - 1);
	} while (err);
	__atomic_store_n(&file->segment_count, file->segment_count + 1,
			 __ATOMIC_RELEASE);
	return 0;
}

/* Unmaps the rest of a segment, which is too short for the next chunk. */
static void end_segment(struct segment *segment, uint64_t offset)
{
	const uint64_t used = offset - segment->offset;

	if (used < segment->bytes)
		sys_munmap(segment->at + used, segment->bytes - used);
	segment->bytes = used;
}

static int reach(struct part_file *file, uint64_t offset, uint64_t bytes)
{
	struct segment *last = &file->segments[file->segment_count - 1];
	int err;

	if (offset + bytes <= last->offset + last->bytes)
		return 0;
	err = add_segment(file, offset, bytes, -1);
	if (!err)
		end_segment(last, offset);
	return err;
}

/* ---- Blocks ---- */

/*
 * Allocates pages without MADV_POPULATE_WRITE, for Linux before 5.14: a futex
 * operation makes the kernel add 0 to a word of each page, and it fails where a
 * store would raise SIGBUS.
 */
static int touch(unsigned char *at, uint64_t bytes)
{
	const long add_nothing = 1 << 28; /* FUTEX_OP_ADD, 0, OP_CMP_EQ, 0 */
	const long wake_op = 133;         /* FUTEX_WAKE_OP_PRIVATE */

	for (uint64_t i = 0; i < bytes; i += PAGE) {
		long word = (long)(at + i);
		long err = sys_call(SYS_futex, word, wake_op, 1, 1, word,
				    add_nothing);

		if (err < 0)
			return (int)err;
	}
	return 0;
}

/*
 * Returns whether pages at this offset are created by writing zeros. Segments
 * after the first have huge pages, for which a store is as fast (map_over()).
 */
static int writes_pages(const struct part_file *file, uint64_t offset,
			uint64_t bytes)
{
	return file->has_dear_pages && bytes >= WRITTEN_MIN &&
	       offset + bytes <= file->segments[0].bytes;
}

int part_file_take(const struct part_file *file, uint64_t offset, void *at,
		   uint64_t bytes)
{
	int err;

	if (file->is_private)
		return 0;
	if (writes_pages(file, offset, bytes))
		page_making_write(file->path, file->dev, file->ino, offset,
				  bytes);
	err = sys_madvise(at, bytes, SYS_POPULATE_WRITE);
	if (err == -EINVAL)
		err = touch(at, bytes);
	return err == -EFAULT ? -ENOSPC : err;
}

void part_file_give_back(void *at, uint64_t bytes)
{
	if (sys_madvise(at, bytes, MADV_REMOVE))
		fill_zero(at, bytes);
}

/*
 * Returns how many bytes from `offset` on are made accessible: up to the end of
 * a huge page, because the kernel maps a huge page at once only if all of it is
 * accessible. Mapping its small pages one by one costs six times as much.
 */
static uint64_t accessible_bytes(const struct part_file *file, uint64_t offset,
				 uint64_t bytes)
{
	const struct segment *last = &file->segments[file->segment_count - 1];
	uint64_t end = (offset + bytes + HUGE_PAGE_BYTES - 1) &
		       ~(uint64_t)(HUGE_PAGE_BYTES - 1);

	if (end > last->offset + last->bytes)
		end = last->offset + last->bytes;
	if (end > file->bytes && !file->is_private)
		end = file->bytes & ~(uint64_t)(PAGE - 1);
	return last->offset ? end - offset : bytes;
}

int part_file_extend(struct part_file *file, uint64_t offset, uint64_t bytes,
		     void **at)
{
	void *address;
	int err = lengthen(file, offset + bytes);

	if (!err)
		err = reach(file, offset, bytes);
	if (err)
		return err;
	address = address_of(file, offset);
	err = sys_mprotect(address, accessible_bytes(file, offset, bytes),
			   SYS_PROT_OURS);
	if (!err)
		err = part_file_take(file, offset, address, bytes);
	if (err) {
		/*
		 * Also releases blocks that were allocated before the failure.
		 */
		sys_madvise(address, bytes, MADV_REMOVE);
		return err;
	}
	*at = address;
	return 0;
}

/* ---- The beginning and the end ---- */

struct making {
	struct part_file *file;
	const char *dir;
	uint32_t pid;
	uint32_t seq;
	/*
	 * If not NULL, the new file has the same name as this one, with another
	 * suffix.
	 */
	const struct part_file *other;
	const char *suffix;
};

static int name_file(struct making *making)
{
	struct part_file *file = making->file;
	struct text text = text_in(file->path, sizeof(file->path));

	text_string(&text, making->dir);
	text_string(&text, "/");
	text_number(&text, making->pid);
	text_string(&text, ".");
	text_number(&text, making->seq);
	text_string(&text, WIRE_PART_SUFFIX);
	return text_was_cut(&text) ? -ENAMETOOLONG : 0;
}

static int name_beside(struct making *making)
{
	struct part_file *file = making->file;
	struct text text = text_in(file->path, sizeof(file->path));

	text_string(&text, making->other->path);
	if (text_was_cut(&text))
		return -ENAMETOOLONG;
	text.at -= sizeof(WIRE_PART_SUFFIX) - 1;
	text.left += sizeof(WIRE_PART_SUFFIX) - 1;
	text_string(&text, making->suffix);
	return text_was_cut(&text) ? -ENAMETOOLONG : 0;
}

#define OPEN_NEW O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW

static int open_beside(struct making *making)
{
	const int err = name_beside(making);

	return err ? err : sys_open(making->file->path, OPEN_NEW, 0600);
}

/*
 * Creates a file with the first sequence number that is free. Returns a
 * descriptor or -errno.
 */
static int open_new(struct making *making)
{
	if (making->other)
		return open_beside(making);
	for (making->seq = 0; making->seq < SEQ_MAX; making->seq++) {
		int fd = name_file(making);

		if (!fd)
			fd = sys_open(making->file->path, OPEN_NEW, 0600);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

static int begin_file(struct part_file *file, int fd)
{
	struct stat st;
	int err = sys_fstat(fd, &st);

	if (err)
		return err;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->has_dear_pages = page_making_pays(fd);
	err = set_first_length(file, fd);
	return err ? err : add_segment(file, 0, WIRE_HEADER_BYTES, fd);
}

/* A function for apart_call(): creates the file and maps its first segment. */
static int make_file(void *argument)
{
	struct making *making = argument;
	int err, fd = open_new(making);

	if (fd < 0)
		return fd;
	err = begin_file(making->file, fd);
	if (err)
		sys_unlink(making->file->path);
	sys_close(fd);
	return err;
}

int part_file_create(struct part_file *file, const char *dir, uint32_t pid,
		     uint32_t *seq)
{
	struct making making = { .file = file, .dir = dir, .pid = pid };
	int err;

	file->is_private = !dir;
	file->segment_count = 0;
	if (dir)
		err = apart_call(make_file, &making);
	else
		err = add_segment(file, 0, WIRE_HEADER_BYTES, -1);
	*seq = making.seq;
	return err;
}

int part_file_create_beside(struct part_file *file,
			    const struct part_file *other, const char *suffix)
{
	struct making making = { .file = file,
				 .other = other,
				 .suffix = suffix };

	file->is_private = other->is_private;
	file->segment_count = 0;
	if (file->is_private)
		return add_segment(file, 0, WIRE_HEADER_BYTES, -1);
	return apart_call(make_file, &making);
}

void part_file_cut(struct part_file *file, uint64_t bytes)
{
	if (!file->is_private && is_there(file) &&
	    !sys_truncate(file->path, bytes))
		file->bytes = bytes;
}

/* Returns the part of a path behind the last slash. */
static const char *name_in(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

int part_file_is_beside(const struct part_file *file,
			const struct part_file *other)
{
	const char *path = file->path, *name = name_in(path);

	if (file->is_private || other->is_private)
		return 0;
	for (const char *at = other->path; path < name; path++, at++)
		if (*path != *at)
			return 0;
	return name_in(other->path) - other->path == name - file->path &&
	       is_there(other);
}

void part_file_remove(const struct part_file *file)
{
	if (!file->is_private && is_there(file))
		sys_unlink(file->path);
}

void part_file_unmap(struct part_file *file, uint64_t but_bytes)
{
	for (uint32_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];
		const uint64_t kept = i ? 0 : but_bytes;

		if (kept < segment->bytes)
			sys_munmap(segment->at + kept, segment->bytes - kept);
	}
	file->segment_count = 0;
}

/* Maps private zeros over the pages. If that fails, unmaps the pages. */
int part_file_blank_stretch(const struct segment *segment, uint64_t from,
			    uint64_t to)
{
	unsigned char *at = segment->at + from;
	void *zeros;

	if (from >= to)
		return 0;
	zeros = sys_mmap(
		at, to - from, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	if (!sys_failed(zeros))
		return 0;
	sys_munmap(at, to - from);
	return (int)(long)zeros;
}

void part_file_blank(struct part_file *file, uint64_t but_bytes)
{
	for (uint32_t i = 0; i < file->segment_count; i++) {
		struct segment *segment = &file->segments[i];
		const uint64_t kept = i ? 0 : but_bytes;

		if (part_file_blank_stretch(segment, kept, segment->bytes))
			segment->bytes = kept;
	}
}
