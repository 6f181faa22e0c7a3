/* SPDX-License-Identifier: MIT */
/*
 * Reads the chunks to which a forked child's part refers in the files of its
 * ancestors (wire/inherited.h).
 */
#ifndef CLEW_RECORDING_INHERITED_READER_H
#define CLEW_RECORDING_INHERITED_READER_H

#include "report/recording/part_reader.h"

/*
 * Appends to the part's copy the chunks to which `count` struct wire_inherited
 * refer, which begin at offset `at` of the copy. Chunks of other kinds than
 * WIRE_PROCESS and WIRE_MODULE are skipped. The ancestors' files are in the
 * folder of the part's own file. A chunk that is missing, or whose file belongs
 * to another process, is skipped. The first such chunk becomes the part's
 * `damage` if this is not set yet.
 */
void inherited_read(struct part_copy *part, size_t at, size_t count);

#endif
