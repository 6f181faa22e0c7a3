/* SPDX-License-Identifier: MIT */
/* Who is writing to a recording: nobody may move or remove it meanwhile. */
#ifndef CLEW_CLI_COMMON_RECORDING_WRITER_H
#define CLEW_CLI_COMMON_RECORDING_WRITER_H

#include <sys/types.h>

/* A process that records into one of its parts now; 0 if there is none. */
pid_t recording_process(const char *path);

/* Whether a process has counted calls there, or is about to. Reads only headers of parts. */
int recording_has_begun(const char *path);

/* The process that holds an flock(2) on a file; 0 if that cannot be found out. */
pid_t recording_lock_holder(const char *path);

#endif
