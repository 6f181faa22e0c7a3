/* SPDX-License-Identifier: MIT */
/* What there is to tell of threads that waited for workers (wire/packet.h). */
#ifndef CLEW_RECORDING_TRACE_WAITS_H
#define CLEW_RECORDING_TRACE_WAITS_H

#include "report/recording/recording_reader.h"
#include "report/recording/trace_reader.h"

/* Adds them to the recording's; `name` is that of the part, or of the trace. */
void trace_add_waits(const struct trace *trace, struct recording *recording,
		     const char *name);

#endif
