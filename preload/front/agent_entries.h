/* SPDX-License-Identifier: MIT */
/*
 * In an attached process, replaces functions of the program by those of an
 * agent library that is loaded (agent/agent_fronts.h). The entry of each
 * replaced function is diverted (patch/divert.h), for one session.
 */
#ifndef CLEW_FRONT_AGENT_ENTRIES_H
#define CLEW_FRONT_AGENT_ENTRIES_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

/*
 * Begins a session with the agent of the configuration (config.h), or without
 * one (NULL). Returns 0; -ENOENT if no loaded library of this name has a table
 * of fronts; -ENOSPC if the table is too large; or -ENOTSUP if it is of another
 * version.
 */
int agent_entries_begin(const char *agent);

/*
 * Diverts the agent's functions in a new module. Call it after
 * entries_meet_module(), under the loader's lock.
 */
void agent_entries_meet_module(struct module *module, struct windows *windows);

/* Returns whether the function at pc was diverted in this session. */
int agent_entries_have(uint64_t pc);

/* Does for the agent's functions what entries_lead_to_stubs() does. */
int agent_entries_lead_to_stubs(const struct patch *patch);

/*
 * Returns the name of a function that cannot be replaced, or NULL: of one that
 * the agent needs, or of one that it does not need.
 */
const char *agent_entries_missing(int is_indispensable);

/* Called after a session, while all other threads are stopped. */
void agent_entries_end(void);

#endif
