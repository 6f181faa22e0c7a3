/* SPDX-License-Identifier: MIT */
/*
 * When a program makes a snapshot of its recording (clew record --snapshot-when), as the
 * probes and actions that do it:
 *
 *	FUNCTION		when it is called
 *	FUNCTION>5ms		when it returns, after so long or longer
 *	FUNCTION==-1		when it returns that; or !=, <, <=, >, >=
 */
#ifndef CLEW_CLI_PROBES_SNAPSHOT_WHEN_H
#define CLEW_CLI_PROBES_SNAPSHOT_WHEN_H

#define SNAPSHOT_WHEN_LINES 3
#define SNAPSHOT_WHEN_LIMIT 10 /* of them, in each process */

struct snapshot_when {
	char *start; /* the place where the time begins, or NULL */
	char *clock; /* ... and what is done there */
	char *place; /* where it may be made */
	char *lines[SNAPSHOT_WHEN_LINES]; /* what is done there; may be NULL */
};

/* For free(): all of it. `number`: of such options before. 0, or -EINVAL. */
int snapshot_when_parse(const char *text, unsigned int number,
			struct snapshot_when *out);

#endif
