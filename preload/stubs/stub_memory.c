/* SPDX-License-Identifier: MIT */
#include "preload/stubs/stub_memory.h"

#include <string.h>

#include "preload/stubs/block.h"
#include "preload/stubs/stub_image.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/enlarge.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/recording.h"

/* PATH/PID.SEQ.part -> PATH/PID.SEQ-ADDRESS.stubs; false if there is no room */
static int name_file(struct text *name, const char *part_path, uint64_t place)
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

/* A file of a block's size with its image in it. */
static int fill_file(int fd, const struct stub_image *image)
{
	int err = enlarge_file(fd, WINDOW_BLOCK_BYTES);

	if (!err &&
	    enlarge_by_pwrite(fd, image, sizeof(*image), 0) != sizeof(*image))
		err = -ENOSPC;
	return err;
}

static int create_file(const char *name, const struct stub_image *image)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	int fd = sys_open(name, flags, 0600), err;

	if (fd < 0)
		return fd;
	err = fill_file(fd, image);
	if (!err)
		return fd;
	sys_close(fd);
	sys_unlink(name);
	return err;
}

static int map(uint64_t place, int flags, int fd)
{
	void *hint = (void *)(uintptr_t)place;
	void *got = sys_mmap(hint, WINDOW_BLOCK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_NORESERVE | flags, fd, 0);

	if (got == hint) {
		/* or the first store would read megabytes of hole around it */
		if (fd >= 0)
			sys_madvise(got, WINDOW_BLOCK_BYTES, MADV_RANDOM);
		return 0;
	}
	if (sys_failed(got))
		return (int)(long)got;
	sys_munmap(got, WINDOW_BLOCK_BYTES);
	return -EEXIST; /* a kernel before 4.17 took it as a hint */
}

/*
 * Executable: what is refused here would be refused for stubs as well, on a
 * file system mounted noexec for one.
 */
static int protect_image(uint64_t place)
{
	return sys_mprotect((void *)(uintptr_t)place, sizeof(struct stub_image),
			    PROT_READ | PROT_EXEC);
}

/* Instead of what is there. False if a file cannot be. */
static int map_file(const char *part_path, uint64_t place,
		    enum stub_image_of what)
{
	struct stub_image image = { 0 };
	struct text name = text_in(image.name, sizeof(image.name));
	int fd, is_mapped;

	if (!name_file(&name, part_path, place))
		return 0;
	stub_image_write(&image, place, what);
	fd = create_file(image.name, &image);
	if (fd < 0)
		return 0;
	is_mapped = !map(place, MAP_FIXED, fd);
	sys_close(fd);
	if (is_mapped) {
		stub_memory_back(place, place + sizeof(image));
		copy_bytes((void *)(uintptr_t)place, &image, sizeof(image));
		if (!protect_image(place))
			return 1;
	}
	sys_unlink(image.name);
	return 0;
}

static void name_anonymous(uint64_t place, enum stub_image_of what)
{
	struct stub_image *image = (struct stub_image *)(uintptr_t)place;

	strcpy(image->name, "[clew stubs]");
	stub_image_write(image, place, what);
	protect_image(place);
}

int stub_memory_reserve(uint64_t place, enum stub_image_of what)
{
	int err = map(place, MAP_FIXED_NOREPLACE | MAP_ANONYMOUS, -1);

	if (!err)
		name_anonymous(place, what);
	return err;
}

/* Its first page is the same in the file: who reads it meanwhile sees no change. */
int stub_memory_move_to_file(const char *part_path, uint64_t place,
			     enum stub_image_of what)
{
	int err;

	if (map_file(part_path, place, what))
		return 0;
	err = map(place, MAP_FIXED | MAP_ANONYMOUS, -1);
	if (!err)
		name_anonymous(place, what);
	return err;
}

/* Many places may be taken: only where one is free a file is worth making. */
int stub_memory_map(const char *part_path, uint64_t place,
		    enum stub_image_of what)
{
	int err = map(place, MAP_FIXED_NOREPLACE | MAP_ANONYMOUS, -1);

	return err ? err : stub_memory_move_to_file(part_path, place, what);
}

void stub_memory_back(uint64_t start, uint64_t end)
{
	void *at = (void *)(uintptr_t)start;

	/* of the file, all at once and not page by page: 40 % less time */
	sys_madvise(at, end - start, MADV_WILLNEED);
	if (sys_madvise(at, end - start, SYS_POPULATE_WRITE))
		sys_mmap(at, end - start, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				 MAP_FIXED,
			 -1, 0);
}
