/* SPDX-License-Identifier: MIT */
/*
 * Parts of processes that did not live to see their end.
 *
 * While a process runs its part is longer than what is in use, by a hole
 * (preload/record/part_file.h). It is cut off when the process ends, but one that is
 * killed, or executes another program, cannot do that.
 */
#ifndef CLEW_CLI_TRIM_H
#define CLEW_CLI_TRIM_H

/*
 * Cuts off what is not in use of all parts in a directory that certainly
 * nobody writes to any more. Whatever is in doubt stays as it is.
 */
void trim_parts(const char *directory);

#endif
