/* SPDX-License-Identifier: MIT */
/* See stub_memory.h. */
#include "preload/stubs/stub_memory.h"

#include <errno.h>
#include <string.h>

#include "preload/hot/shadow.h"
#include "preload/stubs/block.h"
#include "preload/stubs/stub_image.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/enlarge.h"
#include "preload/sys/seal.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/recording.h"

/* Size of the file that blocks of stubs share (stub_memory.h). */
#define SHARED_BYTES (UINT64_C(1) << 20)

/*
 * Writes the name PATH/PID.SEQ-ADDRESS.stubs for PATH/PID.SEQ.part. Returns
 * false if it does not fit.
 */
static int name_own_file(struct text *name, const char *part_path,
			 uint64_t place)
{
	size_t length = part_path ? strlen(part_path) : 0;

	if (length < sizeof(WIRE_PART_SUFFIX))
		return 0;
	length -= sizeof(WIRE_PART_SUFFIX) - 1;
	for (size_t i = 0; i < length; i++)
		text_char(name, part_path[i]);
	text_string(name, "-");
	text_hex(name, place);
	text_string(name, WIRE_STUBS_SUFFIX);
	return !text_was_cut(name);
}

/* Writes the name PATH/shadow-PLACE.stubs. Returns false if it does not fit. */
static int name_shared_file(struct text *name, const char *part_path)
{
	const char *slash = NULL;

	for (const char *at = part_path; at && *at; at++)
		if (*at == '/')
			slash = at;
	if (!slash)
		return 0;
	while (part_path <= slash)
		text_char(name, *part_path++);
	text_string(name, WIRE_STUBS_SHARED);
	text_hex(name, hot_shadow_half);
	text_string(name, WIRE_STUBS_SUFFIX);
	return !text_was_cut(name);
}

static int is_shared(void)
{
	return hot_shadow_low != SHADOW_NOWHERE;
}

/* Writes a file of this size with an image at its start. */
static int fill_file(int fd, const struct stub_image *image, uint64_t bytes)
{
	int err = enlarge_file(fd, bytes);

	if (!err &&
	    enlarge_by_pwrite(fd, image, sizeof(*image), 0) != sizeof(*image))
		err = -ENOSPC;
	return err;
}

static int create_file(const char *name, const struct stub_image *image,
		       uint64_t bytes)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	int fd = sys_open(name, flags, 0600), err;

	if (fd < 0)
		return fd;
	err = fill_file(fd, image, bytes);
	if (!err)
		return fd;
	sys_close(fd);
	sys_unlink(name);
	return err;
}

/* Returns whether only this process's user can change or truncate the file. */
static int is_own_file(int fd)
{
	const long user = sys_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	struct stat st;

	return !sys_fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       st.st_uid == (uid_t)user && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/*
 * Opens a file of this process's user, for writing, so that a lease shows that
 * the file is in use. Returns a descriptor or -errno: -EPERM if the file
 * belongs to another user, whose processes record to the same folder.
 */
static int open_own_file(const char *name)
{
	int fd =
		sys_open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);

	if (fd < 0 || is_own_file(fd))
		return fd;
	sys_close(fd);
	return -EPERM;
}

/*
 * Opens the shared file; the first process creates it. A process that opens it
 * before it is complete uses anonymous memory instead.
 */
static int open_shared_file(const char *name)
{
	int fd = open_own_file(name);
	struct stub_image image = { 0 };

	if (fd != -ENOENT)
		return fd;
	stub_image_write_shared(&image, SHARED_BYTES);
	fd = create_file(name, &image, SHARED_BYTES);
	return fd == -EEXIST ? open_own_file(name) : fd;
}

/*
 * Excludes a block, except its first page, from core files, to which it would
 * add megabytes.
 */
static void exclude_from_cores(uint64_t place, uint64_t bytes)
{
	sys_madvise((void *)(uintptr_t)(place + WINDOW_HEAD_BYTES),
		    bytes - WINDOW_HEAD_BYTES, MADV_DONTDUMP);
}

static int map_anonymous(uint64_t place)
{
	void *hint = (void *)(uintptr_t)place;
	void *got = sys_mmap(hint, WINDOW_BLOCK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_NORESERVE | MAP_ANONYMOUS |
				     MAP_FIXED_NOREPLACE,
			     -1, 0);

	if (got == hint) {
		exclude_from_cores(place, WINDOW_BLOCK_BYTES);
		return 0;
	}
	if (sys_failed(got))
		return (int)(long)got;
	sys_munmap(got, WINDOW_BLOCK_BYTES);
	return -EEXIST; /* kernels before 4.17 take the address as a hint */
}

/* Maps a file, or anonymous memory if fd is -1, over [start, end). */
static int map_pages(uint64_t start, uint64_t end, int fd, uint64_t offset)
{
	void *at = (void *)(uintptr_t)start;
	const int flags = fd < 0 ? MAP_ANONYMOUS : 0;
	const void *got =
		sys_mmap(at, end - start, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED | flags, fd,
			 (off_t)offset);

	return sys_failed(got) ? (int)(long)got : 0;
}

/*
 * Maps a file over the beginning of a block, but not beyond the end of the
 * file, where a program that reads all of its memory would get SIGBUS.
 */
static int map_from_file(uint64_t place, int fd, uint64_t bytes)
{
	int err = map_pages(place, place + bytes, fd, 0);

	if (err)
		return err;
	/* Otherwise the first store would read megabytes of the hole. */
	sys_madvise((void *)(uintptr_t)place, bytes, MADV_RANDOM);
	exclude_from_cores(place, bytes);
	return 0;
}

/*
 * Makes the image executable. A refusal here predicts a refusal for stubs, as
 * on a file system mounted noexec or in a hardened process (seal.h). The
 * block is then anonymous memory.
 */
static int protect_image(uint64_t place)
{
	return sys_mprotect((void *)(uintptr_t)place, sizeof(struct stub_image),
			    PROT_READ | PROT_EXEC);
}

/* Allocates the pages [start, end) for writing. Returns 0 or -errno. */
static int populate(uint64_t start, uint64_t end)
{
	void *at = (void *)(uintptr_t)start;

	return sys_madvise(at, end - start, SYS_POPULATE_WRITE);
}

/* Writes the block's first page, then makes it read-only. */
static int place_image(uint64_t place, const struct stub_image *image)
{
	if (populate(place, place + sizeof(*image)) &&
	    map_pages(place, place + PAGE_BYTES, -1, 0))
		return -ENOMEM;
	copy_bytes((void *)(uintptr_t)place, image, sizeof(*image));
	return protect_image(place);
}

/*
 * Maps a file with an image over the anonymous memory of a block. Returns false
 * if no file can be used.
 */
static int map_file(const char *part_path, uint64_t place)
{
	struct stub_image image = { 0 };
	struct text name = text_in(image.name, sizeof(image.name));
	const int shares = is_shared();
	const uint64_t bytes = shares ? SHARED_BYTES : WINDOW_BLOCK_BYTES;
	int fd, is_mapped;

	if (!(shares ? name_shared_file(&name, part_path)
		     : name_own_file(&name, part_path, place)))
		return 0;
	stub_image_write(&image, place, IMAGE_OF_STUBS);
	fd = shares ? open_shared_file(image.name)
		    : create_file(image.name, &image, bytes);
	if (fd < 0)
		return 0;
	is_mapped = !map_from_file(place, fd, bytes);
	sys_close(fd);
	if (is_mapped && !place_image(place, &image))
		return 1;
	if (!shares)
		sys_unlink(image.name);
	return 0;
}

static void name_anonymous(uint64_t place, enum stub_image_of what)
{
	struct stub_image *image = (struct stub_image *)(uintptr_t)place;

	strcpy(image->name, "[clew stubs]");
	stub_image_write(image, place, what);
	seal_pages(image, sizeof(*image));
}

int stub_memory_reserve(uint64_t place, enum stub_image_of what)
{
	int err = map_anonymous(place);

	if (!err)
		name_anonymous(place, what);
	return err;
}

/*
 * The contents of the first page stay the same, so concurrent readers see no
 * change.
 */
int stub_memory_move_to_file(const char *part_path, uint64_t place)
{
	int err;

	if (map_file(part_path, place))
		return 0;
	err = map_pages(place, place + WINDOW_BLOCK_BYTES, -1, 0);
	if (!err)
		name_anonymous(place, IMAGE_OF_STUBS);
	return err;
}

/*
 * Maps anonymous memory first, and a file only if the address is free, because
 * many addresses may be taken.
 */
int stub_memory_map(const char *part_path, uint64_t place)
{
	int err = map_anonymous(place);

	return err ? err : stub_memory_move_to_file(part_path, place);
}

/* The part of the shared file after its image. */
#define PIECE_BYTES (SHARED_BYTES - WINDOW_HEAD_BYTES)

/*
 * Opens the file that blocks share, by the name in a block's image, or beside
 * the part.
 */
static int open_again(uint64_t block, const char *part_path)
{
	const struct stub_image *image = (const void *)(uintptr_t)block;
	char path[sizeof(image->name)];
	struct text name = text_in(path, sizeof(path));

	if (part_path)
		return name_shared_file(&name, part_path)
			       ? open_shared_file(path)
			       : -ENOENT;
	return sys_open(image->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
}

/*
 * Maps pages of a block from the shared file. A block is larger than the file,
 * so further pages map the file again, without its image.
 */
static void map_again(uint64_t start, uint64_t end, const char *part_path)
{
	const uint64_t block = start & ~(WINDOW_BLOCK_BYTES - 1);
	const uint64_t stubs = block + WINDOW_HEAD_BYTES;
	const int fd = open_again(block, part_path);

	for (uint64_t at = start, to; fd >= 0 && at < end; at = to) {
		const uint64_t in_piece = (at - stubs) % PIECE_BYTES;

		to = at + PIECE_BYTES - in_piece;
		if (to > end)
			to = end;
		map_pages(at, to, fd, WINDOW_HEAD_BYTES + in_piece);
	}
	if (fd >= 0)
		sys_close(fd);
}

static int is_beyond_shared(uint64_t start)
{
	return is_shared() &&
	       (start & (WINDOW_BLOCK_BYTES - 1)) >= SHARED_BYTES;
}

void stub_memory_back(uint64_t start, uint64_t end, const char *part_path)
{
	if (is_beyond_shared(end - 1) || (part_path && is_shared()))
		map_again(start, end, part_path);
	/* Reads the file at once and not page by page: 40 % less time. */
	sys_madvise((void *)(uintptr_t)start, end - start, MADV_WILLNEED);
	if (populate(start, end))
		map_pages(start, end, -1, 0);
	sys_madvise((void *)(uintptr_t)start, end - start, MADV_DODUMP);
}

int stub_memory_free(uint64_t start, uint64_t end)
{
	const int err = map_pages(start, end, -1, 0);

	if (!err)
		sys_madvise((void *)(uintptr_t)start, end - start,
			    MADV_DONTDUMP);
	return err;
}
