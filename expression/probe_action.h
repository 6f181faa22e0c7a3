/* SPDX-License-Identifier: MIT */
/*
 * The actions of a user's probe besides counting, one line each:
 *
 *	if EXPRESSION		only if the value is not 0
 *	limit N			at most N hits in each process
 *	record FIELD, ...	record these values of each hit
 *	begin NAME [EXPRESSION]	begin a region with that name and number (0)
 *	end NAME [EXPRESSION]	end it (agent/clew.h)
 *	call OBJECT:FUNCTION [TEXT]	call a handler (agent/clew_handler.h)
 *	await			at the entry of a function: the other lines hold
 *				when the call returns, and may only use `ret`
 *				and the duration
 *	start NAME		start a stopwatch for this call
 *	slower NAME TIME	only if it has run for this time, as 5ms; with
 *				`await` the time since the call began
 *	snapshot		write a recording of the activity so far
 *	snapshot slowest N	the same, and retain those of the N slowest
 *				calls; `slower` precedes
 *	trace on|off		begin or end tracing the thread's calls
 *
 * For expressions and fields see expression.h.
 */
#ifndef CLEW_EXPRESSION_PROBE_ACTION_H
#define CLEW_EXPRESSION_PROBE_ACTION_H

#include "expression/expression.h"

#define PROBE_REGION_NAME_BYTES 56
#define PROBE_SLOWEST_MAX       100

/* Separates the user's own words from the expression after it. */
#define PROBE_ACTION_MARK '\x1f'

struct probe_field {
	struct probe_field *next;
	const char *text; /* the line that contains the field */
	struct expression_field field;
};

struct probe_region {
	struct probe_region *next;
	int is_end;
	char name[PROBE_REGION_NAME_BYTES];
	/* an expression without steps (count 0) stands for the number 0 */
	struct expression number;
};

/* A function of a shared object, and its argument; each ends with a NUL. */
struct probe_call {
	char *object;
	char *function;
	char *text;
};

/* A stopwatch of a call: its name, and the minimum time. */
struct probe_stopwatch {
	struct probe_stopwatch *next;
	uint64_t name; /* hash of the stopwatch's name */
	uint64_t ns;   /* minimum time, for `slower` */
};

/* Whether a trace contains the thread's calls from now on. */
enum probe_trace { PROBE_TRACE_STAYS, PROBE_TRACE_ON, PROBE_TRACE_OFF };

struct probe_action {
	struct expression *condition; /* NULL if the action has no condition */
	uint64_t limit;               /* 0 if there is no limit */
	/* a list in order, with field_count elements */
	struct probe_field *fields;
	uint32_t field_count;
	struct probe_region *regions;
	struct probe_call *call; /* NULL if there is none */
	int awaits;              /* the action waits for the call's return */
	struct probe_stopwatch *starts;
	struct probe_stopwatch *slower; /* NULL if any duration suffices */
	int takes_snapshot;
	/*
	 * Number of snapshots of the slowest calls that are retained. 0 if all
	 * are retained.
	 */
	uint32_t slowest;
	enum probe_trace trace;
};

/*
 * Allocates zeroed memory that lives as long as the action. Returns NULL if
 * memory is short.
 */
typedef void *(*probe_action_memory)(void *context, size_t bytes);

/*
 * Adds a line, whose text must live as long as the action. Returns 0, -ENOMEM,
 * or -EINVAL and sets *problem.
 */
int probe_action_add(struct probe_action *action, const char *text,
		     probe_action_memory memory, void *context,
		     struct expression_problem *problem);

#endif
