/* SPDX-License-Identifier: MIT */
/*
 * Whether a process has room for what attaching takes (wire/hook_memory.h): memory
 * below the limits of its control groups and in the machine, address space below its
 * own limits, and mappings below vm.max_map_count. Asked before anything of the
 * process is changed; each time a reserve stays the program's.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_ROOM_H
#define CLEW_CLI_ATTACH_ATTACH_ROOM_H

#include <stdint.h>
#include <sys/types.h>

/*
 * `is_first`: it is the first process of the session, and writes the files that the others
 * share. 0; or -ENOMEM, and *why with both numbers and what would make it fit.
 */
int attach_room_check(pid_t pid, uint64_t functions, uint64_t mappings,
		      int is_timed, int is_first, char **why);

#endif
