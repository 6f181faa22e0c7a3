/* SPDX-License-Identifier: MIT */
/*
 * Sorting of 64-bit keys, which carry what is sorted in their lower bits:
 * several times as quick as qsort(), and stable in the bits that are sorted.
 */
#ifndef CLEW_SYMBOLIZER_SORT_H
#define CLEW_SYMBOLIZER_SORT_H

#include <stddef.h>
#include <stdint.h>

/* In ascending order. `scratch` has room for as many keys. */
void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count);

#endif
