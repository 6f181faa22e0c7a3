/* SPDX-License-Identifier: MIT */
/*
 * What the user's probes do when they are hit, besides counting
 * (expression/probe_action.h): conditions, limits, values that are kept, regions.
 */
#ifndef CLEW_PROBE_PROBE_ACTIONS_H
#define CLEW_PROBE_PROBE_ACTIONS_H

#include "preload/host/config.h"
#include "preload/modules/modules.h"
#include "preload/record/part.h"

/* Before the first probe is written; the configuration stays. 0 or -errno. */
int probe_actions_begin(struct part *part, const struct config *config);

/* The same of one, before its code is reached. */
int probe_actions_add(struct part *part, const struct asked_probe *probe);

/* Whose addresses its expressions speak of: before its code is reached. */
void probe_actions_place(uint32_t probe, const struct module *module);

/* rt.call_ends: acts where a function that ended with a jump has returned, and a probe waited. */
void probe_actions_call_ends(const uint64_t *slot, uint64_t result);

/* The session is over, and its modules and configuration with it. */
void probe_actions_forget(void);

#endif
