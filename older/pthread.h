/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_PTHREAD_H
#define CLEW_OLDER_PTHREAD_H

#include_next <pthread.h>

#include <signal.h>

/* glibc 2.32 */
#if !__GLIBC_PREREQ(2, 32)
int pthread_attr_setsigmask_np(pthread_attr_t *attributes,
			       const sigset_t *mask);
#endif

#endif
