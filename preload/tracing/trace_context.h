/* SPDX-License-Identifier: MIT */
/*
 * Writes contexts into a thread's packet (wire/packet.h), from the stack, where
 * the words of calls do not suffice.
 */
#ifndef CLEW_TRACING_TRACE_CONTEXT_H
#define CLEW_TRACING_TRACE_CONTEXT_H

#include <stdint.h>

#include "wire/packet.h"

/* Returns the size of the longest context. */
uint64_t trace_context_bytes(void);

/*
 * Writes the context of a call at a slot, before the call. Until it is complete
 * its length is that of the longest context, so that a reader does not take
 * parts of it for calls. Returns 0 if the packet has no room.
 *
 * A signal handler may have interrupted the entry of a function, so that the
 * function is in the handler's context before its own word is written. The
 * preceding packet then need not contain the function, whatever `cause` says.
 */
int trace_context_put(const uint64_t *slot, enum wire_packet_cause cause);

#endif
