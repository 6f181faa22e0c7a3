/* SPDX-License-Identifier: MIT */
/*
 * A user's probe, put into code that runs and taken out of it, as live.h writes code, in
 * all modules that are loaded. One that is out is disabled: what it is written over is
 * back, what it runs in stays, for threads that are in it and for the next time.
 *
 * Whoever has the turn (hooking_turn.h), and waits for other threads.
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

/* In how many places it is, or would be. */
uint32_t probe_switch_sites(const struct cold *cold, uint32_t number);

/* Why it cannot be put in: what is in the way of one of its places. */
enum probe_reason probe_switch_obstacle(const struct cold *cold,
					uint32_t number);

/*
 * Put it in or take it out. 0, or -errno as live.h says, when nothing has changed:
 * -EBUSY by the deadline.
 */
int probe_switch(struct cold *cold, uint32_t number, int to_there,
		 uint64_t deadline_ns);

#endif
