/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_LINUX_USERFAULTFD_H
#define CLEW_OLDER_LINUX_USERFAULTFD_H

#include_next <linux/userfaultfd.h>

/* Linux 5.11 */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

#endif
