/* SPDX-License-Identifier: MIT */
/* Uses each part of the reader on a recording, for tests and fuzzers. */
#ifndef CLEW_TESTS_EXERCISE_H
#define CLEW_TESTS_EXERCISE_H

#include <stdint.h>

/*
 * Opens a recording. With `with_writers`, also writes all reports, and discards
 * them. Returns the number of calls, or -errno. Aborts if an error is not one
 * line.
 */
int64_t exercise_recording(const char *path, int with_writers);

#endif
