/* SPDX-License-Identifier: MIT */
/*
 * What a program, or an agent in it (an allocator that tells, a logger, a monitor),
 * can ask of clew while it runs under it.
 *
 *	struct clew_here here = clew_context();
 *	struct site *site = clew_node(nodes, here.id);
 *
 *	if (!site)			(this context is new: look at it once)
 *		site = remember(nodes, here.id);
 *	site->bytes += bytes;
 *
 * A calling context, all functions from the thread's outermost to the innermost, is
 * named by one number, its id: the same in all threads, whenever the same functions
 * have called each other. So the calls that lead somewhere need be retrieved once
 * for each context, and not each time.
 *
 * Link with libclew-agent (pkg-config clew). Where clew is preloaded (clew record)
 * its own functions of these names are called. Elsewhere those of libclew-agent are,
 * at the cost of a call, and say so: clew_context() by the flags, others by -ENODEV;
 * only nodes are what they are. A program that is attached to while it runs
 * (clew attach) does not notice.
 *
 * Any thread may call these at any time. Those that say "signals" may be called in
 * signal handlers as well; none of them takes a lock, nor memory of malloc's.
 */
#ifndef CLEW_H
#define CLEW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Which context is this? ---- */

/* The thread's calls are counted: id is its context. */
#define CLEW_IS_COUNTED 1U
/* The context is recorded, and so its depth is known. */
#define CLEW_IS_RECORDED 2U
/*
 * Called by Java: the id is of the methods of Java's stack as well, as far as it is
 * known (with --java=off it is not).
 */
#define CLEW_HAS_JAVA 4U

struct clew_here {
	uint64_t id;    /* 0: outside of all functions that are hooked */
	uint32_t depth; /* functions, 0 if not CLEW_IS_RECORDED */
	uint32_t flags;
};

/*
 * The context of the innermost function that is hooked: the caller, or whoever
 * called that. Signals.
 */
struct clew_here clew_context(void);

/* ---- What is an id? ---- */

struct clew_frame {
	uint64_t id; /* of the context whose innermost function this is */
	const void *function; /* where it begins; NULL: it is not of a module */
	/*
	 * Where it returns to, if it is running: one byte behind a call. Else
	 * NULL.
	 */
	const void *site;
	uint32_t number; /* of the function, as in the recording */
	uint32_t reserved;
};

/*
 * The functions of a context, innermost first; those beyond `room` are counted, but
 * not stored. The one that the thread is in is told by its stack, with the places
 * that it returns to, though it be unrecorded; any other by what is recorded of it,
 * which takes long if no call of this thread's was in it. Returns how many there
 * are, -ENOENT if the context is unknown, or -ENODEV. Signals.
 *
 * What libclew.so's reports leave out is in no context: functions that are not
 * hooked. What the calls beyond an unknown one are is not known either; then the
 * last frame's caller, clew_parent(), is not 0.
 */
int clew_stack(uint64_t id, struct clew_frame *frames, size_t room);

/*
 * The context that this one was called in, and how deep it is: 0 if it is not
 * recorded, or is nobody's callee. Signals.
 */
uint64_t clew_parent(uint64_t id);
uint32_t clew_depth(uint64_t id);

/* ---- What is known of it to the agent? ---- */

/* A table of pointers by id, an agent's own. */
struct clew_nodes;

/* Empty, or NULL without memory. clew_nodes_free() wants it to be used by nobody. */
struct clew_nodes *clew_nodes_new(void);
void clew_nodes_free(struct clew_nodes *nodes);

/* The node of a context, NULL if it has none. Signals. */
void *clew_node(const struct clew_nodes *nodes, uint64_t id);

/*
 * Give a context this node, which is not NULL, unless it has one. Returns which it
 * has now: another thread's may have come first. NULL without memory. What `node`
 * points to is seen as it was by whoever finds it. Signals.
 */
void *clew_node_add(struct clew_nodes *nodes, uint64_t id, void *node);

/* ---- Is that right? ---- */

/*
 * Calls whose id was compared with the whole stack, at random, and what came of it;
 * since the process began.
 */
struct clew_checks {
	uint64_t verified;   /* the stack was as the id says */
	uint64_t collisions; /* another context has the same id */
	uint64_t diverged;   /* id and stack had gone different ways */
	uint64_t partial;    /* not all of the stack could be seen */
	/*
	 * With 95 % confidence at most this share of calls has a wrong context,
	 * of those whose whole stack can be seen. C. J. Clopper and E. S. Pearson
	 * (Biometrika 26, 1934) by Poisson's distribution, whose bound is greater.
	 */
	double wrong_at_most;
};

/* 0 or -ENODEV. Signals. */
int clew_confidence(struct clew_checks *out);

/* ---- Pause and go on ---- */

/*
 * Take all hooks out of the code. Calls are not counted from then on, save
 * those that go into the C library, if that is hooked and there are other
 * threads, and Java's of native methods whose code has no hook.
 *
 * Not in signal handlers. Other threads go on meanwhile. Each returns 0, also if
 * there was nothing to do, or -errno, when nothing has changed:
 *
 *	-ENODEV		this process is not recorded
 *	-EBUSY		a thread did not leave the code in question, or blocked
 *			all signals, for five seconds: try again
 *	-EPERM		a debugger is attached, or system calls are filtered
 *	-ENOSYS ...	the kernel does not let a process write to its code, or
 *			/proc does not say where its threads are
 */
int clew_unhook(void);

/* Put them back. */
int clew_hook(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
