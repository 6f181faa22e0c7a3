/* SPDX-License-Identifier: MIT */
/*
 * Writes a call's context, which is the list of the running functions, into a
 * thread's packet (wire/packet.h). A context is needed where the calls in the
 * packet do not show it. It is read from the stack.
 */
#ifndef CLEW_TRACING_TRACE_CONTEXT_H
#define CLEW_TRACING_TRACE_CONTEXT_H

#include <stdint.h>

#include "wire/packet.h"

/* Returns the size of the longest context, in bytes. */
uint64_t trace_context_bytes(void);

/*
 * Writes the context of a call at a slot. It precedes the words of the call.
 * Until the context is complete, its length is that of the longest context, so
 * that a reader does not take parts of it for calls. Returns 0 if the packet
 * has no room.
 *
 * A signal handler may have interrupted the entry of a function, so that the
 * function is in the handler's context before its own word is written. The
 * preceding packet then need not contain the function, whatever `cause` says.
 */
int trace_context_put(const uint64_t *slot, enum wire_packet_cause cause);

#endif
