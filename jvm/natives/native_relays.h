/* SPDX-License-Identifier: MIT */
/*
 * Relays of natives that are not hooked, because their code belongs to the JVM,
 * was generated, begins with instructions that cannot be moved, or was not
 * selected. Each such native is a function with a number and a name, and its
 * bridge calls its relay (preload/patch/relay.h). The relays are created when
 * the JVM is loaded, because stub memory is available then.
 */
#ifndef CLEW_JVM_NATIVES_NATIVE_RELAYS_H
#define CLEW_JVM_NATIVES_NATIVE_RELAYS_H

#include "preload/generated/records.h"
#include "preload/modules/modules.h"

/* Creates the relays for a JVM, once, with the loader's lock held. */
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
 * Finds the relay of a native with its code at pc, by the JVM's identifier of
 * the method. Returns 0 if the native needs none, or if none is left, which is
 * counted.
 */
int native_relays_find(uint64_t pc, const void *id,
		       const struct java_method *method,
		       struct native_relay *out);

#endif
