/* SPDX-License-Identifier: MIT */
/*
 * Observes a thread of this process from another thread, without stopping it.
 *
 * A system call reads the thread's memory and fails if it is not mapped, since
 * the thread may exit at any time. /proc says why the thread is blocked. If the
 * thread's CPU clock has not advanced in between, both describe the same
 * moment. Otherwise the thread runs.
 */
#ifndef CLEW_TIME_OBSERVATION_H
#define CLEW_TIME_OBSERVATION_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "preload/sys/proc.h"

enum observed_state {
	OBSERVED_GONE,    /* the thread no longer counts in this tally */
	OBSERVED_RUNS,    /* the thread runs on a processor */
	OBSERVED_READY,   /* the thread waits for a processor */
	OBSERVED_BLOCKED, /* the thread waits for something else */
};

struct observation {
	enum observed_state state;
	int is_shared;   /* whether several threads share the id (sharing.h) */
	uint64_t id;     /* id of the thread's innermost hooked function */
	uint64_t where;  /* OBSERVED_BLOCKED: as in struct wire_sample */
	uint64_t cpu_ns; /* the thread's CPU time when it was observed */
};

/* Returns a thread's CPU time so far, or 0 if it has exited. */
uint64_t observed_cpu_ns(uint32_t tid);

/*
 * Stores in *out what a tally's thread is doing. `cpu_ns` is its CPU time just
 * before the call. If may_ask is 0, /proc is not read, and the reason why a
 * thread waits is unknown. Called with all signals blocked.
 */
void observe(const struct tally *tally, uint64_t cpu_ns, int may_ask,
	     struct observation *out);

#endif
