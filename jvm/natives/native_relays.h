/* SPDX-License-Identifier: MIT */
/*
 * Natives whose code is not hooked, as it is the machine's own, was made while the
 * program ran, begins with what cannot be moved, or was not asked for: each is a
 * function with a number and a name, and has a relay (preload/patch/relay.h) that its
 * bridge calls. The relays are made when the machine is loaded, where stubs can be.
 */
#ifndef CLEW_JVM_NATIVES_NATIVE_RELAYS_H
#define CLEW_JVM_NATIVES_NATIVE_RELAYS_H

#include "preload/generated/records.h"
#include "preload/modules/modules.h"

/* For a machine. Under the loader's lock; once is enough. */
void native_relays_make(const struct module *machine, struct windows *windows);

/* There are none: they are to be made again, with numbers that mean something. */
void native_relays_forget(void);

struct native_relay {
	uint64_t entry;
	uint32_t number;
};

/*
 * The relay of a native with its code at pc, by the machine's identifier of the
 * method. False if it needs none, and if there is none left, which is counted.
 */
int native_relays_find(uint64_t pc, const void *id,
		       const struct java_method *method,
		       struct native_relay *out);

#endif
