/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_SYS_PRCTL_H
#define CLEW_OLDER_SYS_PRCTL_H

#include_next <sys/prctl.h>

/* Linux 5.11 */
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF          0
#define PR_SYS_DISPATCH_ON           1
#endif

/* Linux 5.17 */
#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

#endif
