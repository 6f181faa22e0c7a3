/* SPDX-License-Identifier: MIT */
/*
 * Native functions that generated code calls, below the code that calls them.
 *
 * A stub that is asked to (STUB_IS_ASKING) sees by its return address that code of
 * no module calls. Then that place counts as a function, which has a number of its
 * own: what was there the reader finds by what the program announced. While the
 * call is under way its return address waits at a trampoline (hot/trampoline.h),
 * so that the stub needs to know nothing of it, and the context is the former one
 * afterwards.
 *
 * A place is known by its address alone: what comes there later, when its code has
 * gone, is taken for what was there first.
 */
#ifndef CLEW_STACK_GENERATED_CALLERS_H
#define CLEW_STACK_GENERATED_CALLERS_H

/* If they are asked for: when the recorder is there, before any hook. */
void generated_callers_begin(void);

#endif
