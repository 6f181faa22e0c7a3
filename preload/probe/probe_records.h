/* SPDX-License-Identifier: MIT */
/* What the user's probes do, as a recording says it (wire/user_probe.h). */
#ifndef CLEW_PROBE_PROBE_RECORDS_H
#define CLEW_PROBE_PROBE_RECORDS_H

#include "preload/host/config.h"
#include "preload/record/part.h"

/* Of one that does more than count: its lines and fields. 0 or -errno. */
int probe_records_add(struct part *part, const struct asked_probe *probe);

/* What a field takes in an event. */
uint32_t probe_field_bytes(const struct expression_field *field);

#endif
