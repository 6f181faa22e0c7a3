/* SPDX-License-Identifier: MIT */
/*
 * Unwinding through stubs.
 *
 * While a hooked function runs, the return address that an unwinder finds is
 * its stub's exit. From there the block's unwind information takes it to the
 * caller (frames_rules.h). Unwinders find that in four ways:
 *
 *	_dl_find_object		libgcc since 12
 *	dl_iterate_phdr		libgcc before, LLVM's and the nongnu libunwind
 *	the JIT interface	gdb
 *	/proc/PID/maps		libunwind-ptrace, eu-stack, perf (stub_memory.h)
 */
#ifndef CLEW_STUBS_FRAMES_H
#define CLEW_STUBS_FRAMES_H

#include "preload/stubs/window.h"

/*
 * Tell gdb, if it is there or should it come, about blocks of stubs that it
 * has not been told of. Not thread-safe.
 */
void frames_tell_debugger(struct windows *windows);

#endif
