/* SPDX-License-Identifier: MIT */
/*
 * Between `clew probe`, which changes the user's probes of a process that is being
 * recorded, and libclew.so in it.
 *
 * The library exports a function that `clew probe` has a thread of the process call,
 * and `clew_probes`, where it says what came of it:
 *
 *	clew_probes_ask(lines, bytes)	a thread of the library's own does what the
 *					lines say, one after the other:
 *
 *					probe PLACE	as in a recording's config
 *					action ACTION	... of the probe before it
 *					remove NUMBER	p1 is 0
 *
 * The one that calls does not wait for that: threads may have to leave what is being
 * written over.
 */
#ifndef CLEW_WIRE_PROBE_REQUESTS_H
#define CLEW_WIRE_PROBE_REQUESTS_H

#include <stdint.h>

#include "wire/user_probe.h"

#define WIRE_LIVE_PROBES           "clew_probes"
#define WIRE_LIVE_PROBES_ASK       "clew_probes_ask"

#define WIRE_LIVE_PROBES_VERSION   1
#define WIRE_LIVE_PROBES_BYTES_MAX 49152 /* of a request */

enum wire_live_state {
	WIRE_LIVE_IDLE,
	WIRE_LIVE_BUSY, /* somebody's request is under way */
	WIRE_LIVE_DONE, /* the last one's answers are there */
};

/* What came of a line. */
struct wire_live_answer {
	uint32_t number; /* of the probe */
	int32_t result;  /* 0 or -errno; */
	uint32_t reason; /* -ENOTSUP: enum probe_reason, of its first place */
};

struct wire_live_probes {
	uint32_t version;
	_Atomic uint32_t state; /* enum wire_live_state */
	uint32_t pid;           /* whose state that is: not a forked child's */
	uint32_t thread;        /* that does it; soon gone when it is done */
	int32_t result;         /* of the whole: 0 or -errno, */
	char why[128];          /* and why; NUL-terminated */
	uint32_t there_count;   /* probes that are not removed */
	uint32_t answer_count;
	struct wire_live_answer answers[WIRE_PROBES_MAX];
};

#endif
