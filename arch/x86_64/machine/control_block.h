/* SPDX-License-Identifier: MIT */
/*
 * Room in the control blocks that the GNU C library gives its threads, which their
 * thread pointers point to: what its loader saved vector registers in until 2.22, and
 * eight words behind. It has been nobody's since, and stays there because
 * sanitizers know how large the block is (tcbhead_t in sysdeps/x86_64/nptl/tls.h).
 */
#ifndef CLEW_MACHINE_CONTROL_BLOCK_H
#define CLEW_MACHINE_CONTROL_BLOCK_H

#define CONTROL_BLOCK_ROOM_AT    128
#define CONTROL_BLOCK_ROOM_BYTES 576
#define CONTROL_BLOCK_ALIGN      64 /* of the block, and of the room */

/* Where the block has its own address a second time, as pthread_self(). */
#define CONTROL_BLOCK_SELF_AT 16

#endif
