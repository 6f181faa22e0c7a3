/* SPDX-License-Identifier: MIT */
/* A recording that was read and merged: the input of all reports. */
#ifndef CLEW_VIEW_SESSION_H
#define CLEW_VIEW_SESSION_H

#include "report/merge/merge.h"
#include "report/model/function_catalog.h"
#include "report/model/hooking_costs.h"
#include "report/model/probe_list.h"
#include "report/model/shown_names.h"
#include "report/model/tree.h"
#include "report/recording/recording_reader.h"
#include "report/view/summary.h"
#include "report/view/transform.h"

struct session {
	struct recording recording;
	struct catalog catalog;
	struct tree tree;
	/*
	 * Of a baseline, whose tree has no contexts: totals by function of the
	 * catalog. NULL for a recording.
	 */
	struct measure *totals;
	size_t totals_count;
	struct timeline timeline; /* empty unless requested */
	struct summary summary;
	struct jni_usage jni;         /* from clew record --jni-env */
	struct value_list values;     /* counted by agents */
	struct probe_list probes;     /* set by the user */
	struct mark_list marks;       /* set by programs */
	struct hooking_costs hooking; /* clew's own time, by module */
	char *command; /* of the first process, words separated by blanks */
	/*
	 * Name of the program that this process executed last, without its
	 * folder and safe to print; NULL: unknown. That part's pid and start.
	 */
	char *program;
	uint32_t program_pid;
	uint64_t program_ns;
	/*
	 * The shown period, since the start of the first process. to_ns is 0
	 * without an end, and both are 0 without a period.
	 */
	uint64_t from_ns, to_ns;
	/* 1 if calls were only counted, so that none is in the period */
	int has_no_calls;
	uint64_t samples_taken; /* including those in clew's own code */
	/* The entry of `values` that replaces time; NULL: time. */
	const struct value_sum *value;
	int has_call_sites; /* in a trace (clew record --sites) */
	/* Output options, set after opening. */
	int has_color;      /* text: with escape sequences */
	int is_quiet;       /* text: only the table */
	int shows_details;  /* text: more than three lines below the table */
	unsigned int width; /* text: width of prose in columns; 0: unlimited */
	unsigned int columns;     /* text: width of tables; 0: unlimited */
	struct shown_names names; /* text: of functions in tables */
	int shows_lines;          /* text: source location of each function */
	enum metric metric;       /* time, if the recording has any */
};

/* Returns 0, or -errno and *why; -ESRCH if `whose` selects no thread. */
int session_open(struct session *session, const char *path,
		 const struct whose *whose, char **why);

/* Puts inlined functions into the tree. */
void session_inline(struct session *session);

/* Transforms the tree, and the samples of the timeline. */
void session_transform(struct session *session,
		       const struct transform *transform);

/*
 * Returns how many calls are known to be missing in the counts of functions, or
 * 1 if their number is unknown.
 */
uint64_t session_missing_calls(const struct session *session);

/* Fails with -ESRCH and *why: `whose` selects no process or thread. */
int session_refuse_whose(const struct recording *recording, const char *path,
			 const struct whose *whose, char **why);

void session_close(struct session *session);

#endif
