/* SPDX-License-Identifier: MIT */
/*
 * Unwinding through stubs.
 *
 * While a hooked function runs, an unwinder finds the exit of its stub as the
 * return address. From there the block's unwind information leads to the caller
 * (frames_rules.h). Unwinders find that information in four ways:
 *
 *	_dl_find_object		libgcc since 12
 *	dl_iterate_phdr		older libgcc, LLVM's and the nongnu libunwind
 *	the JIT interface	gdb
 *	/proc/PID/maps		libunwind-ptrace, eu-stack, perf
 *				(stub_memory.h)
 */
#ifndef CLEW_STUBS_FRAMES_H
#define CLEW_STUBS_FRAMES_H

#include "preload/stubs/window.h"

/*
 * Announces new blocks of stubs to gdb, whether it is attached already or
 * attaches later. Not thread-safe.
 */
void frames_announce_to_debugger(struct windows *windows);

#endif
