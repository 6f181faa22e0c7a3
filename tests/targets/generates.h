/* SPDX-License-Identifier: MIT */
/*
 * What generates.c and its library know of each other.
 */
#ifndef CLEW_TESTS_GENERATES_H
#define CLEW_TESTS_GENERATES_H

#include <stddef.h>

#include "tests/targets/plugins.h" /* COUNTED */

typedef long (*generated)(long n);

/* Executable memory, made in a way that has a name, or NULL. */
void *library_map(const char *way, size_t bytes);

/* Called by generated code, with the stack slot of the return address. */
long library_answer(long n, const unsigned long *slot);

/* Called natively, in threads. */
long library_work(long n);

/* Where generated code is; how often the answer went elsewhere. */
extern unsigned long library_code, library_code_bytes, library_moved;

#endif
