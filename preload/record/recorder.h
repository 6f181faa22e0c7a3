/* SPDX-License-Identifier: MIT */
/*
 * The data that a process writes to the recording: its file (part), the counts
 * of its threads (tallies), names of functions, and single calls (trace).
 * rt.recorder points to it.
 *
 * It is created before anything is hooked, and again in a forked child.
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
