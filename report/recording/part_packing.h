/* SPDX-License-Identifier: MIT */
/*
 * Packing the counts of a part, and unpacking them (wire/packed.h).
 *
 * A part is packed in its file. This reader finds a complete part after each
 * step, so nothing is lost if the packing process ends at any moment.
 */
#ifndef CLEW_RECORDING_PART_PACKING_H
#define CLEW_RECORDING_PART_PACKING_H

#include "report/recording/part_reader.h"

/* Kinds of chunks that may be packed, or are needed to unpack others. */
#define PART_COUNT_KINDS                                                       \
	(PART_KIND(WIRE_TALLY) | PART_KIND(WIRE_CONTEXTS) |                    \
	 PART_KIND(WIRE_TABLE))

/*
 * Packs the file at `fd`, which is open for reading and writing, and of which
 * `part` has at least the chunks of PART_COUNT_KINDS. Its process must not
 * write to it any more. Returns 0; -ENODATA if the part would not become
 * smaller, is damaged or is packed already, and stays as it is; -ESTALE if the
 * file is not that of the copy; or another -errno.
 */
int part_pack(const struct part_copy *part, int fd);

/*
 * Restores the counts in the copy of a packed part, as part_open() does by
 * itself. Entries of count tables may be in other places than before, and have
 * no countdown. Returns NULL; or a constant error text if contexts or counts are
 * missing, because the packed counts are damaged or memory is short. The copy
 * then keeps the version WIRE_VERSION_PACKED, so that a saved copy is damaged,
 * too.
 */
const char *part_unpack(struct part_copy *part);

#endif
