/* SPDX-License-Identifier: MIT */
/*
 * The interface between `clew probe`, which changes the user's probes of a
 * process that is being recorded, and libclew.so in that process.
 *
 * `clew probe` makes a thread of the process call an exported function. The
 * results are in the exported variable `clew_probes`.
 *
 *	clew_probes_request(lines, bytes)
 *		A thread of the library's own executes the lines in order. The
 *		forms of a line are:
 *
 *		probe PLACE	sets a probe; PLACE as in a recording's config
 *		action ACTION	adds an action to the probe of the line before
 *		remove NUMBER	removes a probe; 0 is p1
 *
 * The thread that calls the function does not wait for the result, because this
 * thread may have to leave code that the library is overwriting.
 */
#ifndef CLEW_WIRE_PROBE_REQUESTS_H
#define CLEW_WIRE_PROBE_REQUESTS_H

#include <stdint.h>

#include "wire/user_probe.h"

#define WIRE_LIVE_PROBES           "clew_probes"
#define WIRE_LIVE_PROBES_REQUEST   "clew_probes_request"

#define WIRE_LIVE_PROBES_VERSION   1
#define WIRE_LIVE_PROBES_BYTES_MAX 49152 /* maximum size of a request */

enum wire_live_state {
	WIRE_LIVE_IDLE,
	WIRE_LIVE_BUSY, /* a request is in progress */
	WIRE_LIVE_DONE, /* the answers of the last request are valid */
};

/* The result of one line `probe` with its actions, or of one line `remove`. */
struct wire_live_answer {
	uint32_t number; /* number of the probe; 0 is p1 */
	int32_t result;  /* 0 or -errno */
	/*
	 * If the result is -ENOTSUP: enum probe_reason of the first location
	 * that cannot be patched, or why the probe has no location.
	 */
	uint32_t reason;
};

struct wire_live_probes {
	uint32_t version;
	_Atomic uint32_t state; /* enum wire_live_state */
	/*
	 * Pid of the process to which these data belong; a forked child has a
	 * copy with its parent's pid.
	 */
	uint32_t pid;
	uint32_t thread; /* tid of the thread that executes the request */
	int32_t result;  /* result of the whole request: 0 or -errno */
	char why[128];   /* reason for `result`, NUL-terminated */
	/* Number of probes that are not removed, after the request. */
	uint32_t there_count;
	uint32_t answer_count; /* number of elements in use, in line order */
	struct wire_live_answer answers[WIRE_PROBES_MAX];
};

#endif
