/* SPDX-License-Identifier: MIT */
/*
 * Writes a user probe into running code of all loaded modules and removes it,
 * by live patching (live.h). A removed probe is disabled: the original bytes
 * are restored, and the probe's code stays for threads that are in it and for
 * the next time.
 *
 * The calling thread must have the turn (hooking_turn.h), and waits for other
 * threads.
 */
#ifndef CLEW_LIVE_PROBE_SWITCH_H
#define CLEW_LIVE_PROBE_SWITCH_H

#include "preload/hooking/cold.h"
#include "preload/patch/patch.h"
#include "wire/user_probe.h"

#define EACH_MODULE(cold, m)                                                   \
	for (struct module *m = (cold)->modules.first; m; m = m->next)
#define EACH_PATCH(m, p)                                                       \
	for (struct patch *p = (m)->patches; p; p = p->next_of_module)

/* Returns the number of sites that the probe has, or would have. */
uint32_t probe_switch_sites(const struct cold *cold, uint32_t number);

/*
 * Returns the reason why one of the probe's sites cannot be written; NONE if
 * all can.
 */
enum probe_reason probe_switch_obstacle(const struct cold *cold,
					uint32_t number);

/*
 * Writes the probe (to_there) or removes it. Returns 0, or -errno as live.h
 * describes, when nothing has changed: -EBUSY at the deadline.
 */
int probe_switch(struct cold *cold, uint32_t number, int to_there,
		 uint64_t deadline_ns);

#endif
