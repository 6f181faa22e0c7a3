/* SPDX-License-Identifier: MIT */
/*
 * What a user's probe does besides counting, a line each:
 *
 *	if EXPRESSION		only where it is not 0
 *	limit N			no more than so often, in each process
 *	record FIELD, ...	keep these values of each hit
 *	begin NAME [EXPRESSION]	here begins a region of that name and number (0),
 *	end NAME [EXPRESSION]	... and ends (agent/clew.h)
 *	call OBJECT:FUNCTION [TEXT]	call a handler (agent/clew_handler.h)
 *	start NAME		from here time runs, for this call
 *	slower NAME TIME	only where so much has passed since that, as 5ms
 *	snapshot		make a recording of what was done so far
 *	trace on|off		write down the thread's calls from now on, or not
 *
 * Expressions and fields are expression.h's.
 */
#ifndef CLEW_EXPRESSION_PROBE_ACTION_H
#define CLEW_EXPRESSION_PROBE_ACTION_H

#include "expression/expression.h"

#define PROBE_REGION_NAME_BYTES 56

/* In front of it stand the user's own words for what is behind it. */
#define PROBE_ACTION_MARK '\x1f'

struct probe_field {
	struct probe_field *next;
	const char *text; /* the line that it is in */
	struct expression_field field;
};

struct probe_region {
	struct probe_region *next;
	int is_end;
	char name[PROBE_REGION_NAME_BYTES];
	struct expression number; /* count 0: 0 */
};

/* A function of a shared object, and what it is given; each ends with a NUL. */
struct probe_call {
	char *object;
	char *function;
	char *text;
};

/* Which time a call's is: by its name, and for how long it has to have run. */
struct probe_stopwatch {
	struct probe_stopwatch *next;
	uint64_t name; /* a hash */
	uint64_t ns;   /* `slower` */
};

/* Whether the thread's calls are written down from now on, in a trace. */
enum probe_trace { PROBE_TRACE_STAYS, PROBE_TRACE_ON, PROBE_TRACE_OFF };

struct probe_action {
	struct expression *condition; /* NULL: always */
	uint64_t limit;               /* 0: none */
	struct probe_field *fields;   /* in their order, field_count of them */
	uint32_t field_count;
	struct probe_region *regions;
	struct probe_call *call; /* NULL: none */
	struct probe_stopwatch *starts;
	struct probe_stopwatch *slower; /* NULL: however long it took */
	int takes_snapshot;
	enum probe_trace trace;
};

/* Memory of zeros, which lives as long as the action; NULL: there is none. */
typedef void *(*probe_action_memory)(void *context, size_t bytes);

/*
 * Add a line, whose text lives as long as the action does. 0, -ENOMEM, or -EINVAL and
 * *problem.
 */
int probe_action_add(struct probe_action *action, const char *text,
		     probe_action_memory memory, void *context,
		     struct expression_problem *problem);

#endif
