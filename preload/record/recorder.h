/* SPDX-License-Identifier: MIT */
/*
 * What a process records: its part, and what it writes there. Behind rt.recorder.
 *
 * Made before anything is hooked, and anew in a forked child.
 */
#ifndef CLEW_RECORD_RECORDER_H
#define CLEW_RECORD_RECORDER_H

#include "preload/record/function_names.h"
#include "preload/record/part.h"
#include "preload/record/tallies.h"

struct recorder {
	struct part part;
	struct tallies tallies;
	struct function_names names;
};

#endif
