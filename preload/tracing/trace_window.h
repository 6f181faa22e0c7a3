/* SPDX-License-Identifier: MIT */
/*
 * The window: the part of a thread's stack whose slots have places in the words
 * of its packet (wire/packet.h). Stubs compare each call with the window
 * (stub_traced.inc). For a call outside of it a context is written, which moves
 * the window. A window contains no parts of two known stacks: places show which
 * calls have returned, and calls on the other stack may not have.
 *
 * Any thread and signal handler may call these functions, for its own window.
 */
#ifndef CLEW_TRACING_TRACE_WINDOW_H
#define CLEW_TRACING_TRACE_WINDOW_H

#include <stdint.h>

#include "preload/hot/thread.h"
#include "wire/packet.h"

#define TRACE_SLOT_BYTES 8
#define TRACE_WINDOW_BYTES                                                     \
	((uint64_t)WIRE_PACKET_PLACES * TRACE_SLOT_BYTES) /* largest size */

struct stack_window {
	uint64_t base, span; /* bytes */
};

/*
 * Returns a window for calls around a slot, on both sides of it. Makes a system
 * call.
 */
struct stack_window trace_window_around(const uint64_t *slot);

/* Closes the window: it contains no call. */
static inline void trace_window_close(void)
{
	*(volatile uint64_t *)&hot.trace_span = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void trace_window_open(const struct stack_window *window)
{
	*(volatile uint64_t *)&hot.trace_base = window->base + TRACE_SLOT_BYTES;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)&hot.trace_span = window->span;
}

/* Returns the present base. */
static inline uint64_t trace_window_base(void)
{
	return *(const volatile uint64_t *)&hot.trace_base - TRACE_SLOT_BYTES;
}

static inline int trace_window_has(const uint64_t *slot)
{
	return (uintptr_t)slot - trace_window_base() <
	       *(const volatile uint64_t *)&hot.trace_span;
}

/* Returns the place of a slot in a window with this base. */
static inline uint32_t trace_window_place(uint64_t base, uint64_t slot)
{
	return (uint32_t)((slot - base) / TRACE_SLOT_BYTES);
}

#endif
