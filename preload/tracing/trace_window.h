/* SPDX-License-Identifier: MIT */
/*
 * The word of a call in a thread's packet (wire/packet.h) contains the
 * call's place: the distance of the call's stack slot from a base address,
 * in slots. The window is the part of the stack that can be addressed in
 * this way. Stubs check whether each call is in the window
 * (stub_traced.inc). For a call outside of it a context is written, which
 * moves the window. Readers conclude from the places which calls have
 * returned. Calls on another stack may not have returned, so a window never
 * contains parts of two known stacks.
 *
 * Any thread and signal handler may call these functions, which use the
 * calling thread's window.
 */
#ifndef CLEW_TRACING_TRACE_WINDOW_H
#define CLEW_TRACING_TRACE_WINDOW_H

#include <stdint.h>

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "wire/packet.h"

#define TRACE_SLOT_BYTES 8
/* The largest size of a window. */
#define TRACE_WINDOW_BYTES ((uint64_t)WIRE_PACKET_PLACES * TRACE_SLOT_BYTES)
_Static_assert(TRACE_PLACES_BYTES == WIRE_PACKET_PLACES * TRACE_SLOT_BYTES,
	       "asm");

struct stack_window {
	uint64_t base, span; /* lower end and size, in bytes */
};

/*
 * Returns a window that extends from a slot to both sides. Makes a system call.
 */
struct stack_window trace_window_around(const uint64_t *slot);

/* Closes the window, so that no call is inside it. */
static inline void trace_window_close(void)
{
	*(volatile uint64_t *)&hot.trace_span = 0;
	if (hot.aside)
		*(volatile uint64_t *)&hot.aside->depth.span = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void trace_window_open(const struct stack_window *window)
{
	*(volatile uint64_t *)&hot.trace_base = window->base + TRACE_SLOT_BYTES;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (rt.config->trace_depth)
		*(volatile uint64_t *)&hot.aside->depth.span = window->span;
	else
		*(volatile uint64_t *)&hot.trace_span = window->span;
}

/* Returns the base of the present window. */
static inline uint64_t trace_window_base(void)
{
	return *(const volatile uint64_t *)&hot.trace_base - TRACE_SLOT_BYTES;
}

/* Returns the size of the present window. */
static inline uint64_t trace_window_span(void)
{
	if (rt.config->trace_depth && hot.aside)
		return *(const volatile uint64_t *)&hot.aside->depth.span;
	return *(const volatile uint64_t *)&hot.trace_span;
}

static inline int trace_window_has(const uint64_t *slot)
{
	return (uintptr_t)slot - trace_window_base() < trace_window_span();
}

/* Returns the place of a slot in a window with this base. */
static inline uint32_t trace_window_place(uint64_t base, uint64_t slot)
{
	return (uint32_t)((slot - base) / TRACE_SLOT_BYTES);
}

#endif
