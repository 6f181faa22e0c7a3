/* SPDX-License-Identifier: MIT */
/* Child processes that run another command of clew. */
#ifndef CLEW_CLI_COMMON_OWN_CHILD_H
#define CLEW_CLI_COMMON_OWN_CHILD_H

/*
 * After fork(): executes this clew with stdin and stdout at /dev/null, and
 * without blocked signals. Its process group is its own, so that ^C reaches
 * only the command that waits for it. Exits with status 127 on failure.
 */
_Noreturn void own_child_become(char **argv);

#endif
