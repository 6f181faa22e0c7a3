/* SPDX-License-Identifier: MIT */
/*
 * Unused room in the thread control blocks of the GNU C library, to which the
 * thread pointers point. Until version 2.22 the loader saved vector registers
 * there; eight unused words follow. The room still exists, because sanitizers
 * depend on the size of the block (tcbhead_t in sysdeps/x86_64/nptl/tls.h).
 */
#ifndef CLEW_MACHINE_CONTROL_BLOCK_H
#define CLEW_MACHINE_CONTROL_BLOCK_H

#define CONTROL_BLOCK_ROOM_AT    128
#define CONTROL_BLOCK_ROOM_BYTES 576
/* Alignment of the block, and of the room. */
#define CONTROL_BLOCK_ALIGN 64

/*
 * Offset of a word with the block's own address, which pthread_self() returns.
 */
#define CONTROL_BLOCK_SELF_AT 16

#endif
