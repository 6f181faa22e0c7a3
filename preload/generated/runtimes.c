/* SPDX-License-Identifier: MIT */
/* See runtimes.h. */
#include "preload/generated/runtimes.h"

#include <stdint.h>

#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/trampoline.h"

/*
 * V8 identifies the JavaScript frames below a call into C++ by that call's
 * return address. For profilers that move return addresses it has
 *
 *	v8::V8::SetReturnAddressLocationResolver(uintptr_t (*)(uintptr_t))
 *
 * (v8-initialization.h), which sets a function that returns the present
 * location of the return address for a stack slot.
 */
#define V8_SET_RESOLVER "_ZN2v82V832SetReturnAddressLocationResolverEPFmmE"

static uintptr_t find_return_address(uintptr_t slot)
{
	struct shadow_slot *shadow = shadow_of(slot);
	const struct trampoline *one = trampoline_at(*(const uint64_t *)slot);

	if (one)
		return (uintptr_t)&one->slot.return_address;
	if (!shadow || !runtime_is_stub(*(const uint64_t *)slot))
		return slot;
	return (uintptr_t)&shadow->return_address;
}

void runtimes_announce(void)
{
	void (*set_resolver)(uintptr_t(*)(uintptr_t));

	*(void **)&set_resolver = lookup_any(V8_SET_RESOLVER);
	if (set_resolver)
		set_resolver(find_return_address);
}
