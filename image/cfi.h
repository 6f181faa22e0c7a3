/* SPDX-License-Identifier: MIT */
/*
 * What the unwind program says about a function's first byte.
 *
 * Where a call has just pushed the return address, the canonical frame address
 * is rsp + 8 and the return address lies at CFA - 8. Anything else is no place
 * that a call leads to: a cold part, entered in the middle of its function.
 */
#ifndef CLEW_IMAGE_CFI_H
#define CLEW_IMAGE_CFI_H

#include <stdint.h>

#include "image/bytes.h"

enum cfi_entry {
	CFI_CALLED,            /* CFA = rsp + 8, return address at CFA - 8 */
	CFI_MIDWAY,            /* a frame exists already */
	CFI_NO_RETURN_ADDRESS, /* the outermost frame */
};

struct cfi_rules {
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_column;
	uint8_t pointer_bytes; /* of DW_CFA_set_loc */
};

/*
 * Run the CIE's initial instructions, then the FDE's up to the first that
 * moves on from the first byte. An enum cfi_entry, or -EBADMSG.
 */
int cfi_entry_of(const struct cfi_rules *rules, struct bytes cie_program,
		 struct bytes fde_program);

#endif
