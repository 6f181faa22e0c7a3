/* SPDX-License-Identifier: MIT */
/*
 * Merges the data of all processes into one tree.
 *
 * Within a process an id identifies a context, and the caller's id follows from
 * it. Ids of different processes are unrelated. The contexts of each process
 * therefore become nodes by function and parent, and equal contexts share a
 * node.
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

/* Nodes of KIND_GROUP between the root and the contexts. */
enum grouping { GROUP_NONE, GROUP_PROCESS, GROUP_THREAD };

/* Selection and contents; zero-initialised: all processes and threads. */
struct whose {
	uint32_t pid;       /* 0: all processes */
	const char *thread; /* NULL: all threads; else a tid or a name */
	enum grouping grouping;
	/* ignore samples, exact times and time stamps of traces */
	int without_time;
	int without_trace_times; /* ignore time stamps of traces */
	/*
	 * The caller needs only the headers of parts. Then only one part is in
	 * memory at a time, and counts that have been merged are freed.
	 */
	int is_only_merged;
	/* Called with each part while it is loaded, in order; or NULL. */
	void (*look)(void *context, const struct part_copy *part);
	void *look_context;
	/*
	 * Distinguish calls of traces by these labels and show no others; or
	 * NULL.
	 */
	const struct label_wish *labels;
	/* Use the agents' value of this name instead of time; or NULL. */
	const char *value;
	int by_line;   /* separate calls from different lines of Java methods */
	int with_clew; /* also show time in clew's own code */
	int with_timeline; /* also fill the timeline with single samples */
	struct progress *progress; /* reports progress; may be NULL */
};

/* Statistics of a merge. */
struct merged {
	/* selected ones; one may have several parts after exec */
	uint64_t processes;
	uint64_t threads;
	/* threads that use the tally of a selected thread */
	uint64_t follow_ups;
	uint64_t strays; /* calls of ids that no recorded context explains */
	/* nodes of the tree that were recorded as contexts */
	uint64_t contexts;
	uint64_t labelled;  /* processes whose calls have the wanted labels */
	int has_call_sites; /* a trace has them (clew record --sites) */
	uint64_t samples;
	struct sample_places places;    /* how samples were placed */
	uint64_t clew_samples, clew_ns; /* in clew's own code, shown or not */
	/* of threads without samples */
	uint64_t unsampled_ns, unsampled_threads;
	/*
	 * Time from time stamps of traces, and the share from traces without
	 * returns.
	 */
	uint64_t trace_ns, divided_ns;
	struct jni_usage jni;     /* free with jni_usage_fini() */
	struct value_list values; /* free with value_list_fini() */
	struct mark_list marks;   /* free with mark_list_fini() */
};

/*
 * Adds all parts to `tree` and their functions to `catalog`, both initialised
 * by the caller, and sums the tree up. The zero-initialised timeline is filled
 * if `whose` asks for it. Inconsistencies of a part become problems of the
 * recording.
 */
void merge_recording(struct recording *recording, const struct whose *whose,
		     struct catalog *catalog, struct tree *tree,
		     struct timeline *timeline, struct merged *merged);

#endif
