/* SPDX-License-Identifier: MIT */
/*
 * What a process writes to the recording: its file (part), what its threads count
 * in (tallies), names of functions, and its calls one by one if that is asked
 * for (trace). rt.recorder points to it.
 *
 * Made before anything is hooked, and anew in a forked child.
 */
#ifndef CLEW_RECORD_RECORDER_H
#define CLEW_RECORD_RECORDER_H

#include "preload/record/function_names.h"
#include "preload/record/part.h"
#include "preload/record/tallies.h"
#include "preload/record/trace.h"

struct recorder {
	struct part part;
	struct tallies tallies;
	struct function_names names;
	struct trace_file trace;
};

#endif
