/* SPDX-License-Identifier: MIT */
/* See identity.h. */
#include "symbolizer/identity.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/regular_file.h"
#include "digest/digest_links.h"
#include "symbolizer/elf/notes.h"

enum { MOST_SEGMENTS = 256, NOTE_BYTES = 4096, PIECE_BYTES = 65536 };

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
	Elf64_Ehdr header;
	int err = -ENOEXEC;

	if (fd < 0)
		return fd == -EINVAL ? -ENOEXEC : fd;
	if (file_stamp_of(fd, &identity.stamp) != 0 ||
	    read_at(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		goto close;
	find_build_id(fd, &header, &identity.build_id);
	*out = identity;
	err = 0;
close:
	close(fd);
	return err;
}

static int hash_file(int fd, uint64_t size, uint8_t digest[DIGEST_BYTES])
{
	uint8_t *piece = malloc(PIECE_BYTES);
	struct blake2b hash;
	int got = piece ? 0 : -ENOMEM;

	blake2b_begin(&hash);
	for (uint64_t at = 0; got >= 0 && at < size; at += (uint64_t)got) {
		const uint64_t left = size - at;

		got = read_at(fd, piece,
			      left < PIECE_BYTES ? left : PIECE_BYTES, at);
		if (got == 0)
			got = -ESTALE;
		if (got > 0)
			blake2b_add(&hash, piece, (size_t)got);
	}
	free(piece);
	if (got < 0)
		return got;
	blake2b_end(&hash, digest);
	return 0;
}

int identity_digest(const char *path, const struct identity *identity,
		    const char *links, uint8_t digest[DIGEST_BYTES])
{
	struct file_stamp stamp;
	int fd, err;

	if (digest_link_find(links, &identity->stamp, digest) == 0)
		return 0;
	if (identity->stamp.bytes > IDENTITY_HASHED_MOST &&
	    !file_stamp_is_guarded(&identity->stamp, geteuid()))
		return -EFBIG;
	fd = regular_file_open(path, O_RDONLY);
	if (fd < 0)
		return fd;
	err = file_stamp_of(fd, &stamp);
	if (!err && !file_stamp_is_same(&stamp, &identity->stamp))
		err = -ESTALE;
	if (!err)
		err = hash_file(fd, stamp.bytes, digest);
	if (!err)
		digest_link_keep(links, &stamp, digest);
	close(fd);
	return err;
}
