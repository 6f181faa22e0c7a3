/* SPDX-License-Identifier: MIT */
/*
 * The unwind information of a module, as a list of code ranges: in stripped
 * code the one that tells where functions start.
 */
#ifndef CLEW_IMAGE_EH_FRAME_H
#define CLEW_IMAGE_EH_FRAME_H

#include <stdint.h>

#include "image/cfi.h"
#include "image/image.h"

struct fde {
	uint64_t vaddr; /* of the code, as is size */
	uint64_t size;
	uint64_t record_vaddr; /* of the FDE itself */
	uint64_t lsda_vaddr;   /* its exception table, or 0 */
	enum cfi_entry entry;
	int is_signal_frame;
	const struct cfi_rules *rules; /* as long as the next is not read */
	struct bytes cie_program;
	struct bytes fde_program;
};

struct cie {
	uint64_t vaddr; /* 0: none */
	struct cfi_rules rules;
	struct bytes program;
	uint8_t encoding;      /* of pointers in its FDEs */
	uint8_t lsda_encoding; /* likewise, or PE_OMIT */
	uint8_t has_augmentation;
	uint8_t is_signal_frame;
};

/* Reads FDEs; zero-initialise but for the image. */
struct eh_frame {
	const struct image *image;
	struct cie cie; /* the last one; mostly the next FDE's too */
};

/* 0 to go on, or the value that eh_frame_walk() is to return. */
typedef int (*fde_visit)(void *context, const struct fde *fde);

/*
 * Visit every FDE, in the order of the search table of PT_GNU_EH_FRAME, or of
 * .eh_frame where there is no table. 0, -EBADMSG, or what a visit returned.
 * A module without unwind information has nothing to visit.
 */
int eh_frame_walk(const struct image *image, fde_visit visit, void *context);

/* Read the FDE at record_vaddr, as a walk told it: 0 or -EBADMSG. */
int eh_frame_read(struct eh_frame *frames, uint64_t record_vaddr,
		  struct fde *out);

/* 0 to go on, or the value that the walk is to return. */
typedef int (*landing_visit)(void *context, uint64_t vaddr);

/*
 * Visit every landing pad of the function's exception table. 0, -EBADMSG, or
 * what a visit returned.
 */
int eh_frame_walk_landings(const struct image *image, const struct fde *fde,
			   landing_visit visit, void *context);

#endif
