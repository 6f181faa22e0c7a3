/* SPDX-License-Identifier: MIT */
/* Finds out why a program was not recorded. */
#ifndef CLEW_CLI_RECORDING_UNRECORDED_REASON_H
#define CLEW_CLI_RECORDING_UNRECORDED_REASON_H

#include <sys/types.h>

#include "report/recording/recording_reader.h"

/*
 * Returns why the program that ran as `pid`, and ended with a status of
 * waitpid(), is not in the recording of that directory, or NULL if it was
 * recorded. The caller frees it.
 */
char *unrecorded_reason(const struct recording *recording,
			const char *directory, pid_t pid, int status);

#endif
