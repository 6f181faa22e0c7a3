/* SPDX-License-Identifier: MIT */
/* What the recording says of the user's probes (wire/user_probe.h). */
#ifndef CLEW_PROBE_PROBE_RECORD_H
#define CLEW_PROBE_PROBE_RECORD_H

#include "preload/probe/probe_places.h"

/* Which were asked for, of those with these bits. 0 or -errno. */
int probe_record_asked(struct part *part, const struct config *config,
		       uint32_t wanted);

/* Whether one of them is removed by now. */
void probe_record_removed(const struct part *part, uint32_t probe,
			  int is_removed);

/* What became of them in a module, or of one of them. 0 or -errno. */
#define PROBE_RECORD_ALL UINT32_MAX
int probe_record_places(struct part *part, const struct module *module,
			const struct probe_places *places, uint32_t probe);

#endif
