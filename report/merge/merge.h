/* SPDX-License-Identifier: MIT */
/*
 * Merges the data of all processes into one tree.
 *
 * Within a process an id identifies a context, and the caller's id is computed
 * from it. Ids of different processes have nothing to do with each other.
 * Therefore contexts become nodes that are identified by their function and
 * parent node, and equal contexts of several processes become one node.
 */
#ifndef CLEW_MERGE_MERGE_H
#define CLEW_MERGE_MERGE_H

#include "base/progress.h"
#include "report/merge/timeline.h"
#include "report/model/call_labels.h"
#include "report/model/function_catalog.h"
#include "report/model/jni_usage.h"
#include "report/model/mark_list.h"
#include "report/model/sample_places.h"
#include "report/model/tree.h"
#include "report/model/value_list.h"
#include "report/recording/recording_reader.h"

/*
 * Whether the tree gets a node (KIND_GROUP) for each process or thread, below
 * which its contexts are.
 */
enum grouping { GROUP_NONE, GROUP_PROCESS, GROUP_THREAD };

/*
 * Selects the data to merge. All members 0 selects all processes and threads.
 */
struct whose {
	uint32_t pid;       /* pid of the selected process; 0 selects all */
	const char *thread; /* a tid or a name; NULL selects all threads */
	enum grouping grouping;
	/* ignore samples, exact times and time stamps of traces */
	int without_time;
	int without_trace_times; /* ignore time stamps of traces */
	/*
	 * The recording is merged once. Then only one part is in memory at a
	 * time, and counts that have been merged are freed. The same is done
	 * if recording.has_headers_only is set.
	 */
	int is_only_merged;
	/* If not NULL, called with each part while it is loaded, in order. */
	void (*look)(void *context, const struct part_copy *part);
	void *look_context;
	/*
	 * If not NULL, calls in traces get these labels. Calls that are not in
	 * a trace, or in one without these labels, have no label.
	 */
	const struct label_wish *labels;
	/*
	 * If not NULL, the agents' value of this name is used instead of time.
	 */
	const char *value;
	int by_line;   /* separate calls from different lines of Java methods */
	int with_clew; /* also show time in clew's own code */
	int with_timeline; /* also fill the timeline with single samples */
	struct progress *progress; /* reports progress; may be NULL */
};

/* Statistics of a merge. */
struct merged {
	/*
	 * Number of selected processes; a process has several parts if it
	 * called exec.
	 */
	uint64_t processes;
	uint64_t threads;
	/*
	 * Number of threads that are not selected but share a tally with a
	 * selected thread, so that their calls are included.
	 */
	uint64_t follow_ups;
	/* number of calls whose id belongs to no recorded context */
	uint64_t strays;
	/*
	 * Number of the tree's nodes that are recorded contexts, or Java
	 * methods in a recorded stack.
	 */
	uint64_t contexts;
	/* number of parts whose calls have the wanted labels */
	uint64_t labelled;
	/* whether a trace has call sites (clew record --sites) */
	int has_call_sites;
	uint64_t samples;
	struct sample_places places; /* how samples were placed */
	/* Samples in clew's own code, whether shown or not. */
	uint64_t clew_samples, clew_ns;
	/*
	 * Time and number of threads without samples; 0 if no thread has
	 * samples.
	 */
	uint64_t unsampled_ns, unsampled_threads;
	/*
	 * Time that was computed from time stamps of traces, and the part of it
	 * from traces without stamps of returns.
	 */
	uint64_t trace_ns, divided_ns;
	struct jni_usage jni;     /* free with jni_usage_fini() */
	struct value_list values; /* free with value_list_fini() */
	/*
	 * For an imported recording, the value that was placed without being
	 * selected, or "".
	 */
	char imported_value[WIRE_VALUE_NAME_BYTES];
	struct mark_list marks; /* free with mark_list_fini() */
};

/*
 * Adds all selected parts to `tree` and their functions to `catalog`, which the
 * caller has initialised, and computes the tree's sums. Adds samples to the
 * timeline, which the caller has zero-initialised, if whose->with_timeline is
 * set. Inconsistencies of a part become problems of the recording.
 */
void merge_recording(struct recording *recording, const struct whose *whose,
		     struct catalog *catalog, struct tree *tree,
		     struct timeline *timeline, struct merged *merged);

#endif
