/* SPDX-License-Identifier: MIT */
/*
 * The part of a thread's stack whose slots have places in its packet's words (wire/packet.h).
 * Stubs compare it with each call (stub_traced.inc): one outside of it is told of by a
 * context, which moves it. No two stacks are in one window, as far as anybody knows: places
 * say what has returned, and what is on the other stack need not.
 *
 * Any thread, of its own window, and signal handlers.
 */
#ifndef CLEW_TIME_TRACE_WINDOW_H
#define CLEW_TIME_TRACE_WINDOW_H

#include <stdint.h>

#include "preload/hot/thread.h"
#include "wire/packet.h"

#define TRACE_SLOT_BYTES 8
#define TRACE_WINDOW_BYTES                                                     \
	((uint64_t)WIRE_PACKET_PLACES * TRACE_SLOT_BYTES) /* at most */

struct stack_window {
	uint64_t base, span; /* bytes */
};

/* What it is to be for calls about a slot: on both sides of it. A system call. */
struct stack_window trace_window_around(const uint64_t *slot);

/* No call is in it. */
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

/* As it is when this is asked. */
static inline uint64_t trace_window_base(void)
{
	return *(const volatile uint64_t *)&hot.trace_base - TRACE_SLOT_BYTES;
}

static inline int trace_window_has(const uint64_t *slot)
{
	return (uintptr_t)slot - trace_window_base() <
	       *(const volatile uint64_t *)&hot.trace_span;
}

/* Of a slot in a window that begins there. */
static inline uint32_t trace_window_place(uint64_t base, uint64_t slot)
{
	return (uint32_t)((slot - base) / TRACE_SLOT_BYTES);
}

#endif
