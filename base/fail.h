/* SPDX-License-Identifier: MIT */
/* Errors with a message: -errno for code, *why for people. */
#ifndef CLEW_BASE_FAIL_H
#define CLEW_BASE_FAIL_H

/* Stores a new string, which the caller must free(), in *why. Returns err. */
int fail(char **why, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
