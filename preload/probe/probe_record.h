/* SPDX-License-Identifier: MIT */
/* Records the user's probes and their locations (wire/user_probe.h). */
#ifndef CLEW_PROBE_PROBE_RECORD_H
#define CLEW_PROBE_PROBE_RECORD_H

#include "preload/probe/probe_places.h"

/* Records the texts of the probes whose bits are set. Returns 0 or -errno. */
int probe_record_asked(struct part *part, const struct config *config,
		       uint32_t wanted);

/* Records whether a probe is removed. */
void probe_record_removed(const struct part *part, uint32_t probe,
			  int is_removed);

/*
 * Records each location of a probe in a module: how it is probed, or why it is
 * not. `probe` is the number of one probe or PROBE_RECORD_ALL. Returns 0 or
 * -errno.
 */
#define PROBE_RECORD_ALL UINT32_MAX
int probe_record_places(struct part *part, const struct module *module,
			const struct probe_places *places, uint32_t probe);

#endif
