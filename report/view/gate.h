/* SPDX-License-Identifier: MIT */
/*
 * Judges conditions (condition.h) on a comparison of two recordings.
 *
 * Calls and measured times are exact. A sampled time or value fails a condition
 * only if the change is beyond the limit with 95 % confidence. It passes if the
 * change is within the limit with the same confidence. Otherwise the recordings cannot
 * decide. With `*`, at most 5 % of the functions that fail are expected to be
 * due to chance.
 */
#ifndef CLEW_VIEW_GATE_H
#define CLEW_VIEW_GATE_H

#include "report/view/condition.h"
#include "report/view/diff.h"

enum gate_state { GATE_PASSED, GATE_UNDECIDED, GATE_FAILED };

struct gate_result {
	const struct condition *condition;
	enum gate_state state;
	/*
	 * The values that decided. With `*`, those of the function with the
	 * largest change among the functions with this result; 0 if all
	 * functions passed.
	 */
	uint64_t before, after;
	/*
	 * for a condition with `*`, the function to which these values belong;
	 * otherwise, or if all functions passed, 0
	 */
	uint32_t function;
	/*
	 * for a condition with `*`, the number of further functions with this
	 * result
	 */
	size_t others;
};

struct gate {
	/* an array with a result for each condition */
	struct gate_result *results;
	size_t count, failed, undecided;
};

/*
 * Judges `count` conditions on the selected functions. The conditions must
 * outlive the gate. Returns 0; or -errno and *why if a condition cannot be
 * judged: no such function, a function that the transforms removed, no time to
 * compare, a wrong unit, or missing or unknown calls.
 */
int gate_init(struct gate *gate, const struct diff *diff,
	      struct session *before, struct session *after,
	      const struct selection *selection,
	      const struct condition *conditions, size_t count, char **why);
void gate_fini(struct gate *gate);

#endif
