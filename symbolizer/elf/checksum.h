/* SPDX-License-Identifier: MIT */
/*
 * A checksum at memory speed, against damage but not against attacks. Four
 * lanes of multiplications run in parallel, because dependent ones would wait.
 */
#ifndef CLEW_SYMBOLIZER_ELF_CHECKSUM_H
#define CLEW_SYMBOLIZER_ELF_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum(const void *bytes, size_t count);

/*
 * Returns the checksum of an index of at least the size of its header, ignoring
 * the header's own checksum.
 */
uint64_t checksum_of_index(const void *bytes, size_t count);

#endif
