/* SPDX-License-Identifier: MIT */
/*
 * The interface for a program that runs under clew, or for an agent in it (an
 * instrumented allocator, a logger, a monitor).
 *
 *	uint64_t id = clew_id();
 *	struct site *site = clew_node(nodes, id);
 *
 *	if (!site)		(a new context: inspect it once)
 *		site = remember(nodes, id);
 *	site->bytes += bytes;
 *
 * A calling context is the list of all functions from the thread's outermost to
 * the innermost one. One number, its id, identifies it: the same in all
 * threads, whenever the same functions have called each other. The functions of
 * a context therefore need to be retrieved only once for each context, and not
 * each time.
 *
 * Link with libclew-agent (pkg-config clew). In a process with clew preloaded
 * (clew record) the functions of libclew.so are called. Otherwise those of
 * libclew-agent are, at the cost of a call, and report that: clew_context() by
 * its flags, others by -ENODEV, NULL or 0; only nodes work without clew. While
 * clew is attached to a running program (clew attach), these functions of
 * libclew-agent call those of libclew.so, except clew_hook() and clew_unhook().
 * A program may therefore ask again, and must expect clew to be absent again.
 *
 * Any thread may call these functions at any time. Functions that are "safe in
 * signal handlers" do not call malloc, and wait for no lock that the
 * interrupted code may hold.
 */
#ifndef CLEW_H
#define CLEW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- The present context ---- */

/* The thread's calls are counted, so `id` is the id of its context. */
#define CLEW_IS_COUNTED 1U
/* The context is recorded, so its depth is known. */
#define CLEW_IS_RECORDED 2U
/*
 * Called from Java: the id also includes the methods on Java's stack, as far as
 * they are known (they are not with --java=off).
 */
#define CLEW_HAS_JAVA 4U

struct clew_here {
	uint64_t id;    /* 0 outside of all hooked functions */
	uint32_t depth; /* number of functions; 0 if not CLEW_IS_RECORDED */
	uint32_t flags;
};

/*
 * Returns the context of the innermost hooked function: the caller, or one of
 * its callers. Safe in signal handlers.
 */
struct clew_here clew_context(void);

/*
 * Returns only the id of this context, which is enough to search an agent's own
 * table; faster than clew_context(). Returns 0 also if the thread's calls are
 * not counted. Safe in signal handlers.
 */
uint64_t clew_id(void);

/* ---- The functions of a context ---- */

struct clew_frame {
	uint64_t id; /* the context whose innermost function this is */
	/* The function's entry; NULL: the entry is not in a module. */
	const void *function;
	/*
	 * The return address, one byte after a call, if it is active; else
	 * NULL. If it ended in a tail call, the function that it jumped to has
	 * the same return address.
	 */
	const void *site;
	uint32_t number; /* number of the function in the recording */
	uint32_t reserved;
};

/*
 * Retrieves the functions of a context, innermost first. Functions beyond
 * `room` are counted, but not stored. For the thread's present context the
 * stack is used, with return addresses, even if it is not recorded. All other
 * contexts are taken from the recording, which takes long if this thread has
 * made no call in them. Returns the number of functions, -ENOENT if the context
 * is unknown, or -ENODEV. Safe in signal handlers.
 *
 * Contexts do not contain functions that are not hooked. Callers beyond an
 * unknown one are unknown as well; then clew_parent() of the last frame is not
 * 0.
 */
int clew_stack(uint64_t id, struct clew_frame *frames, size_t room);

/*
 * Returns the id of the context's caller; 0 if the context is not recorded or
 * has no caller. Safe in signal handlers.
 */
uint64_t clew_parent(uint64_t id);

/*
 * Returns the number of functions in the context; 0 if the context is not
 * recorded. Safe in signal handlers.
 */
uint32_t clew_depth(uint64_t id);

/* ---- An agent's data for contexts ---- */

/* A table of pointers by id, owned by an agent. */
struct clew_nodes;

/*
 * Returns an empty table, or NULL without memory. While clew_nodes_free() runs
 * no thread may use the table.
 */
struct clew_nodes *clew_nodes_new(void);
void clew_nodes_free(struct clew_nodes *nodes);

/* Returns the node of a context, or NULL. Safe in signal handlers. */
void *clew_node(const struct clew_nodes *nodes, uint64_t id);

/*
 * Sets a context's node, which is not NULL, unless it has one. Returns its
 * node, which another thread may have set first; NULL without memory. A thread
 * that finds the node sees all writes to it that precede this call. Safe in
 * signal handlers.
 */
void *clew_node_add(struct clew_nodes *nodes, uint64_t id, void *node);

/* ---- An agent's counts for contexts ---- */

/*
 * Numbers that an agent counts for contexts. These numbers are part of the
 * recording: clew report --value=NAME, clew tree and clew export show them by
 * function and by context. They are stored directly in the recording's file, so
 * that a crash loses none.
 *
 *	struct clew_value kinds[] = { { "requests", CLEW_NUMBER },
 *				      { "sent", CLEW_BYTES } };
 *	struct clew_values *values = clew_values_new(kinds, 2);
 *	...
 *	site->row = clew_row_new(values, id);	(once for each context)
 *	clew_value_add(values, site->row, 1, bytes);
 *
 * A forked child has its own recording, in which all numbers are 0 and there
 * are no rows. Rows of its parent are invalid there: clew_row_is_there()
 * returns 0 for them.
 */
enum clew_unit { CLEW_NUMBER, CLEW_BYTES, CLEW_NS };

struct clew_value {
	const char *name; /* letters, digits, "_", "<", at most 23 characters */
	enum clew_unit unit;
};

struct clew_values;

/*
 * Creates a table with these columns, at most 32. The table lives as long as
 * the process, which may have eight. Returns NULL if the process is not
 * recorded, if a name is invalid, or without space. Copies `columns`. Not in
 * signal handlers.
 */
struct clew_values *clew_values_new(const struct clew_value *columns,
				    size_t count);

/*
 * Creates a row of zeros for a context; id 0 is for values outside all
 * contexts. An agent stores the row in the context's node. A second row for the
 * same context is allowed: reports add rows up. If the table is full (65,535
 * rows) or the recording has no space, returns the common row of all other
 * contexts, which reports show as (folded). Returns 0 if nothing is counted.
 * Safe in signal handlers.
 */
uint64_t clew_row_new(struct clew_values *values, uint64_t id);

/*
 * Returns whether the row is valid: not 0, and not of the parent of this
 * process.
 */
int clew_row_is_there(const struct clew_values *values, uint64_t row);

/*
 * Adds to a number, and returns the sum; 0 if the row is not valid. Safe in
 * signal handlers. Costs an atomic addition.
 */
int64_t clew_value_add(struct clew_values *values, uint64_t row, size_t column,
		       int64_t more);

/*
 * Sets a number to `to` if the number is less than `to`. Safe in signal
 * handlers.
 */
void clew_value_raise(struct clew_values *values, uint64_t row, size_t column,
		      int64_t to);

/* ---- Marks ---- */

/*
 * A moment, or a region: the activity of a thread from clew_begin() to
 * clew_end() with the same name and number. The recording contains them with
 * time, thread and context. clew report --marks shows the number of marks and
 * the durations of regions, and clew export -F chrome shows each mark.
 *
 *	clew_begin("request", number);
 *	...
 *	clew_end("request", number);
 *
 * Regions may be nested. Another thread may end a region, if its number
 * distinguishes it from others. Names are copied, up to 55 bytes; a process may
 * have a thousand names. After two million marks of a process, further marks
 * are counted as lost. Safe in signal handlers. Each call costs some tens of
 * nanoseconds.
 */
void clew_mark(const char *name, uint64_t number);
void clew_begin(const char *name, uint64_t number);
void clew_end(const char *name, uint64_t number);

/* ---- Confidence ---- */

/*
 * Calls drawn at random whose id was compared with the whole stack, and the
 * results, since the process began.
 */
struct clew_checks {
	uint64_t verified;   /* drawn calls whose stack matched the id */
	uint64_t collisions; /* another context has the same id */
	uint64_t diverged;   /* drawn calls whose id and stack differed */
	uint64_t partial;    /* only part of the stack could be compared */
	/*
	 * Upper bound, with 95 % confidence, of the share of calls with a wrong
	 * context, among calls whose whole stack can be read. C. J. Clopper and
	 * E. S. Pearson (Biometrika 26, 1934) with Poisson's distribution,
	 * whose bound is greater.
	 */
	double wrong_at_most;
};

/*
 * Stores the numbers of this process in *out. Returns 0 or -ENODEV. Safe in
 * signal handlers.
 */
int clew_confidence(struct clew_checks *out);

/* ---- Snapshots ---- */

/*
 * Writes a recording of this process's activity so far into a new folder; all
 * commands read it. The process's own recording continues. Further threads
 * count meanwhile, so their counts are from slightly different moments. Takes
 * as long as copying a file. Not in signal handlers.
 *
 * Returns 0, or -errno: -ENODEV if this process is not recorded, -EPERM if its
 * system calls are filtered, -EEXIST, -ENOSPC and others from the system, which
 * may leave an incomplete folder.
 */
int clew_snapshot(const char *path);

/* ---- Pausing ---- */

/*
 * Removes all hooks from the code. Calls are no longer counted, except calls
 * into the C library if that is hooked and there are other threads, and Java's
 * calls of native methods whose code has no hook.
 *
 * Not in signal handlers. All threads continue meanwhile. Both functions return
 * 0, even if there was nothing to do, or -errno, if nothing was changed:
 *
 *	-ENODEV		this process is not recorded
 *	-EBUSY		a thread did not leave the changed code, or blocked
 *			all signals, for five seconds: try again
 *	-EPERM		a debugger is attached, or system calls are filtered
 *	-ENOSYS ...	the kernel does not let a process write to its code, or
 *			/proc does not show where its threads are
 */
int clew_unhook(void);

/* Restores all hooks. */
int clew_hook(void);

/* ---- Your own contexts ---- */

/*
 * A value of a call that a probe has recorded, with the name that was
 * requested.
 */
struct clew_called_value {
	const char *name;
	const char *string; /* NULL if the value is a number, or is missing */
	uint64_t number;
	int is_missing; /* the value could not be read */
};

/* A recorded call. The data lives until the function that gets it returns. */
struct clew_called {
	const char *function; /* the function's name, as in reports */
	/* name of the module's file, or "" if there is none */
	const char *module;
	uint64_t vaddr; /* address of the function's entry in the file */
	/*
	 * The call site, "file.c:12" or "caller+0x34", in a trace that contains
	 * sites (clew record --trace --sites). Else NULL.
	 */
	const char *site;
	/* The known values of its arguments, in a trace with --args. */
	const struct clew_called_value *values;
	size_t value_count;
};

/*
 * Implemented by a shared object of yours, for clew tree --context=./my.so.
 * clew calls it in its own process, from one thread, and not in the program.
 * Returns the context of a call that is made in the context `parent` (0:
 * outside all): `parent` itself if the call does not change it, else any number
 * except 2^64 - 1. Equal arguments must always give equal results.
 */
uint64_t clew_context_of(uint64_t parent, const struct clew_called *called);

/*
 * Writes the name of a context, at most `room` bytes including the NUL.
 * Optional.
 */
void clew_context_name(uint64_t context, char *name, size_t room);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
