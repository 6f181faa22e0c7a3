/* SPDX-License-Identifier: MIT */
/*
 * Memory for blocks of stubs, such that unwinders find their way through it.
 *
 * The first page of a block is an ELF image of the whole block. Unwinders in
 * the process are given its program headers (frames_find.c), and gdb the image
 * itself (frames_gdb.c). Those that look from outside, as libunwind-ptrace,
 * eu-stack and perf, read the file that /proc/PID/maps names; so each block is
 * a private mapping of a file in the recording's folder, which holds such a page
 * and for the rest a hole. Its image is at no address, and so one file serves all
 * blocks of all processes that have their shadows at one place: to make a file
 * takes the kernel longer than a small program takes in all. It is short, for it may
 * be left behind: what of a block is beyond its end is mapped to it once more.
 *
 *	block	[ image | stubs ...     | stubs ...	  | not used yet ]
 *	file	[ image |  hole		|
 *			[ hole		|
 *
 * A process whose shadow is nowhere has files of its own, PART-ADDRESS.stubs. Where
 * no file can be, a block is anonymous memory, as that of trampolines always is, and
 * the others see less.
 */
#ifndef CLEW_STUBS_STUB_MEMORY_H
#define CLEW_STUBS_STUB_MEMORY_H

#include <stdint.h>

#include "preload/stubs/stub_image.h"

/*
 * Map a block at `place`, writable but for its first page. part_path, of the
 * part that is being recorded, may be NULL or empty. 0, -EEXIST if the place is
 * taken, or another -errno; -ENOMEM at one place is -ENOMEM at all.
 */
int stub_memory_map(const char *part_path, uint64_t place);

/*
 * The same in anonymous memory, of which nothing is used before it is moved to a file:
 * a file takes as long as a hundred stubs. Where there can be none it stays as it is.
 */
int stub_memory_reserve(uint64_t place, enum stub_image_of what);
int stub_memory_move_to_file(const char *part_path, uint64_t place);

/*
 * Make pages of a block of stubs ready to be written: no store shall meet a full disk
 * and a SIGBUS. Those that cannot be read from a file become anonymous. part_path: of the
 * part that is being recorded, beside which their file is, if they have been freed
 * before; or NULL.
 */
void stub_memory_back(uint64_t start, uint64_t end, const char *part_path);

/*
 * Nothing executes these pages or returns into them: they become anonymous memory that
 * is not used yet, one mapping with what is beside them. 0 or -errno.
 */
int stub_memory_free(uint64_t start, uint64_t end);

#endif
