/* SPDX-License-Identifier: MIT */
/*
 * Sanitizers that are linked into a program. Sanitizers' runtimes start after
 * clew and divide the address space between themselves and the program: they
 * end the process if another mapping is in their way.
 */
#ifndef CLEW_HOST_SANITIZERS_H
#define CLEW_HOST_SANITIZERS_H

/*
 * Returns whether there may be a sanitizer that leaves no terabytes free, or
 * fewer than timed calls need. Reads the loader's tables of modules.
 */
int sanitizers_leave_no_room(int is_timed);

#endif
