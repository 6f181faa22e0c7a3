/* SPDX-License-Identifier: MIT */
/* Statistics of threads that waited for workers (wire/packet.h). */
#ifndef CLEW_RECORDING_TRACE_WAITS_H
#define CLEW_RECORDING_TRACE_WAITS_H

#include "report/recording/recording_reader.h"
#include "report/recording/trace_reader.h"

/*
 * Adds a trace's waits to the recording's sum. Adds a problem if threads
 * stopped waiting for workers because the workers were too late or had too
 * little memory. `name` is the name of the part or trace, for the problem's
 * text.
 */
void trace_add_waits(const struct trace *trace, struct recording *recording,
		     const char *name);

#endif
