/* SPDX-License-Identifier: MIT */
/*
 * Creates a stub for each function of a module that can be hooked, and computes
 * the jumps to these stubs, which will be written over the functions' first
 * bytes (patch.h). Nothing is written to the module yet.
 */
#ifndef CLEW_PATCH_PATCH_PREPARE_H
#define CLEW_PATCH_PATCH_PREPARE_H

#include "preload/patch/patch.h"
#include "preload/stubs/pads.h"
#include "preload/stubs/prelinked.h"
#include "preload/stubs/stub_write.h"
#include "wire/recording.h"

/* The tools and the input of patch_prepare(). */
struct patch_workshop {
	struct windows *windows;
	struct pads *pads;
	struct stub_constants constants;
	struct decoder decoder;
	/* stubs of this module that are mapped from the cache */
	const struct prelinked *prelinked;
	int has_traps; /* breakpoints may be used if nothing else fits */
	/*
	 * Returns whether a front calls the function at a pc; NULL if there are
	 * no such functions.
	 */
	int (*has_front)(uint64_t pc);
	/* indices of the functions to prepare; NULL for all functions */
	const uint32_t *only;
	uint32_t only_count;
};

/*
 * Creates a stub or a probe for each function whose verdict requires one,
 * unless it has a prelinked one, and the bytes of the jump to it. A function
 * that turns out not to be hookable gets another verdict. Returns 0, -ENOMEM,
 * or -ESTALE if the module was unloaded during a rest (sys/slices.h).
 */
int patch_prepare(struct patch *patch, struct patch_workshop *workshop,
		  struct module *module, uint32_t first_function,
		  struct wire_function *functions, uint32_t count);

/*
 * Returns the data that stub_write() needs about a site. The site's pc is
 * relative to base.
 */
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
