/* SPDX-License-Identifier: MIT */
#ifndef CLEW_TESTS_TAIL_H
#define CLEW_TESTS_TAIL_H

#define TRUTH_JUMPS
#include "tests/targets/truth.h"

typedef long (*tail_function)(long n);

/* Tail-calls a helper of the library, which tail-calls `back`. */
long tail_library(long n, tail_function back);

/* Makes a tree of ordinary calls whose leaves are tail calls to `back`. */
long tail_library_tree(long depth, tail_function back);

#endif
