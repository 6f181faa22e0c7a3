/* SPDX-License-Identifier: MIT */
/* See image_copy.h. */
#include "image/image_copy.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/content_ranges.h"

/*
 * Memory for a file's bytes, each at its offset; untouched pages cost nothing.
 */
struct image_room {
	int fd;
	uint8_t *bytes;
	uint64_t size;
};

static int room_open(struct image_room *room, int fd, uint64_t size)
{
	*room = (struct image_room){ .fd = fd, .size = size };
	room->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return room->bytes == MAP_FAILED ? -errno : 0;
}

static int read_range(const struct image_room *room, uint64_t off,
		      uint64_t count)
{
	if (off > room->size || count > room->size - off)
		/* image_init() refuses such a file if the range matters */
		return 0;
	while (count > 0) {
		ssize_t got =
			pread(room->fd, room->bytes + off, count, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EBADMSG;
		off += (uint64_t)got;
		count -= (uint64_t)got;
	}
	return 0;
}

static int read_section_names(const struct image_room *room,
			      struct image *headers)
{
	const Elf64_Ehdr *header = (const void *)room->bytes;
	const Elf64_Shdr *section = headers->sections + header->e_shstrndx;
	int err;

	if (header->e_shstrndx >= headers->section_count ||
	    section->sh_type == SHT_NOBITS)
		return 0;
	if (section->sh_size > IMAGE_COPY_MOST)
		return -EFBIG;
	err = read_range(room, section->sh_offset, section->sh_size);
	return err ? err : image_init(headers, room->bytes, room->size);
}

/* Reads the segment and section headers and the section names. */
static int read_headers(const struct image_room *room, struct image *headers)
{
	const Elf64_Ehdr *header = (const void *)room->bytes;
	int err;

	if (room->size < sizeof(*header))
		return -ENOEXEC;
	err = read_range(room, 0, sizeof(*header));
	if (!err)
		err = read_range(room, header->e_phoff,
				 header->e_phnum * sizeof(Elf64_Phdr));
	if (!err)
		err = read_range(room, header->e_shoff,
				 header->e_shnum * sizeof(Elf64_Shdr));
	if (!err)
		err = image_init(headers, room->bytes, room->size);
	return err ? err : read_section_names(room, headers);
}

/*
 * The context of copy_range(). `headers` are a copy of the file's headers, so
 * that another process cannot change them during the walk over the ranges.
 */
struct image_copying {
	const struct image *headers;
	struct image_room *room;
};

static int copy_range(void *context, const uint8_t *bytes, uint64_t count)
{
	const struct image_copying *copying = context;

	return read_range(copying->room,
			  (uint64_t)(bytes - copying->headers->bytes), count);
}

static int copy_ranges(const struct image *headers, int fd, struct image *image)
{
	/* the same limit as in content_of() */
	const uint64_t most = 2 * headers->size;
	struct image_room room;
	struct image_copying copying = { .headers = headers, .room = &room };
	int err = room_open(&room, fd, headers->size);

	if (err)
		return err;
	err = content_ranges_walk(
		headers, most < IMAGE_COPY_MOST ? most : IMAGE_COPY_MOST,
		copy_range, &copying);
	if (!err)
		err = image_init(image, room.bytes, room.size);
	if (err)
		munmap(room.bytes, room.size);
	return err;
}

static int copy_file(struct image *image, int fd, uint64_t size)
{
	struct image_room room;
	struct image headers;
	int err = room_open(&room, fd, size);

	if (err)
		return err;
	err = read_headers(&room, &headers);
	if (!err)
		err = copy_ranges(&headers, fd, image);
	munmap(room.bytes, size);
	return err;
}

int image_open_copy(struct image *image, const char *path)
{
	int errno_before = errno;
	struct file_stamp stamp;
	int err, fd = image_open_file(path, &stamp);

	if (fd < 0)
		return fd;
	err = copy_file(image, fd, stamp.bytes);
	if (!err) {
		image->stamp = stamp;
		image->is_copy = 1;
	}
	close(fd);
	errno = errno_before;
	return err;
}

int image_open_for(struct image *image, const char *path, uint32_t user)
{
	int err = image_open(image, path);

	if (err || file_stamp_is_guarded(&image->stamp, user))
		return err;
	image_close(image);
	return image_open_copy(image, path);
}
