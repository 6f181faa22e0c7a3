/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_SYS_SYSCALL_H
#define CLEW_OLDER_SYS_SYSCALL_H

#include_next <sys/syscall.h>

/* Linux 5.9 */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Linux 5.8 */
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

/* Linux 5.11 */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* Linux 5.13 */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

#endif
