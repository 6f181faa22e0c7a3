/* SPDX-License-Identifier: MIT */
/*
 * Makes memory executable that clew has written.
 *
 * mprotect() may not do so in a hardened process: systemd's
 * MemoryDenyWriteExecute= filters that call, PR_SET_MDWE forbids it, and
 * SELinux may deny it (execmem). All of them permit a new mapping of a file
 * that was executable from the start. The memory is then copied to a memory
 * file (memfd_create()), which is mapped in its place.
 *
 * The mapping is private, so a forked child has its own. Tools outside the
 * process cannot open the file by the name in /proc/PID/maps.
 */
#ifndef CLEW_SYS_SEAL_H
#define CLEW_SYS_SEAL_H

#include <stddef.h>

/*
 * Makes whole pages of private memory readable and executable, and no longer
 * writable. Their content stays the same at any time. Returns 0; -ENOEXEC if
 * the kernel permits neither; or another -errno. After an error they are as
 * before.
 */
int seal_pages(void *start, size_t bytes);

#endif
