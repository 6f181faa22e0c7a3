/* SPDX-License-Identifier: MIT */
/* What comes of a hit of a user's probe: it counts, and does what it was asked for. */
#ifndef CLEW_PROBE_PROBE_HIT_H
#define CLEW_PROBE_PROBE_HIT_H

/* arch: the handler of all probes (preload/stubs/probe.h); its argument: the number. */
void probe_hit(void);

#endif
