/* SPDX-License-Identifier: MIT */
/*
 * The unwind information of a module, as a list of code ranges. In stripped
 * code no other data gives the starts of functions that are not exported.
 */
#ifndef CLEW_IMAGE_EH_FRAME_H
#define CLEW_IMAGE_EH_FRAME_H

#include <stdint.h>

#include "image/cfi.h"
#include "image/image.h"

struct fde {
	uint64_t vaddr; /* vaddr and size of the code */
	uint64_t size;
	uint64_t record_vaddr; /* address of the FDE itself */
	/* Address of the function's exception table, or 0. */
	uint64_t lsda_vaddr;
	enum cfi_entry entry;
	int is_signal_frame;
	const struct cfi_rules *rules; /* valid until the next FDE is read */
	struct bytes cie_program;
	struct bytes fde_program;
};

struct cie {
	uint64_t vaddr; /* address of the CIE; 0 if none was read */
	struct cfi_rules rules;
	struct bytes program;
	uint8_t encoding; /* encoding of pointers in FDEs of this CIE */
	/* Encoding of pointers to exception tables, or PE_OMIT. */
	uint8_t lsda_encoding;
	uint8_t has_augmentation;
	uint8_t is_signal_frame;
};

/* Reads FDEs. The caller sets `image`, and all other members to 0. */
struct eh_frame {
	const struct image *image;
	struct cie cie; /* the CIE read last, usually that of the next FDE */
};

/*
 * Called for each FDE. Returns 0 to continue. Any other result ends the walk
 * and becomes the result of eh_frame_walk().
 */
typedef int (*fde_visit)(void *context, const struct fde *fde);

/*
 * Visits every FDE, in the order of the search table of PT_GNU_EH_FRAME, or of
 * .eh_frame if there is no table. Returns 0, -EBADMSG, or the result of a
 * visit. Visits nothing in a module without unwind information.
 */
int eh_frame_walk(const struct image *image, fde_visit visit, void *context);

/*
 * Reads the FDE at record_vaddr, from an earlier walk. Returns 0 or -EBADMSG.
 */
int eh_frame_read(struct eh_frame *frames, uint64_t record_vaddr,
		  struct fde *out);

/*
 * Called for each landing pad. Returns 0 to continue. Any other result ends the
 * walk and becomes its result.
 */
typedef int (*landing_visit)(void *context, uint64_t vaddr);

/*
 * Visits every landing pad of the function's exception table. Returns 0,
 * -EBADMSG, or the result of a visit.
 */
int eh_frame_walk_landings(const struct image *image, const struct fde *fde,
			   landing_visit visit, void *context);

#endif
