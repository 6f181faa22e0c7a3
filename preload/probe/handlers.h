/* SPDX-License-Identifier: MIT */
/*
 * Loads the objects with handlers of probes (agent/clew_handler.h), and binds
 * each probe to the function that a hit calls (probe_calls.h).
 */
#ifndef CLEW_PROBE_HANDLERS_H
#define CLEW_PROBE_HANDLERS_H

#include "preload/host/config.h"

/*
 * handlers_foresee() is called before a probe with a handler is added, while
 * the handler need not be loaded yet. handlers_are_there() returns whether that
 * was done for any probe.
 */
void handlers_foresee(uint32_t probe, const struct probe_call *call);
int handlers_are_there(void);

/*
 * Loads all handlers of the configuration. Called before main(), when libraries
 * can be called, without any of clew's locks, because the loader then reports
 * the new modules to clew.
 */
void handlers_load_asked(const struct config *config);

/*
 * Loads an object that config_add_object() has stored. The same conditions
 * apply. Returns 0 or -errno: -ELIBACC if the object cannot be loaded.
 */
int handlers_load(const char *object);

/* Returns whether the object is loaded and defines the function. */
int handlers_have(const struct probe_call *call);

/* Makes hits call the function from now on. Returns 0 or -ELIBACC. */
int handlers_bind(uint32_t probe, const struct probe_call *call);

#endif
