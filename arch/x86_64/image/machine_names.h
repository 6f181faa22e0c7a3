/* SPDX-License-Identifier: MIT */
/* Names of functions that exist on x86-64 only, for image/symbol_names.c. */
#ifndef CLEW_IMAGE_MACHINE_NAMES_H
#define CLEW_IMAGE_MACHINE_NAMES_H

#define MACHINE_UNWINDER "_ULx86_64_* _Ux86_64_*" /* libunwind's */

/*
 * Thunks that jump or return on behalf of other code, to prevent speculation.
 */
#define MACHINE_THUNKS                                                         \
	"__x86_return_thunk __x86_indirect_thunk* __x86.get_pc_thunk.* "       \
	"__llvm_retpoline_* __llvm_external_retpoline_*"

#endif
