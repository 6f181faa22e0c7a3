/* SPDX-License-Identifier: MIT */
/*
 * What the user's probes do when they are hit: count by context, as values of contexts
 * by the name of the probe, p1, p2, ... (wire/context_values.h).
 */
#ifndef CLEW_PRELOAD_PROBE_HITS_H
#define CLEW_PRELOAD_PROBE_HITS_H

#include <stdint.h>

#include "preload/stubs/probe.h"

/* Before the first probe is written; then there is room for all. 0 or -ENOMEM. */
int probe_hits_begin(void);

/* The handler of all probes; its argument is the number of the probe. */
probe_handler probe_hits_handler(void);

#endif
