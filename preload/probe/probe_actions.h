/* SPDX-License-Identifier: MIT */
/*
 * The actions of the user's probes, besides counting
 * (expression/probe_action.h): conditions, limits, recorded values, regions and
 * others.
 */
#ifndef CLEW_PROBE_PROBE_ACTIONS_H
#define CLEW_PROBE_PROBE_ACTIONS_H

#include "preload/host/config.h"
#include "preload/modules/modules.h"
#include "preload/record/part.h"

/*
 * Prepares all probes of the configuration. Called before the first probe is
 * written. The configuration must exist until probe_actions_forget(). Returns 0
 * or -errno.
 */
int probe_actions_begin(struct part *part, const struct config *config);

/* Prepares one probe before its code can be reached. Returns 0 or -errno. */
int probe_actions_add(struct part *part, const struct asked_probe *probe);

/*
 * Sets the module to which the addresses in the probe's expressions refer,
 * before its code can be reached.
 */
void probe_actions_place(uint32_t probe, const struct module *module);

/*
 * Implements rt.call_ends: runs the actions that waited for the return of a
 * function that ended with a jump.
 */
void probe_actions_call_ends(const uint64_t *slot, uint64_t result);

/*
 * Drops all references to the session's modules and configuration, when the
 * session ends.
 */
void probe_actions_forget(void);

#endif
