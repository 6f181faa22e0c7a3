/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a process has room for attaching (wire/hook_memory.h): memory
 * below the limits of its control groups and of the system, address space below
 * its own limit, and mappings below vm.max_map_count. A reserve of each is kept
 * free for the program. The check is done before the process is changed.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_ROOM_H
#define CLEW_CLI_ATTACH_ATTACH_ROOM_H

#include <stdint.h>
#include <sys/types.h>

/*
 * `functions` is the number of functions to hook, `mappings` the number of
 * mappings that the process has. is_timed: --time=exact. is_first: the process
 * is the session's first, which writes the files that the others share. Returns
 * 0; or -ENOMEM and *why, with the needed amount, the free amount, and advice.
 */
int attach_room_check(pid_t pid, uint64_t functions, uint64_t mappings,
		      int is_timed, int is_first, char **why);

#endif
