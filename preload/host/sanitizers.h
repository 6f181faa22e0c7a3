/* SPDX-License-Identifier: MIT */
/*
 * Sanitizers that are linked into a program. Their runtimes begin after us, and
 * divide the address space among themselves and the program: what they find
 * where they want to be ends the process.
 */
#ifndef CLEW_HOST_SANITIZERS_H
#define CLEW_HOST_SANITIZERS_H

/*
 * Whether one may be there that leaves no terabytes to others, or not so many
 * as they take where calls are timed. Reads the loader's tables of modules.
 */
int sanitizers_leave_no_room(int is_timed);

#endif
