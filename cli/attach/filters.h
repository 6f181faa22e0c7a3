/* SPDX-License-Identifier: MIT */
/*
 * Processes that filter their system calls (seccomp).
 *
 * A filter cannot be removed, and may kill the process at a call that the
 * program itself does not make. Therefore clew reads the filters of all threads
 * (PTRACE_SECCOMP_GET_FILTER, which needs CAP_SYS_ADMIN) and attaches only if
 * they let through each call that clew may make in the process. The library
 * avoids some other calls (wire/avoidable.h). Docker's default filter and those
 * of systemd's services forbid only such calls. A filter that the program adds
 * later is seen by the library (preload/process/filter.h).
 */
#ifndef CLEW_CLI_ATTACH_FILTERS_H
#define CLEW_CLI_ATTACH_FILTERS_H

#include "cli/attach/attaching.h"

/*
 * Checks the filters of all threads. Stops those that have filters, one at a
 * time; a thread that is created meanwhile inherits those of its creator. Adds
 * the calls that the library has to avoid to attaching->avoided. Returns 0, or
 * -errno and *why.
 */
int filters_check(struct attaching *attaching, char **why);

#endif
