/* SPDX-License-Identifier: MIT */
#include "symbolizer/identity.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "symbolizer/cursor.h"
#include "symbolizer/notes.h"

enum { MOST_SEGMENTS = 256, NOTE_BYTES = 4096 };

static int read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	ssize_t got = pread(fd, to, bytes, (off_t)offset);

	return got < 0 ? -errno : (int)got;
}

static void find_build_id(int fd, const Elf64_Ehdr *header,
			  struct a2n_build_id *out)
{
	uint8_t notes[NOTE_BYTES];
	Elf64_Phdr segment;

	if (header->e_phentsize != sizeof(segment))
		return;
	for (unsigned int i = 0; i < header->e_phnum && i < MOST_SEGMENTS;
	     i++) {
		uint64_t bytes;
		int got;

		if (read_at(fd, &segment, sizeof(segment),
			    header->e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return;
		if (segment.p_type != PT_NOTE)
			continue;
		bytes = segment.p_filesz < sizeof(notes) ? segment.p_filesz
							 : sizeof(notes);
		got = read_at(fd, notes, bytes, segment.p_offset);
		if (got > 0 &&
		    notes_build_id((struct span){ notes, (size_t)got },
				   segment.p_align, out))
			return;
	}
}

int identity_of_file(const char *path, struct identity *out)
{
	int fd = regular_file_open(path, O_RDONLY);
	struct identity identity = { 0 };
	struct stat status;
	Elf64_Ehdr header;
	int err = -ENOEXEC;

	if (fd < 0)
		return fd == -EINVAL ? -ENOEXEC : fd;
	if (fstat(fd, &status) != 0 ||
	    read_at(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		goto close;
	identity.bytes = (uint64_t)status.st_size;
	identity.mtime_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
			    (uint64_t)status.st_mtim.tv_nsec;
	find_build_id(fd, &header, &identity.build_id);
	*out = identity;
	err = 0;
close:
	close(fd);
	return err;
}
