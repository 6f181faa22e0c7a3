/* SPDX-License-Identifier: MIT */
/*
 * Reads files that another process writes meanwhile through a mapping, such as
 * recordings. Holds no state; any thread may call it.
 */
#ifndef CLEW_BASE_LIVE_READ_H
#define CLEW_BASE_LIVE_READ_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Like pread(), but continues after a signal and after a partial read, and
 * copies to addresses with the same position in a cache line as in the file.
 * The kernel copies with `rep movsb`, and processors then copy whole aligned
 * words of 8 bytes. With other addresses they copy single bytes: of 20,000
 * reads of a counter that changed all the time, up to 6,700 mixed bytes of two
 * values (Zen 3). Words may still be copied in another order than that of their
 * addresses. Returns the number of bytes, which is less than `count` at the end
 * of the file or after an error, or -errno if there is an error at once.
 */
ssize_t live_read(int fd, void *bytes, size_t count, off_t at);

#endif
