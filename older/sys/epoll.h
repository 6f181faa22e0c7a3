/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_SYS_EPOLL_H
#define CLEW_OLDER_SYS_EPOLL_H

#include_next <sys/epoll.h>

/* glibc 2.35 */
#if !__GLIBC_PREREQ(2, 35)
struct timespec;

int epoll_pwait2(int epoll, struct epoll_event *events, int most,
		 const struct timespec *timeout, const sigset_t *mask);
#endif

#endif
