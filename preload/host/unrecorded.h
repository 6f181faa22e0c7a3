/* SPDX-License-Identifier: MIT */
/*
 * A process without a part writes the reason to a file that was created for
 * that purpose while there was space: one line for each process
 * (wire/recording.h).
 */
#ifndef CLEW_HOST_UNRECORDED_H
#define CLEW_HOST_UNRECORDED_H

/*
 * Writes to the recording `dir` that this process is not recorded, as far as
 * possible: a sentence, and an explanation of `err` unless it is 0. Called at
 * the start of the process, or when clew attaches.
 */
void unrecorded_note(const char *dir, const char *why, int err);

#endif
