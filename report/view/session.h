/* SPDX-License-Identifier: MIT */
/* A recording that has been read and merged: what all reports start from. */
#ifndef CLEW_VIEW_SESSION_H
#define CLEW_VIEW_SESSION_H

#include "report/merge/merge.h"
#include "report/model/function_catalog.h"
#include "report/model/hooking_costs.h"
#include "report/model/probe_list.h"
#include "report/model/tree.h"
#include "report/recording/recording_reader.h"
#include "report/view/summary.h"

struct session {
	struct recording recording;
	struct catalog catalog;
	struct tree tree;
	struct timeline timeline; /* empty unless asked for */
	struct summary summary;
	struct jni_usage jni;         /* of clew record --jni-env */
	struct value_list values;     /* that agents counted */
	struct probe_list probes;     /* that the user asked for */
	struct mark_list marks;       /* that programs told */
	struct hooking_costs hooking; /* of clew's own time, by module */
	char *command; /* of the first process, with blanks between words */
	uint64_t samples_taken; /* those in our own code included */
	/* Of these, what stands in place of time; or NULL: it is time. */
	const struct value_sum *value;
	/* How reports show it; set after opening. */
	int has_color;      /* text: with escape sequences */
	int is_quiet;       /* text: the table only */
	int shows_details;  /* text: more than three lines below the table */
	unsigned int width; /* text: columns of a line of prose; 0: any */
	int shows_lines;    /* text: where each function is written */
	enum metric metric; /* time, if there is any */
};

/* 0, or -errno and *why; -ESRCH when `whose` selects nobody. */
int session_open(struct session *session, const char *path,
		 const struct whose *whose, char **why);

/* Puts inlined functions into the tree. */
void session_inline(struct session *session);

/* -ESRCH and *why: `whose` selects no process or thread of the recording. */
int session_refuse_whose(const struct recording *recording, const char *path,
			 const struct whose *whose, char **why);

void session_close(struct session *session);

#endif
