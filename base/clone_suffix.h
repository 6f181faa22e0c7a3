/* SPDX-License-Identifier: MIT */
/* Suffixes that compilers add to the names of a function's clones. */
#ifndef CLEW_BASE_CLONE_SUFFIX_H
#define CLEW_BASE_CLONE_SUFFIX_H

#include <stddef.h>

/*
 * Returns the length of a name of `length` bytes without the suffixes of
 * clones, such as ".isra.0", ".part.1.cold" or " [clone .constprop.0]". The
 * result is greater than 0 if the length is. Suffixes of the parts of a
 * coroutine are retained: the parts are functions of their own.
 */
size_t clone_suffix_strip(const char *name, size_t length);

/*
 * Does the same, but retains the suffixes of parts of a function (".part",
 * ".cold"), which the function calls. A call of a function executes only one of
 * its other clones.
 */
size_t clone_suffix_strip_whole(const char *name, size_t length);

/*
 * Returns the length of a name without the suffix of a part of a coroutine at
 * its end, such as " [clone .actor]" (gcc) and " [clone .resume]" (clang).
 */
size_t clone_suffix_strip_coroutine(const char *name, size_t length);

#endif
