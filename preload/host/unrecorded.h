/* SPDX-License-Identifier: MIT */
/*
 * A process that has no part has nowhere to say why, but in a file that was
 * made for that when there was still room for it: one line for each process
 * (wire/recording.h).
 */
#ifndef CLEW_HOST_UNRECORDED_H
#define CLEW_HOST_UNRECORDED_H

/*
 * Says in the recording `dir` that this process is not recorded, as far as that
 * can be said: a sentence, and what `err`, if it is not 0, means. At the start
 * of the process.
 */
void unrecorded_note(const char *dir, const char *why, int err);

#endif
