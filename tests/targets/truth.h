/* SPDX-License-Identifier: MIT */
/*
 * A program's own count of its calls: the result that a recording must equal.
 *
 * Every counted function reports when it is entered and left. The header
 * maintains a calling context tree in plain memory with one root for each
 * thread. Counting must not call functions, because clew would count these
 * calls also. All of it is therefore inlined, even at -O0:
 *
 *	static COUNTED int f(int n)
 *	{
 *		ENTER(f);
 *		...
 *		LEAVE();
 *		return n;
 *	}
 *
 * A program that makes tail calls defines TRUTH_JUMPS in all of its files. A
 * function that ends in a tail call uses TAIL() instead of LEAVE(), directly
 * before the call. The callee is then entered as a child of the function that
 * jumps to it, and leaves that function also. If a function in a chain of jumps
 * is jumped to again, clew shows it as called by the first function of the
 * chain, or in the first one's own context if it is the first one. Afterwards
 * this holds for all jumps to that function, except into contexts that were
 * reached by a jump before. Code that returns by longjmp or switches stacks
 * saves TRUTH_HERE in a variable and restores it.
 *
 * A function at the start of a separate stack, whose caller does not matter,
 * uses ENTER_ROOT(f): contexts are compared from there on. A forked child calls
 * TRUTH_FORKED(), because its counts begin at 0.
 *
 * If signals may interrupt any code, contexts cannot be exact, but sums can.
 * Functions then use only COUNT(f), once.
 *
 * LEAVE_OUT(f) names a function that clew may or may not count. The comparison
 * removes it from all contexts, so its calls appear below its caller.
 *
 * truth_write(), at the end of main, writes lines to $TRUTH_DIR/PID.IMAGE.
 *
 *	node N PARENT TID VADDR CALLS MODULE NAME	(PARENT 0: a root)
 *	tails N CALLS					(calls by TAIL())
 *	jumped N					(to N, from its parent)
 *	root VADDR MODULE NAME				(see ENTER_ROOT)
 *	omitted VADDR MODULE NAME			(see LEAVE_OUT)
 *	total VADDR CALLS MODULE NAME
 *	runtime MODULE			(TRUTH_HAS_RUNTIME: the module contains
 *					functions that the program omits)
 *
 * IMAGE numbers the images of one process. Exactly one source file of a program
 * defines TRUTH_MAIN before it includes this header.
 */
#ifndef CLEW_TESTS_TRUTH_H
#define CLEW_TESTS_TRUTH_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef TRUTH_NODES
#define TRUTH_NODES (1 << 16)
#endif
#define TRUTH_TOTALS 64
#define TRUTH_CUTS   256
#define TRUTH_CHAIN  64 /* jumps */

/* C++'s thread_local is accessed through a function, so it cannot be used. */
#define TRUTH_THREAD_LOCAL __thread

/*
 * Each source function is one function in the binary, without clones or
 * merging.
 */
#ifdef __clang__
#define COUNTED __attribute__((noinline))
#else
#define COUNTED __attribute__((noipa))
#endif
#define TRUTH_INLINE static inline __attribute__((always_inline, unused))

struct truth_node {
	const char *function; /* address; null: the root of a thread */
	const char *name;
	const char *base; /* base address of its module */
	const char *module;
	uint64_t calls;
	uint64_t tails; /* the calls among these by TAIL() */
	uint32_t parent;
	uint32_t child;   /* first child */
	uint32_t sibling; /* next sibling */
	uint32_t tid;
	uint32_t is_root; /* its callers do not matter */
	uint32_t is_jump; /* called by TAIL() from its parent */
	/* The node on the same path in which no call is a jump. */
	uint32_t plain;
	/* For a `plain` node: a jump to it on this path was kept as a child. */
	uint32_t is_kept;
};

struct truth_total {
	const char *function;
	const char *name;
	const char *base;
	const char *module;
	uint64_t calls;
	uint32_t listed;
	uint32_t pad;
};

/* A function that the comparison removes from all contexts. */
struct truth_omitted {
	const char *function;
	const char *name;
	const char *base;
	const char *module;
};

struct truth {
	uint32_t used; /* number of nodes; node 0 means none */
	uint32_t totals_used;
	uint32_t omitted_used;
	uint32_t pad;
	struct truth_omitted omitted[TRUTH_TOTALS];
	struct truth_node nodes[TRUTH_NODES];
	struct truth_total *totals[TRUTH_TOTALS];
	/* functions that occurred twice in a chain of jumps */
	const char *cuts[TRUTH_CUTS];
	uint32_t cuts_used;
};

#ifdef __cplusplus
extern "C" {
#endif
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* Shared by the executable and its libraries, so these are not hidden. */
#ifdef TRUTH_MAIN
struct truth truth;
TRUTH_THREAD_LOCAL uint32_t truth_here
	__attribute__((tls_model("initial-exec")));
TRUTH_THREAD_LOCAL uint32_t truth_by_tail
	__attribute__((tls_model("initial-exec")));
#else
extern TRUTH_THREAD_LOCAL uint32_t truth_by_tail
	__attribute__((tls_model("initial-exec")));
extern struct truth truth;
extern TRUTH_THREAD_LOCAL uint32_t truth_here
	__attribute__((tls_model("initial-exec")));
#endif
#ifdef __cplusplus
}
#endif

/*
 * clang reads TLS again after every call by itself; code after a longjmp also
 * needs that.
 */
#define TRUTH_HERE (*(volatile uint32_t *)&truth_here)

TRUTH_INLINE uint32_t truth_tid(void)
{
	long tid;

	__asm__ volatile("syscall"
			 : "=a"(tid)
			 : "a"((long)SYS_gettid)
			 : "rcx", "r11", "memory");
	return (uint32_t)tid;
}

TRUTH_INLINE uint32_t truth_node_add(uint32_t parent)
{
	uint32_t node = __atomic_add_fetch(&truth.used, 1, __ATOMIC_RELAXED);

	if (node >= TRUTH_NODES)
		__builtin_trap();
	truth.nodes[node].parent = parent;
	return node;
}

TRUTH_INLINE uint32_t truth_child(uint32_t here, uint32_t is_jump,
				  const char *function, const char *name)
{
	uint32_t node;

	for (node = truth.nodes[here].child; node;
	     node = truth.nodes[node].sibling)
		if (truth.nodes[node].function == function &&
		    truth.nodes[node].is_jump == is_jump)
			return node;
	node = truth_node_add(here);
	truth.nodes[node].function = function;
	truth.nodes[node].name = name;
	truth.nodes[node].base = __ehdr_start;
	truth.nodes[node].module = TRUTH_MODULE;
	truth.nodes[node].is_jump = is_jump;
	truth.nodes[node].sibling = truth.nodes[here].child;
	truth.nodes[here].child = node;
	return node;
}

#ifdef TRUTH_JUMPS
/* Returns the node for the same path without jumps, below `above`. */
TRUTH_INLINE uint32_t truth_plain(uint32_t node, uint32_t above)
{
	struct truth_node *const it = &truth.nodes[node];

	if (!it->plain && !it->is_jump &&
	    (!it->parent || truth.nodes[it->parent].plain == it->parent))
		it->plain = node;
	if (!it->plain)
		it->plain = truth_child(above, 0, it->function, it->name);
	if (!truth.nodes[it->plain].plain)
		truth.nodes[it->plain].plain = it->plain;
	return it->plain;
}

TRUTH_INLINE uint32_t truth_is_cut(const char *function)
{
	for (uint32_t i = 0; i < truth.cuts_used; i++)
		if (truth.cuts[i] == function)
			return 1;
	return 0;
}

/* Returns the node of a function that `here` jumps to. */
TRUTH_INLINE uint32_t truth_jump(uint32_t here, const char *function,
				 const char *name)
{
	uint32_t owner = here, jumps = 0, is_there = 0, plain;

	for (; truth.nodes[owner].is_jump; jumps++) {
		is_there |= truth.nodes[owner].function == function;
		owner = truth.nodes[owner].parent;
	}
	is_there |= truth.nodes[owner].function == function;
	plain = truth_child(truth.nodes[here].plain, 0, function, name);
	if (is_there && !truth_is_cut(function) &&
	    !truth.nodes[plain].is_kept) {
		if (truth.cuts_used == TRUTH_CUTS)
			__builtin_trap();
		truth.cuts[truth.cuts_used++] = function;
	}
	if (!truth.nodes[plain].is_kept &&
	    (truth_is_cut(function) || jumps >= TRUTH_CHAIN)) {
		if (truth.nodes[owner].function == function) {
			truth.nodes[truth.nodes[owner].plain].is_kept = 1;
			return owner;
		}
		here = owner;
		plain = truth_child(truth.nodes[here].plain, 0, function, name);
	}
	truth.nodes[plain].is_kept = 1;
	return truth_child(here, 1, function, name);
}
#endif

TRUTH_INLINE void truth_enter(const char *function, const char *name)
{
	uint32_t here = TRUTH_HERE;
	uint32_t node;

	if (!here) {
		here = truth_node_add(0);
		truth.nodes[here].tid = truth_tid();
		truth.nodes[here].plain = here;
	}
#ifdef TRUTH_JUMPS
	node = truth_by_tail ? truth_jump(here, function, name)
			     : truth_child(here, 0, function, name);
	truth_plain(node, truth.nodes[truth.nodes[node].parent].plain);
	truth.nodes[node].tails += truth_by_tail;
	truth_by_tail = 0;
#else
	node = truth_child(here, 0, function, name);
#endif
	truth.nodes[node].calls++;
	TRUTH_HERE = node;
}

/* Leaves the function, and those that have jumped to it. */
TRUTH_INLINE void truth_leave(void)
{
	uint32_t node = TRUTH_HERE;

#ifdef TRUTH_JUMPS
	while (truth.nodes[node].is_jump)
		node = truth.nodes[node].parent;
#endif
	TRUTH_HERE = truth.nodes[node].parent;
}

#ifdef TRUTH_JUMPS
/* The next function is entered by a jump. */
TRUTH_INLINE void truth_tail(void)
{
	truth_by_tail = 1;
}
#endif

/* A signal may arrive at any point, so every step is atomic. */
TRUTH_INLINE void truth_list(struct truth_total *total, const char *function,
			     const char *name)
{
	if (!__atomic_exchange_n(&total->listed, 1, __ATOMIC_RELAXED)) {
		uint32_t slot = __atomic_fetch_add(&truth.totals_used, 1,
						   __ATOMIC_RELAXED);

		if (slot >= TRUTH_TOTALS)
			__builtin_trap();
		total->function = function;
		total->name = name;
		total->base = __ehdr_start;
		total->module = TRUTH_MODULE;
		truth.totals[slot] = total;
	}
}

TRUTH_INLINE void truth_count(struct truth_total *total, const char *function,
			      const char *name)
{
	__atomic_fetch_add(&total->calls, 1, __ATOMIC_RELAXED);
	truth_list(total, function, name);
}

/* Only one thread at a time may call this function. */
TRUTH_INLINE void truth_leave_out(const char *function, const char *name)
{
	struct truth_omitted *omitted = &truth.omitted[truth.omitted_used++];

	if (truth.omitted_used > TRUTH_TOTALS)
		__builtin_trap();
	omitted->function = function;
	omitted->name = name;
	omitted->base = __ehdr_start;
	omitted->module = TRUTH_MODULE;
}

#define LEAVE_OUT(f) truth_leave_out((const char *)(uintptr_t)(f), #f)
#define ENTER(f)     truth_enter((const char *)(uintptr_t)(f), #f)
#define ENTER_ROOT(f)                                                          \
	do {                                                                   \
		TRUTH_HERE = 0;                                                \
		ENTER(f);                                                      \
		truth.nodes[TRUTH_HERE].is_root = 1;                           \
	} while (0)
#define LEAVE() truth_leave()
#define TAIL()  truth_tail()

/*
 * Returns the result of a call, which is a tail call if the compiler makes one.
 */
#if !defined(__OPTIMIZE__)
#define RETURN_CALL(type, call)                                                \
	do {                                                                   \
		type result = call;                                            \
                                                                               \
		LEAVE();                                                       \
		return result;                                                 \
	} while (0)
#elif defined(__clang__)
#define RETURN_CALL(type, call)                                                \
	do {                                                                   \
		TAIL();                                                        \
		__attribute__((musttail)) return call;                         \
	} while (0)
#else
#define RETURN_CALL(type, call)                                                \
	do {                                                                   \
		TAIL();                                                        \
		return call;                                                   \
	} while (0)
#endif
#define COUNT(f)                                                               \
	do {                                                                   \
		static struct truth_total total_of_##f;                        \
		truth_count(&total_of_##f, (const char *)(uintptr_t)(f), #f);  \
	} while (0)

/*
 * Like COUNT(), for functions that must not contain jumps: the compiler moves
 * rare code out of line. main() calls LIST(f).
 */
#define TRUTH_TOTAL(f) static struct truth_total total_of_##f
#define COUNT_LISTED(f)                                                        \
	__atomic_fetch_add(&total_of_##f.calls, 1, __ATOMIC_RELAXED)
#define LIST(f) truth_list(&total_of_##f, (const char *)(uintptr_t)(f), #f)

TRUTH_INLINE void truth_forked(void)
{
	for (uint32_t i = 1; i <= truth.used; i++)
		truth.nodes[i].calls = 0;
	for (uint32_t i = 0; i < truth.totals_used; i++)
		truth.totals[i]->calls = 0;
}

#define TRUTH_FORKED() truth_forked()

/* Returns the load bias of a module: the address of its vaddr 0. */
TRUTH_INLINE const char *truth_bias(const char *base)
{
	uint16_t type = ((const Elf64_Ehdr *)(uintptr_t)base)->e_type;

	return type == ET_DYN ? base : (const char *)0;
}

TRUTH_INLINE FILE *truth_open(void)
{
	const char *directory = getenv("TRUTH_DIR");
	char path[4096];
	FILE *file = NULL;

	if (!directory)
		return NULL;
	for (int image = 0; !file && image < 100; image++) {
		snprintf(path, sizeof(path), "%s/%d.%d", directory,
			 (int)getpid(), image);
		file = fopen(path, "wx");
	}
	if (!file)
		perror(path);
	return file;
}

TRUTH_INLINE void truth_write(void)
{
	FILE *file = truth_open();

	if (!file)
		return;
	for (uint32_t i = 1; i <= truth.used; i++) {
		const struct truth_node *node = &truth.nodes[i];

		if (!node->function)
			fprintf(file, "node %u 0 %u 0 0 - -\n", i, node->tid);
		else
			fprintf(file, "node %u %u 0 0x%zx %llu %s %s\n", i,
				node->parent,
				(size_t)(node->function -
					 truth_bias(node->base)),
				(unsigned long long)node->calls, node->module,
				node->name);
		if (node->tails)
			fprintf(file, "tails %u %llu\n", i,
				(unsigned long long)node->tails);
		if (node->is_jump)
			fprintf(file, "jumped %u\n", i);
		if (node->is_root)
			fprintf(file, "root 0x%zx %s %s\n",
				(size_t)(node->function -
					 truth_bias(node->base)),
				node->module, node->name);
	}
	for (uint32_t i = 0; i < truth.omitted_used; i++)
		fprintf(file, "omitted 0x%zx %s %s\n",
			(size_t)(truth.omitted[i].function -
				 truth_bias(truth.omitted[i].base)),
			truth.omitted[i].module, truth.omitted[i].name);
#ifdef TRUTH_HAS_RUNTIME
	fprintf(file, "runtime %s\n", TRUTH_MODULE);
#endif
	for (uint32_t i = 0; i < truth.totals_used; i++) {
		const struct truth_total *total = truth.totals[i];

		fprintf(file, "total 0x%zx %llu %s %s\n",
			(size_t)(total->function - truth_bias(total->base)),
			(unsigned long long)total->calls, total->module,
			total->name);
	}
	if (fclose(file))
		perror("truth");
}

#endif
