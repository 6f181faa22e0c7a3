/* SPDX-License-Identifier: MIT */
/*
 * Conditions for a snapshot of a program's recording (clew record
 * --snapshot-when), as probes and actions:
 *
 *	FUNCTION		at each call
 *	FUNCTION>5ms		at a return after that time or longer
 *	FUNCTION==-1		at a return of that value; or !=, <, <=, >, >=
 *
 * A return is found by probes at all returns of the function. Where breakpoints
 * cannot be used, many returns have no room for a probe. There one probe at the
 * entry waits for the call's end instead (`await` of
 * expression/probe_action.h).
 */
#ifndef CLEW_CLI_PROBES_SNAPSHOT_WHEN_H
#define CLEW_CLI_PROBES_SNAPSHOT_WHEN_H

/*
 * Default number of snapshots of each condition that are retained in each
 * process: those of the slowest calls if the condition has a duration,
 * otherwise the first ones.
 */
#define SNAPSHOT_WHEN_LIMIT "10"

struct snapshot_when {
	char *start;     /* Location at which the time begins, or NULL. */
	char *clock;     /* Action at `start` or, without it, at `place`. */
	int is_timed;    /* The condition is a duration. */
	char *place;     /* Location at which the snapshot may be made. */
	char *condition; /* First action at `place`, or NULL. */
};

/*
 * Parses a condition. The caller frees all members. `number` is the number of
 * earlier such options. `awaits`: breakpoints cannot be used. Returns 0 or
 * -EINVAL.
 */
int snapshot_when_parse(const char *text, unsigned int number, int awaits,
			struct snapshot_when *out);

#endif
