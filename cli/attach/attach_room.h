/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a process has room for attaching (wire/hook_memory.h): memory
 * below the limits of its control groups and of the system, address space below
 * its own limit, and mappings below vm.max_map_count. The program keeps a
 * reserve of each. The check precedes all changes of the process.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_ROOM_H
#define CLEW_CLI_ATTACH_ATTACH_ROOM_H

#include <stdint.h>
#include <sys/types.h>

/*
 * `is_first` says that the process is the session's first, which writes the
 * files that the others share. Returns 0; or -ENOMEM and *why, with the needed
 * and the free amount and advice.
 */
int attach_room_check(pid_t pid, uint64_t functions, uint64_t mappings,
		      int is_timed, int is_first, char **why);

#endif
