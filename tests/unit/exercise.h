/* SPDX-License-Identifier: MIT */
/* Everything that a reader can do with a recording, for tests and fuzzers. */
#ifndef CLEW_TESTS_EXERCISE_H
#define CLEW_TESTS_EXERCISE_H

#include <stdint.h>

/*
 * Opens a recording and, if asked to, writes all reports about it to nowhere.
 * The total of calls, or -errno; aborts if an error is not one clear line.
 */
int64_t exercise_recording(const char *path, int with_writers);

#endif
