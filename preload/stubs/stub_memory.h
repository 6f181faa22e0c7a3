/* SPDX-License-Identifier: MIT */
/*
 * Memory for blocks of stubs that unwinders can unwind through.
 *
 * The first page of a block is an ELF image of the whole block. Unwinders in
 * the process get its program headers (frames_find.c), and gdb gets the image
 * itself (frames_gdb.c). Tools outside the process, such as libunwind-ptrace,
 * eu-stack and perf, read the file that /proc/PID/maps names. Each block is
 * therefore a private mapping of a file in the recording's folder, which
 * contains such a page and otherwise a hole. The image has no fixed address, so
 * one file serves all blocks of all processes with the same shadow address:
 * creating a file takes the kernel longer than a small program runs. The file
 * is short, because it may be left behind; the part of a block beyond its end
 * maps the file again.
 *
 *	block	[ image | stubs ... | stubs ... | not used yet ]
 *	file	[ image | hole      |
 *			[ hole      |
 *
 * A process without a fixed shadow address has files of its own,
 * PART-ADDRESS.stubs. If no file can be used, a block is anonymous memory, as
 * that of trampolines always is, and tools outside the process see less.
 */
#ifndef CLEW_STUBS_STUB_MEMORY_H
#define CLEW_STUBS_STUB_MEMORY_H

#include <stdint.h>

#include "preload/stubs/stub_image.h"

/*
 * Maps a block at `place`, writable except for its first page. part_path is the
 * part that is being recorded, or NULL or empty. Returns 0, -EEXIST if the
 * range is taken, or another -errno; after -ENOMEM another place would hardly
 * succeed.
 */
int stub_memory_map(const char *part_path, uint64_t place);

/*
 * stub_memory_reserve() maps anonymous memory, which must be moved to a file
 * before it is used: creating a file takes as long as a hundred stubs. If no
 * file can be used the memory stays anonymous.
 */
int stub_memory_reserve(uint64_t place, enum stub_image_of what);
int stub_memory_move_to_file(const char *part_path, uint64_t place);

/*
 * Prepares pages of a block of stubs for writing, so that no store causes
 * SIGBUS because of a full disk. Pages that cannot be read from a file become
 * anonymous. part_path is NULL unless the pages were freed before; then it is
 * the part that is being recorded, in whose folder the file is.
 */
void stub_memory_back(uint64_t start, uint64_t end, const char *part_path);

/*
 * Frees pages that no thread executes or returns into: they become unused
 * anonymous memory, in one mapping with their neighbours. Returns 0 or -errno.
 */
int stub_memory_free(uint64_t start, uint64_t end);

#endif
