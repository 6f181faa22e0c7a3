/* SPDX-License-Identifier: MIT */
/*
 * Prints the end of a dump's line: a string, which may contain blanks, and a
 * newline.
 */
#ifndef CLEW_REPORT_DUMP_DUMP_STRING_H
#define CLEW_REPORT_DUMP_DUMP_STRING_H

#include <stddef.h>
#include <stdio.h>

/* The string ends at its first NUL, or after `length` bytes. */
void dump_string(FILE *out, const char *key, const char *bytes, size_t length);

#endif
