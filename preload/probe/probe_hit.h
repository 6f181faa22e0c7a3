/* SPDX-License-Identifier: MIT */
/*
 * The common handler of all user probes: counts the hit and runs the probe's
 * action.
 */
#ifndef CLEW_PROBE_PROBE_HIT_H
#define CLEW_PROBE_PROBE_HIT_H

/*
 * The handler of users' probes, in assembly (preload/stubs/probe.h describes
 * handlers). Its third argument is the probe's number.
 */
void probe_hit(void);

#endif
