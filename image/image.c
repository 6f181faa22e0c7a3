/* SPDX-License-Identifier: MIT */
/* See image.h. */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/elf_numbers.h"

/*
 * Returns a range of the file, or NULL if it is not inside or is badly aligned.
 */
static const void *file_range(const struct image *image, uint64_t off,
			      uint64_t bytes, size_t alignment)
{
	if (off > image->size || bytes > image->size - off ||
	    off % alignment != 0)
		return NULL;
	return image->bytes + off;
}

static int check_header(const Elf64_Ehdr *header)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_machine != MACHINE_ELF)
		return -ENOEXEC;
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return -ENOEXEC;
	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0)
		return -EBADMSG;
	return 0;
}

static void find_section_names(struct image *image, uint16_t index)
{
	const Elf64_Shdr *section = image->sections + index;
	const char *names;

	if (index >= image->section_count || section->sh_type != SHT_STRTAB ||
	    section->sh_size == 0)
		return;
	names = image_section_bytes(image, section);
	if (!names || names[section->sh_size - 1] != '\0')
		return;
	image->section_names = names;
	image->section_names_bytes = section->sh_size;
}

static void find_sections(struct image *image, const Elf64_Ehdr *header)
{
	uint64_t bytes = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);

	if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff == 0)
		return;
	image->sections =
		file_range(image, header->e_shoff, bytes, _Alignof(Elf64_Shdr));
	if (!image->sections)
		return;
	image->section_count = header->e_shnum;
	find_section_names(image, header->e_shstrndx);
}

int image_init(struct image *image, const void *bytes, size_t size)
{
	struct image made = { .bytes = bytes, .size = size };
	const Elf64_Ehdr *header = bytes;
	int err;

	if (size < sizeof(*header))
		return -ENOEXEC;
	err = check_header(header);
	if (err)
		return err;
	made.segments =
		file_range(&made, header->e_phoff,
			   (uint64_t)header->e_phnum * sizeof(Elf64_Phdr),
			   _Alignof(Elf64_Phdr));
	if (!made.segments)
		return -EBADMSG;
	made.segment_count = header->e_phnum;
	find_sections(&made, header);
	*image = made;
	return 0;
}

/*
 * Returns 0 for a regular file, otherwise -errno. Opening a device may have
 * side effects, and the path may come from a hostile file or process.
 */
static int check_kind(const char *path)
{
	const int place = open(path, O_PATH | O_CLOEXEC);
	struct stat st;
	int err = place < 0 || fstat(place, &st) ? -errno : 0;

	if (!err && !S_ISREG(st.st_mode))
		err = -ENOEXEC;
	if (place >= 0)
		close(place);
	return err;
}

int image_open_file(const char *path, struct file_stamp *stamp)
{
	int err = check_kind(path);
	int fd;

	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	err = file_stamp_of(fd, stamp);
	if (!err && (!S_ISREG(stamp->mode) || stamp->bytes == 0))
		err = -ENOEXEC;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int map_file(struct image *image, int fd, size_t size)
{
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	int err;

	if (bytes == MAP_FAILED)
		return -errno;
	err = image_init(image, bytes, size);
	if (err)
		munmap(bytes, size);
	return err;
}

int image_open(struct image *image, const char *path)
{
	int errno_before = errno;
	struct file_stamp stamp;
	int fd = image_open_file(path, &stamp);
	int err = fd < 0 ? fd : map_file(image, fd, stamp.bytes);

	if (!err)
		image->stamp = stamp;
	if (fd >= 0)
		close(fd);
	errno = errno_before;
	return err;
}

void image_close(struct image *image)
{
	munmap((void *)image->bytes, image->size);
	*image = (struct image){ 0 };
}

const uint8_t *image_at(const struct image *image, uint64_t vaddr,
			uint64_t *left)
{
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;
		uint64_t skip = vaddr - segment->p_vaddr;
		const uint8_t *bytes;

		if (segment->p_type != PT_LOAD || vaddr < segment->p_vaddr ||
		    skip >= segment->p_filesz)
			continue;
		bytes = file_range(image, segment->p_offset, segment->p_filesz,
				   1);
		if (!bytes)
			return NULL;
		if (left)
			*left = segment->p_filesz - skip;
		return bytes + skip;
	}
	return NULL;
}

struct bytes image_bytes_at(const struct image *image, uint64_t vaddr)
{
	uint64_t left = 0;
	const uint8_t *at = image_at(image, vaddr, &left);

	if (!at)
		/*
		 * `at` must not be NULL, so that pointer arithmetic is defined.
		 */
		at = image->bytes;
	return (struct bytes){ .at = at, .end = at + left };
}

const Elf64_Phdr *image_segment(const struct image *image, uint32_t type)
{
	for (uint16_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].p_type == type)
			return image->segments + i;
	return NULL;
}

const char *image_section_name(const struct image *image,
			       const Elf64_Shdr *section)
{
	if (section->sh_name >= image->section_names_bytes)
		return "";
	return image->section_names + section->sh_name;
}

const Elf64_Shdr *image_section(const struct image *image, const char *name)
{
	for (uint16_t i = 0; i < image->section_count; i++)
		if (strcmp(image_section_name(image, image->sections + i),
			   name) == 0)
			return image->sections + i;
	return NULL;
}

const void *image_section_bytes(const struct image *image,
				const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL)
		return NULL;
	return file_range(image, section->sh_offset, section->sh_size, 1);
}

/*
 * Sets *start and *end to the bounds of the addresses of all loaded segments
 * that have these flags, as far as the file has bytes for them; 0 and 0 if
 * there is none.
 */
static void range_of(const struct image *image, uint32_t flags, uint64_t *start,
		     uint64_t *end)
{
	uint64_t low = UINT64_MAX;
	uint64_t high = 0;

	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;
		uint64_t past = segment->p_vaddr + segment->p_filesz;

		if (segment->p_type != PT_LOAD ||
		    (segment->p_flags & flags) != flags ||
		    past <= segment->p_vaddr)
			continue;
		if (segment->p_vaddr < low)
			low = segment->p_vaddr;
		if (past > high)
			high = past;
	}
	*start = high ? low : 0;
	*end = high;
}

void image_text_range(const struct image *image, uint64_t *start, uint64_t *end)
{
	range_of(image, PF_X, start, end);
}

void image_load_range(const struct image *image, uint64_t *start, uint64_t *end)
{
	range_of(image, 0, start, end);
}

/* Notes are 4-byte words: sizes, type, name, contents, each padded to 4. */
static size_t build_id_in(struct bytes notes, uint8_t *out, size_t room)
{
	while (bytes_left(&notes) > 0 && !notes.failed) {
		uint64_t name_bytes = bytes_unsigned(&notes, 4);
		uint64_t id_bytes = bytes_unsigned(&notes, 4);
		uint64_t type = bytes_unsigned(&notes, 4);
		const uint8_t *name = notes.at;
		const uint8_t *id;

		bytes_skip(&notes, (name_bytes + 3) / 4 * 4);
		id = notes.at;
		bytes_skip(&notes, (id_bytes + 3) / 4 * 4);
		if (notes.failed || type != NT_GNU_BUILD_ID ||
		    name_bytes != 4 || memcmp(name, "GNU", 4) != 0)
			continue;
		if (id_bytes == 0 || id_bytes > room)
			return 0;
		memcpy(out, id, id_bytes);
		return id_bytes;
	}
	return 0;
}

size_t image_build_id(const struct image *image, uint8_t *out, size_t room)
{
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;
		uint64_t left;
		const uint8_t *at;
		size_t bytes;

		if (segment->p_type != PT_NOTE)
			continue;
		/*
		 * Reads the note as the loader loads it, if it does
		 * (preload/modules/modules.c).
		 */
		at = image_at(image, segment->p_vaddr, &left);
		if (!at || left < segment->p_filesz)
			continue;
		bytes = build_id_in(
			(struct bytes){ at, at + segment->p_filesz, 0 }, out,
			room);
		if (bytes)
			return bytes;
	}
	return 0;
}
