/* SPDX-License-Identifier: MIT */
/*
 * Chunks of a forked child's part that are stored in ancestors' files
 * (wire/inherited.h).
 */
#ifndef CLEW_RECORDING_INHERITED_READER_H
#define CLEW_RECORDING_INHERITED_READER_H

#include "report/recording/part_reader.h"

/*
 * Reads the chunks that `count` records, starting at offset `at` of the part's
 * copy, refer to. The ancestors' files lie next to the part's own file. The
 * chunks are appended to the copy. A chunk that is missing or belongs to
 * another process is skipped, and becomes the part's `damage` if it has none.
 */
void inherited_read(struct part_copy *part, size_t at, size_t count);

#endif
