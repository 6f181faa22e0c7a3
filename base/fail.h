/* SPDX-License-Identifier: MIT */
/* Errors that say in words what they know: -errno for code, *why for people. */
#ifndef CLEW_BASE_FAIL_H
#define CLEW_BASE_FAIL_H

/* Stores a new string, for the caller to free(), in *why. Returns err. */
int fail(char **why, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
