/* SPDX-License-Identifier: MIT */
/* Finds branches into the first instructions of a function. */
#ifndef CLEW_PATCH_ENTRY_BRANCHES_H
#define CLEW_PATCH_ENTRY_BRANCHES_H

#include <stdint.h>

#include "disasm/decode.h"
#include "preload/modules/modules.h"

/*
 * Returns which bytes of the function at pc some branch leads to: bit i is set
 * for pc + i, for i from 1 to 31. Finds all direct branches of the function, and
 * all with a 32-bit distance in the module: a compiler may store rare code of a
 * function elsewhere. May return bits for bytes that no branch leads to. May
 * rest (slices.h); returns all bits if the module was unloaded meanwhile.
 */
uint32_t entry_branches(const struct decoder *decoder,
			const struct module *module, uint64_t pc);

#endif
