/* SPDX-License-Identifier: MIT */
/*
 * Two calls of a function side by side, the slowest and one that was not: what each did,
 * by context.
 */
#ifndef CLEW_TRACE_COMPARED_CALLS_H
#define CLEW_TRACE_COMPARED_CALLS_H

#include "report/model/tree.h"
#include "report/trace/function_calls.h"

enum { COMPARED_FAST, COMPARED_SLOW, COMPARED_SIDES };

/* What one of the two has in a context. */
struct compared_context {
	uint64_t calls;
	uint64_t total_ns; /* at most, as far as that is known */
	int64_t self_ns;   /* less what it called */
};

struct compared_calls {
	struct function_call of[COMPARED_SIDES];
	uint64_t all; /* calls of the function that were over */
	/* Below the root the function; by node, what each has there. */
	struct tree tree;
	struct compared_pair {
		struct compared_context of[COMPARED_SIDES];
	} * contexts;
	size_t context_count, capacity;
};

/*
 * Of the chosen functions the slowest call that was over, and that of a rank: 1 is the
 * slowest, 0 the middle one, and what is more than there are the fastest. 0, or -ENOENT:
 * there are not two.
 */
int compared_calls_find(struct compared_calls *compared,
			const struct traces *traces,
			const struct trace_window *window,
			const uint8_t *chosen, size_t rank);

/* What they did, `levels` deep with themselves (0: any). */
void compared_calls_read(struct compared_calls *compared,
			 const struct traces *traces, uint32_t levels);

void compared_calls_fini(struct compared_calls *compared);

#endif
