/* SPDX-License-Identifier: MIT */
/*
 * A function of the program's for which one of clew's stands in, whoever calls it
 * and however its address was found:
 *
 *	site			pad
 *	jmp pad ---------->	jmp *0(%rip) -> ours
 *				...
 *	<--------------------	the displaced instructions: `original`
 */
#ifndef CLEW_PATCH_DIVERT_H
#define CLEW_PATCH_DIVERT_H

#include "preload/patch/patch.h"
#include "wire/recording.h"

/* Lives for ever. In no list of patches: it stays when hooks are taken out. */
struct divert {
	struct patch patch;
	struct patch_site site;
	uint64_t pc;    /* of the function */
	void *original; /* behaves as the function did */
};

/*
 * Divert the function at pc, PATCH_BYTES long or padded to that, in a module in
 * which nothing runs. Under the loader's lock. While the journal is ahead (journal.h),
 * `original` can be called once the caller has sealed the windows. 0; or -errno when nothing was written:
 * -EBUSY if its code begins with what cannot be moved.
 */
int divert(struct divert *one, struct module *module, struct windows *windows,
	   uint64_t pc, void *ours);

/* Among those of its module: no stub is to be put where it stands. */
void divert_refuse_hook(const struct divert *one,
			struct wire_function *functions, uint32_t count);

#endif
