/* SPDX-License-Identifier: MIT */
/*
 * A fast checksum, which detects accidental damage of a file, but no deliberate
 * change. The words of the input are distributed over four independent states,
 * so that the CPU overlaps their multiplications.
 */
#ifndef CLEW_SYMBOLIZER_ELF_CHECKSUM_H
#define CLEW_SYMBOLIZER_ELF_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum(const void *bytes, size_t count);

/*
 * Returns the checksum of an index file (symbolizer/index_format.h). The field
 * `checksum` of the file's header counts as 0. `count` is at least the size of
 * that header.
 */
uint64_t checksum_of_index(const void *bytes, size_t count);

#endif
