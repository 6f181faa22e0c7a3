/* SPDX-License-Identifier: MIT */
/*
 * A checksum at memory speed, against damage and not against malice: four
 * lanes of multiplications, since one after the other they would wait.
 */
#ifndef CLEW_SYMBOLIZER_CHECKSUM_H
#define CLEW_SYMBOLIZER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum(const void *bytes, size_t count);

/* Of a whole index, at least a header long, whatever its header says it is. */
uint64_t checksum_of_index(const void *bytes, size_t count);

#endif
