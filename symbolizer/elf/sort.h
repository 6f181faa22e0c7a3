/* SPDX-License-Identifier: MIT */
/*
 * A radix sort of 64-bit keys, several times faster than qsort(). The upper
 * bits of a key are the value to sort by, and the lower bits the index of an
 * item, so items with equal values keep their order.
 */
#ifndef CLEW_SYMBOLIZER_ELF_SORT_H
#define CLEW_SYMBOLIZER_ELF_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts the keys in ascending order. `scratch` has room for `count` keys. */
void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count);

#endif
