/* SPDX-License-Identifier: MIT */
/*
 * What a program, or an agent in it (an allocator that tells, a logger, a monitor),
 * can ask of clew while it runs under it.
 *
 *	uint64_t id = clew_id();
 *	struct site *site = clew_node(nodes, id);
 *
 *	if (!site)			(this context is new: look at it once)
 *		site = remember(nodes, id);
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

/*
 * Its id alone, which is what a table of an agent's own is asked for: nothing is looked
 * up. 0 also if the thread's calls are not counted. Signals.
 */
uint64_t clew_id(void);

/* ---- What is an id? ---- */

struct clew_frame {
	uint64_t id; /* of the context whose innermost function this is */
	const void *function; /* where it begins; NULL: it is not of a module */
	/*
	 * Where it returns to, if it is running: one byte behind a call. Else
	 * NULL. If it has ended in a tail call, the function that it jumped to
	 * returns to the same place.
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

/* ---- What did the agent count there? ---- */

/*
 * Numbers of the agent's, each of one context, which are in the recording: clew report
 * --value=NAME, clew tree and clew export show them by function and by context. They
 * are written where they are counted, so that a crash loses none.
 *
 *	struct clew_value kinds[] = { { "requests", CLEW_NUMBER },
 *				      { "sent", CLEW_BYTES } };
 *	struct clew_values *values = clew_values_new(kinds, 2);
 *	...
 *	site->row = clew_row_new(values, id);	(once for each context)
 *	clew_value_add(values, site->row, 1, bytes);
 *
 * A forked child has a recording of its own, in which all is 0 and there are no rows:
 * its parent's rows count nothing there, and clew_row_is_there() says so of them.
 */
enum clew_unit { CLEW_NUMBER, CLEW_BYTES, CLEW_NS };

struct clew_value {
	const char *name; /* letters, digits, "_", "<", at most 23 of them */
	enum clew_unit unit;
};

struct clew_values;

/*
 * A table with these columns, 32 at most. Lives as long as the process; there can be
 * eight. NULL: not recorded, a name that is none, or no room. What `columns` points to
 * is copied. Not in signal handlers.
 */
struct clew_values *clew_values_new(const struct clew_value *columns,
				    size_t count);

/*
 * A row of the table, of zeros, for a context, id 0 for what is in none. An agent keeps
 * it with the context's node: a second one for the same context is right, too, reports
 * add them up. Where there is no room (65,534 rows), it is the one for all others, which
 * reports show as (folded). 0: nothing is counted. Signals.
 */
uint64_t clew_row_new(struct clew_values *values, uint64_t id);

/* Whether it counts: not 0, and not of the process that this one was forked from. */
int clew_row_is_there(const struct clew_values *values, uint64_t row);

/*
 * Adds to a number, and returns what it is now; 0 if the row is not there. Signals, at
 * the cost of an atomic addition.
 */
int64_t clew_value_add(struct clew_values *values, uint64_t row, size_t column,
		       int64_t more);

/* Raises a number to this one if it is less. Signals. */
void clew_value_raise(struct clew_values *values, uint64_t row, size_t column,
		      int64_t to);

/* ---- What happens when? ---- */

/*
 * A moment, or a region: what a thread does from clew_begin() on until clew_end() of
 * the same name and number. They are in the recording with their time, thread and
 * context: clew report --marks has how many there were and how long regions were, and
 * clew export -F chrome each of them.
 *
 *	clew_begin("request", number);
 *	...
 *	clew_end("request", number);
 *
 * Regions may be in each other, and a region may be ended by another thread than has
 * begun it, if it is told from others by its number. Names are copied, 55 bytes of
 * them; a process may have a thousand. What is beyond two million marks of a process is
 * counted as lost. Signals, at the cost of some tens of nanoseconds.
 */
void clew_mark(const char *name, uint64_t number);
void clew_begin(const char *name, uint64_t number);
void clew_end(const char *name, uint64_t number);

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

/* ---- So far ---- */

/*
 * Make a recording of what this process has done so far, in a folder of that name, which
 * must not be there; all commands read it. The process's own goes on. Others' counts go on
 * meanwhile, too, so they are of slightly different moments. Takes as long as the copy of
 * a file. Not in signal handlers.
 *
 * 0, or -errno: -ENODEV this process is not recorded, -EPERM its system calls are
 * filtered, -EEXIST, -ENOSPC and others from the system, when there may be a part of it.
 */
int clew_snapshot(const char *path);

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

/* ---- Contexts of your own ---- */

/* What a probe has kept of a call, by the name that it was asked for. */
struct clew_called_value {
	const char *name;
	const char *string; /* NULL: it is a number, or missing */
	uint64_t number;
	int is_missing; /* it could not be had */
};

/* A call, of what clew has recorded; what it has lasts as long as the function that gets it. */
struct clew_called {
	const char *function; /* its name, as reports have it */
	const char *module;   /* the name of its file; "": it has none */
	uint64_t vaddr;       /* where it begins, as the file has it */
	/*
	 * Where it is called, "file.c:12" or "caller+0x34": of a trace that says it (clew
	 * record --trace --sites). Else NULL.
	 */
	const char *site;
	/* Likewise (--args): what is known of its arguments. */
	const struct clew_called_value *values;
	size_t value_count;
};

/*
 * What a shared object of yours has, for clew tree --context=./my.so: there it is called
 * by clew, by one thread, and not in the program. Which context a call is in, that is made
 * in the context `parent`, 0 being outside of all: the same as `parent` if it does not
 * leave that, else any number but 2^64 - 1. The same numbers have to have the same answer.
 */
uint64_t clew_context_of(uint64_t parent, const struct clew_called *called);

/* Its name, at most `room` bytes with the NUL. An object need not have this one. */
void clew_context_name(uint64_t context, char *name, size_t room);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
