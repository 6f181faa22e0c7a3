/* SPDX-License-Identifier: MIT */
/* What a forked child's part has in its ancestors' files (wire/inherited.h). */
#ifndef CLEW_RECORDING_INHERITED_READER_H
#define CLEW_RECORDING_INHERITED_READER_H

#include "report/recording/part_reader.h"

/*
 * Read along, behind the part's own bytes, what these records of its copy say, from
 * the files beside its own; `at` is the first's place. What is not there, or another
 * process's, is left out, and is the part's damage if it has no other.
 */
void inherited_read(struct part_copy *part, size_t at, size_t count);

#endif
