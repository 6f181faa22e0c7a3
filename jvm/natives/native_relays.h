/* SPDX-License-Identifier: MIT */
/*
 * Relays of natives that are not hooked, because their code belongs to the JVM,
 * was generated, begins with instructions that cannot be moved, or was not
 * selected. Each such native gets a relay (preload/patch/relay.h) with a number
 * and a name, and its bridge calls the relay, which counts the call. The relays
 * are created when the JVM is loaded, because memory for stubs can be allocated
 * then.
 */
#ifndef CLEW_JVM_NATIVES_NATIVE_RELAYS_H
#define CLEW_JVM_NATIVES_NATIVE_RELAYS_H

#include "preload/generated/records.h"
#include "preload/modules/modules.h"

/* Creates the relays for a JVM, once. The caller holds the loader's lock. */
void native_relays_make(const struct module *machine, struct windows *windows);

/*
 * Forgets all relays, so that they are created again with the numbers of a new
 * session.
 */
void native_relays_forget(void);

struct native_relay {
	uint64_t entry;
	uint32_t number;
};

/*
 * Finds the relay of a native, or gives it one. pc is the address of the
 * native's code, `id` the JVM's identifier of the method. Returns 1 and the
 * relay, or 0 if the native's code has a stub and needs no relay, or if no
 * relay is left, which is counted in the part.
 */
int native_relays_find(uint64_t pc, const void *id,
		       const struct java_method *method,
		       struct native_relay *out);

#endif
