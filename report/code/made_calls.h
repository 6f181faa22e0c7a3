/* SPDX-License-Identifier: MIT */
/*
 * The calls that one function makes, by context.
 *
 * A node of the tree has the site of the first call in its context. If the
 * function calls another one from several sites in one context, all of these
 * calls have the site of the first. A tail call has no site in the function
 * itself.
 */
#ifndef CLEW_CODE_MADE_CALLS_H
#define CLEW_CODE_MADE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "report/view/session.h"

struct made_call {
	uint32_t node; /* the callee's node */
	/*
	 * 1 + index of the nearest call by the same function on the path from
	 * the root to this call; 0: none.
	 */
	uint32_t outer;
	/*
	 * 1 + index of the nearest outer call whose site is known and is not
	 * this call's; 0: none. Set with the sites.
	 */
	uint32_t other_outer;
	uint32_t site; /* site in the function's code; 0 if it is unknown */
	int is_return_site;
};

struct made_calls {
	struct made_call
		*items; /* outer calls precede the calls that they lead to */
	size_t count, capacity;
	uint64_t total_ns; /* of the function; recursion counts once */
	/* By node: whether its code is the function's; inlined code is. */
	uint8_t *is_own;
	/*
	 * By node: 1 + index of the nearest call on the path from the root to
	 * the node, inclusively; 0: none.
	 */
	uint32_t *nearest;
};

/*
 * Finds the calls in which there is time or that were counted. The session's
 * sums are those of tree_sum(). The sites are not set.
 */
void made_calls_find(struct made_calls *calls, const struct session *session,
		     uint32_t function);
void made_calls_fini(struct made_calls *calls);

/*
 * Returns the recorded site of a call; 0 if it is not in the function's code.
 * Sites in inlined code belong to the function that contains it.
 */
uint32_t made_call_site(struct session *session, uint32_t function,
			uint32_t node);

#endif
