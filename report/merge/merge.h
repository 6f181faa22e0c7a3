/* SPDX-License-Identifier: MIT */
/*
 * From what processes recorded to one tree of all of them.
 *
 * Within a process a context is its id, and its caller follows from the id
 * alone. Across processes ids mean nothing, so each process's contexts are
 * turned into nodes by function and parent, and equal ones fall together.
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

/* Nodes between the root and the contexts, of KIND_GROUP. */
enum grouping { GROUP_NONE, GROUP_PROCESS, GROUP_THREAD };

/* Whose calls to take, and how; zero-initialised, everybody's. */
struct whose {
	uint32_t pid;       /* 0: all processes */
	const char *thread; /* NULL: all threads; else a tid or a name */
	enum grouping grouping;
	int without_time; /* do not look at samples, and not at stamps of traces */
	int without_trace_times; /* do not look at stamps of traces */
	/*
	 * Nobody else wants what is in the recording's parts but their headers: only one
	 * of them need be in memory, and of that no counts that have been merged.
	 */
	int is_only_merged;
	/* Is shown each part while it is there, in their order; or NULL. */
	void (*look)(void *context, const struct part_copy *part);
	void *look_context;
	/* Tell calls of traces apart by that, too, and show nothing else; or NULL. */
	const struct label_wish *labels;
	/* Have what an agent counted by that name in place of time; or NULL. */
	const char *value;
	int by_line; /* keep calls that Java methods make in each line apart */
	int with_clew;             /* show what clew itself took, too */
	int with_timeline;         /* keep them one by one, too */
	struct progress *progress; /* told of it, or NULL */
};

/* What was found on the way. */
struct merged {
	uint64_t processes; /* that are selected; several parts after exec */
	uint64_t threads;
	uint64_t follow_ups; /* threads that share a selected one's counts */
	uint64_t strays;     /* calls of ids that no context explains */
	uint64_t contexts;   /* nodes of the tree that were recorded as such */
	uint64_t labelled; /* processes whose calls are told apart as wished */
	uint64_t samples;
	struct sample_places places;    /* how these were */
	uint64_t clew_samples, clew_ns; /* in our own code, shown or not */
	uint64_t unsampled_ns, unsampled_threads; /* threads without samples */
	/* By the stamps of traces; of these, those of traces that have no returns. */
	uint64_t trace_ns, divided_ns;
	struct jni_usage jni;     /* jni_usage_fini() it */
	struct value_list values; /* value_list_fini() it */
	struct mark_list marks;   /* mark_list_fini() it */
};

/*
 * Adds all parts to `tree` and their functions to `catalog`, both of which
 * the caller has initialised, and sums the tree up. The timeline, zero-
 * initialised, is filled if `whose` wants it. What is odd about a part becomes a
 * problem of the recording.
 */
void merge_recording(struct recording *recording, const struct whose *whose,
		     struct catalog *catalog, struct tree *tree,
		     struct timeline *timeline, struct merged *merged);

#endif
