/* SPDX-License-Identifier: MIT */
/*
 * Finds processes that write to a recording, which must not be moved or removed
 * meanwhile.
 */
#ifndef CLEW_CLI_COMMON_RECORDING_WRITER_H
#define CLEW_CLI_COMMON_RECORDING_WRITER_H

#include <sys/types.h>

/* Returns a process that records into one of the parts now, or 0. */
pid_t recording_process(const char *path);

/*
 * Returns whether a process has counted calls in the recording, or is about to.
 * Reads only headers of parts.
 */
int recording_has_begun(const char *path);

/*
 * Returns the process that holds an flock(2) on a file, or 0 if it is unknown.
 */
pid_t recording_lock_holder(const char *path);

#endif
