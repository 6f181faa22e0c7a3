/* SPDX-License-Identifier: MIT */
/* Records the actions of the user's probes (wire/user_probe.h). */
#ifndef CLEW_PROBE_PROBE_RECORDS_H
#define CLEW_PROBE_PROBE_RECORDS_H

#include "preload/host/config.h"
#include "preload/record/part.h"

/*
 * Records the lines and fields of a probe that does more than count. Returns 0
 * or -errno.
 */
int probe_records_add(struct part *part, const struct asked_probe *probe);

/* Returns the size of a field in an event. */
uint32_t probe_field_bytes(const struct expression_field *field);

#endif
