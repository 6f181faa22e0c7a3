/* SPDX-License-Identifier: MIT */
/* Contexts in a thread's packet (wire/packet.h), as its stack says, where calls do not. */
#ifndef CLEW_TIME_TRACE_CONTEXT_H
#define CLEW_TIME_TRACE_CONTEXT_H

#include <stdint.h>

#include "wire/packet.h"

/* Of the longest. */
uint64_t trace_context_bytes(void);

/*
 * Writes the context of the function that is called at a slot, before its call. Until it
 * is whole its length is that of the longest, so that nobody takes what is in it
 * for calls. Returns 0 if there is no room in the packet.
 *
 * A function in it that a handler has interrupted may be in step while its own word
 * is yet to come: so it need not be in what the packet before says, whatever the cause.
 */
int trace_context_put(const uint64_t *slot, enum wire_packet_cause cause);

#endif
