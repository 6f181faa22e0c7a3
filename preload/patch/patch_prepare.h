/* SPDX-License-Identifier: MIT */
/*
 * From verdicts to bytes: a stub for each function of a module that can be hooked,
 * and the jumps that are to be written over the functions' first bytes to lead
 * there (patch.h). Nothing of the module is written yet.
 */
#ifndef CLEW_PATCH_PATCH_PREPARE_H
#define CLEW_PATCH_PATCH_PREPARE_H

#include "preload/patch/patch.h"
#include "preload/stubs/pads.h"
#include "preload/stubs/prelinked.h"
#include "preload/stubs/stub_write.h"
#include "wire/recording.h"

/* What making stubs takes. */
struct patch_workshop {
	struct windows *windows;
	struct pads *pads;
	struct stub_constants constants;
	struct decoder decoder;
	const struct prelinked *prelinked; /* of this module */
	int has_traps; /* a breakpoint may be used where nothing else fits */
	const uint32_t *only; /* indices of functions; NULL: all */
	uint32_t only_count;
};

/*
 * Make a stub, or a probe, for each function whose verdict says that something
 * is written, unless it has a prelinked one, and the bytes that lead there. A function that cannot be hooked
 * after all has its verdict changed. 0, -ENOMEM, or -ESTALE where the module has gone
 * while this was resting (sys/slices.h).
 */
int patch_prepare(struct patch *patch, struct patch_workshop *workshop,
		  struct module *module, uint32_t first_function,
		  struct wire_function *functions, uint32_t count);

/* What the stub of a site is made of, whose pc is counted from base. */
static inline struct stub_function patch_function_of(
	const struct patch_site *site, uint64_t base)
{
	return (struct stub_function){
		.number = site->function,
		.pc = base + site->text.pc,
		.displaced_bytes = site->displaced_bytes,
		.loops = site->loops,
		.is_leaf = site->leaf_bytes != 0,
	};
}

#endif
