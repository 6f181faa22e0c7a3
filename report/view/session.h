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
	/*
	 * By function of the catalog: 1 for each function of the tree before
	 * session_transform(). NULL without a transform.
	 */
	uint8_t *untransformed;
	size_t untransformed_count;
	struct timeline timeline; /* empty unless requested */
	struct summary summary;
	struct jni_usage jni;     /* from clew record --jni-env */
	struct value_list values; /* values that agents have counted */
	struct probe_list probes; /* probes that the user has set */
	struct mark_list marks;   /* marks that programs have set */
	/* the time that clew itself took, by module */
	struct hooking_costs hooking;
	char *path; /* the recording, as the user named it; NULL: a baseline */
	/* command line of the first process, words separated by blanks */
	char *command;
	/*
	 * Name of the program that this process executed last, without its
	 * folder and safe to print; NULL: unknown. program_pid and program_ns
	 * are the pid and the start time of the part that the program has
	 * written.
	 */
	char *program;
	uint32_t program_pid;
	uint64_t program_ns;
	/*
	 * The shown period, since the start of the first process. to_ns is 0
	 * without an end, and both are 0 without a period.
	 */
	uint64_t from_ns, to_ns;
	/* 1 if the calls have no times, so that the period contains no calls */
	int has_no_calls;
	/* number of polls in all samples, including those in clew's own code */
	uint64_t samples_taken;
	/* The entry of `values` that replaces time, or NULL. */
	const struct value_sum *value;
	/* whether a trace contains call sites (clew record --sites) */
	int has_call_sites;
	/* Output options, set after opening. */
	int has_color; /* for text: whether escape sequences are written */
	int is_quiet;  /* for text: whether only the table is written */
	/* for text: whether more than three lines follow the table */
	int shows_details;
	/* for text: width of prose in columns; 0 if it is unlimited */
	unsigned int width;
	/* for text: width of tables; 0 if it is unlimited */
	unsigned int columns;
	struct shown_names names; /* for text: names of functions in tables */
	/* for text: whether the source location of each function is shown */
	int shows_lines;
	/*
	 * time, if the recording has times that are no guess, or if `value` is
	 * set
	 */
	enum metric metric;
};

/*
 * Reads and merges a recording. Returns 0, and the caller calls
 * session_close(); or -errno and *why: -ESRCH if `whose` selects no process or
 * no thread, -ENODATA if no trace contains the labels, or no agent the value,
 * that `whose` requests.
 */
int session_open(struct session *session, const char *path,
		 const struct whose *whose, char **why);

/* Puts inlined functions into the tree. */
void session_inline(struct session *session);

/* Transforms the tree, and the samples of the timeline. */
void session_transform(struct session *session, struct transform *transform);

/*
 * Returns 0 if the counts of functions lack no calls. Otherwise returns the
 * number of missing calls as far as it is known, at least 1. How many calls
 * overwritten packets contained is not known.
 */
uint64_t session_missing_calls(const struct session *session);

/* Returns "clew report --OPTION RECORDING", which the caller frees. */
char *session_report_command(const struct session *session, const char *option);

/*
 * Sets *why to a message that `whose` selects no process or thread. Returns
 * -ESRCH.
 */
int session_refuse_whose(const struct recording *recording, const char *path,
			 const struct whose *whose, char **why);

void session_close(struct session *session);

#endif
