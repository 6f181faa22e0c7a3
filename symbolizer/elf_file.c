/* SPDX-License-Identifier: MIT */
#include "symbolizer/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#define DEBUG_DIRECTORY "/usr/lib/debug/.build-id"

/* O_NONBLOCK: a path from a hostile recording may name a fifo. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return -ENOEXEC;
}

static int note_is_build_id(const Elf_Data *notes, const GElf_Nhdr *note,
			    size_t name, const struct build_id *wanted,
			    size_t value)
{
	const char *bytes = notes->d_buf;

	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
	       memcmp(bytes + name, "GNU", 4) == 0 &&
	       note->n_descsz == wanted->bytes &&
	       memcmp(bytes + value, wanted->data, wanted->bytes) == 0;
}

static int notes_hold(Elf_Data *notes, const struct build_id *wanted)
{
	size_t at = 0, name, value;
	GElf_Nhdr note;

	while (notes &&
	       (at = gelf_getnote(notes, at, &note, &name, &value)) > 0) {
		if (note_is_build_id(notes, &note, name, wanted, value))
			return 1;
	}
	return 0;
}

static int has_build_id(Elf *elf, const struct build_id *wanted)
{
	size_t count;
	GElf_Phdr segment;

	if (elf_getphdrnum(elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment))
			return 0;
		if (segment.p_type != PT_NOTE)
			continue;
		if (notes_hold(elf_getdata_rawchunk(
				       elf, (int64_t)segment.p_offset,
				       segment.p_filesz,
				       segment.p_align == 8 ? ELF_T_NHDR8
							    : ELF_T_NHDR),
			       wanted))
			return 1;
	}
	return 0;
}

int elf_file_open(struct elf_file *file, const char *path,
		  const struct build_id *wanted)
{
	int fd = open_regular(path);
	int err = -ENOEXEC;
	Elf *elf;

	if (fd < 0)
		return fd;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		goto close_elf;
	err = -ESTALE;
	if (wanted->bytes > 0 && !has_build_id(elf, wanted))
		goto close_elf;
	*file = (struct elf_file){ .fd = fd, .elf = elf };
	return 0;
close_elf:
	elf_end(elf);
	close(fd);
	return err;
}

int elf_file_open_debug(struct elf_file *file, const struct build_id *wanted)
{
	char path[sizeof(DEBUG_DIRECTORY) + 2 * sizeof(wanted->data) + 16];
	int length;

	if (wanted->bytes < 2 || wanted->bytes > sizeof(wanted->data))
		return -ENOENT;
	length = snprintf(path, sizeof(path), DEBUG_DIRECTORY "/%02x/",
			  wanted->data[0]);
	for (uint32_t i = 1; i < wanted->bytes; i++)
		length += snprintf(path + length, sizeof(path) - (size_t)length,
				   "%02x", wanted->data[i]);
	snprintf(path + length, sizeof(path) - (size_t)length, ".debug");
	return elf_file_open(file, path, wanted);
}

void elf_file_close(struct elf_file *file)
{
	elf_end(file->elf);
	close(file->fd);
}
