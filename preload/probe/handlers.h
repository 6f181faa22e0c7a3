/* SPDX-License-Identifier: MIT */
/*
 * Handlers of probes (agent/clew_handler.h): their objects are loaded, and who is
 * called at a hit (probe_calls.h).
 */
#ifndef CLEW_PROBE_HANDLERS_H
#define CLEW_PROBE_HANDLERS_H

#include "preload/host/config.h"

/* A probe that is about to be added calls one, which nobody has loaded yet. */
void handlers_foresee(uint32_t probe, const struct probe_call *call);
int handlers_are_there(void);

/*
 * Load all that the configuration asks for. Where libraries can be called, before main;
 * with nothing of clew's held, as the loader will tell of them.
 */
void handlers_load_asked(const struct config *config);

/* Likewise one that config_add_object() knows: 0 or -ELIBACC. */
int handlers_load(const char *object);

/* Whether its object is loaded, and has such a function. */
int handlers_have(const struct probe_call *call);

/* ... then it is called from now on. 0 or -ELIBACC. */
int handlers_bind(uint32_t probe, const struct probe_call *call);

#endif
