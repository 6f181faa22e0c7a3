/* SPDX-License-Identifier: MIT */
/* Declarations that generates.c and its library share. */
#ifndef CLEW_TESTS_GENERATES_H
#define CLEW_TESTS_GENERATES_H

#include <stddef.h>

#include "tests/targets/plugins.h" /* COUNTED */

typedef long (*generated)(long n);

/*
 * Returns executable memory that was created in the way of this name, or NULL.
 */
void *library_map(const char *way, size_t bytes);

/* Called by generated code with the stack slot of the return address. */
long library_answer(long n, const unsigned long *slot);

/* Called by native code in threads. */
long library_work(long n);

/* Range of the generated code; number of answers that returned elsewhere. */
extern unsigned long library_code, library_code_bytes, library_moved;

#endif
