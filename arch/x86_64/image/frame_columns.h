/* SPDX-License-Identifier: MIT */
/*
 * DWARF column numbers of registers, and the layout of a new frame, in unwind
 * information (System V ABI for x86-64, 3.6.2).
 */
#ifndef CLEW_IMAGE_FRAME_COLUMNS_H
#define CLEW_IMAGE_FRAME_COLUMNS_H

#define COLUMN_FRAME_POINTER 6 /* rbp */
#define COLUMN_STACK_POINTER 7 /* rsp */

/*
 * After a call: offset of the CFA from the stack pointer, and of the return
 * address from the CFA.
 */
#define CALLED_CFA_OFFSET    8
#define CALLED_RETURN_OFFSET (-8)

#endif
