/* SPDX-License-Identifier: MIT */
/*
 * Errors with a message: a function returns -errno for its callers, and stores
 * a message for people in *why.
 */
#ifndef CLEW_BASE_FAIL_H
#define CLEW_BASE_FAIL_H

/*
 * Formats a message into a new string and stores the string in *why; the caller
 * must free() it. Returns `err`.
 */
int fail(char **why, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
