/* SPDX-License-Identifier: MIT */
/*
 * One look at a thread of this process, from outside, without stopping it.
 *
 * The thread's memory is read by a system call that fails where nothing is
 * mapped, for it may end at any time; why it is blocked is what the kernel
 * says in /proc. Both are of one moment if the thread's CPU clock says that it
 * has not run in between; else it runs.
 */
#ifndef CLEW_TIME_LOOK_H
#define CLEW_TIME_LOOK_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "preload/sys/proc.h"

enum look_state {
	LOOK_GONE,    /* it counts in this tally no more */
	LOOK_RUNS,    /* on a processor */
	LOOK_READY,   /* would, if one were free */
	LOOK_BLOCKED, /* waits for something else */
};

struct look {
	enum look_state state;
	int is_shared;   /* its id is several threads' (sharing.h) */
	uint64_t id;     /* of its innermost hooked function */
	uint64_t where;  /* LOOK_BLOCKED: as in struct wire_sample */
	uint64_t cpu_ns; /* that it had used at that moment */
};

/* What a thread has used of its processor so far; 0 if it has gone. */
uint64_t look_cpu_ns(uint32_t tid);

/*
 * What the owner of a tally is doing. `cpu_ns` is what it had used just now. Unless
 * the kernel may be asked, by files of /proc, whoever does not run is taken for
 * blocked, for a reason that is unknown. No signal may interrupt.
 */
void look_at(const struct tally *tally, uint64_t cpu_ns, int may_ask,
	     struct look *out);

#endif
