/* SPDX-License-Identifier: MIT */
/*
 * The common entry of all user probes: a hit counts and starts the probe's
 * action.
 */
#ifndef CLEW_PROBE_PROBE_HIT_H
#define CLEW_PROBE_PROBE_HIT_H

/*
 * arch: the handler of all probes (preload/stubs/probe.h); its argument is the
 * probe's number.
 */
void probe_hit(void);

#endif
