/* SPDX-License-Identifier: MIT */
/*
 * Replaces a function of the program by one of clew's for all callers, however
 * they got its address:
 *
 *	site			pad
 *	jmp pad ---------->	jmp *0(%rip) -> ours
 *	...
 *	<--------------------	the displaced instructions: `original`
 */
#ifndef CLEW_PATCH_DIVERT_H
#define CLEW_PATCH_DIVERT_H

#include "preload/patch/patch.h"
#include "wire/recording.h"

/*
 * A replaced function. This struct is never freed, and its patch is in no list
 * of patches, so it stays when hooks are removed.
 */
struct divert {
	struct patch patch;
	struct patch_site site;
	uint64_t pc;    /* entry of the function */
	void *original; /* to be called for the function's original behaviour */
};

/*
 * Diverts the function at pc, in a module that no thread executes. The function
 * needs room for a jump of 5 bytes; if it is only a return, the padding behind
 * it counts as well. Call it under the loader's lock. While the journal defers
 * changes (journal.h), `original` can be called once the caller has sealed the
 * windows. Returns 0, or -errno if nothing was written: -EBUSY if its first
 * instructions cannot be moved.
 */
int divert(struct divert *one, struct module *module, struct windows *windows,
	   uint64_t pc, void *ours);

/*
 * Like divert(), but first searches the module for branches into the first
 * instructions (entry_branches.h), and returns -EBUSY if they cannot be moved
 * because of one. divert() is for functions that are known to have none. With
 * is_saving, all registers except those of the result are saved during calls of
 * `ours`, and the stack is aligned: callers that know the function may depend on
 * either. `ours` must not need its return address or arguments on the stack.
 */
int divert_any(struct divert *one, struct module *module,
	       struct windows *windows, uint64_t pc, void *ours, int is_saving);

/*
 * Marks the function, in the list of its module, as one that gets no stub. The
 * module may be another struct than that of divert(), which a later session
 * does not have any more.
 */
void divert_refuse_hook(const struct divert *one, const struct module *module,
			struct wire_function *functions, uint32_t count);

#endif
