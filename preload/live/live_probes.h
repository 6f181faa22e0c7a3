/* SPDX-License-Identifier: MIT */
/*
 * The function and variable that libclew.so exports for `clew probe`
 * (wire/probe_requests.h).
 */
#ifndef CLEW_LIVE_LIVE_PROBES_H
#define CLEW_LIVE_LIVE_PROBES_H

#include "wire/probe_requests.h"

extern struct wire_live_probes clew_probes
	__attribute__((visibility("protected")));

void clew_probes_request(const char *lines, uint64_t bytes);

#endif
