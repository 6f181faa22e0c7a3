/* SPDX-License-Identifier: MIT */
/*
 * What unwind information (.eh_frame) says of registers and of a frame's start:
 * the numbers of columns are DWARF's (System V ABI for x86-64, 3.6.2).
 */
#ifndef CLEW_IMAGE_FRAME_COLUMNS_H
#define CLEW_IMAGE_FRAME_COLUMNS_H

#define COLUMN_FRAME_POINTER 6 /* rbp */
#define COLUMN_STACK_POINTER 7 /* rsp */

/* Behind a call: the CFA from the stack pointer, the return address from it. */
#define CALLED_CFA_OFFSET    8
#define CALLED_RETURN_OFFSET (-8)

#endif
