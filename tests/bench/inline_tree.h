/* SPDX-License-Identifier: MIT */
/*
 * The simplest method of building a calling context tree, for benchmarks: the
 * program itself extends the tree at each call, before the body of the function
 * runs.
 *
 * 	INLINE_TREE 0	nothing is built
 * 	INLINE_TREE 1	one tree of all threads; a lock is held while a child is
 * 			looked for, and counted
 * 	INLINE_TREE 2	each thread has a tree of its own, without a lock
 *
 * ENTER() and LEAVE() are expanded in the functions, so that they add no call.
 * A node's children are in a hash table, by function: a look-up costs the same
 * with many children as with few.
 */
#ifndef CLEW_BENCH_INLINE_TREE_H
#define CLEW_BENCH_INLINE_TREE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct tree_node {
	struct tree_node *parent;
	const void *function;
	uint64_t calls;
	struct tree_node **children; /* open addressing; NULL: none */
	uint32_t used, log2;
};

static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tree_node tree_root;
static _Thread_local struct tree_node *tree_here;

static inline struct tree_node **tree_look(struct tree_node **children,
					   uint32_t log2, const void *function)
{
	const size_t mask = ((size_t)1 << log2) - 1;
	size_t i = (uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) >>
		   (64 - log2);

	while (children[i] && children[i]->function != function)
		i = (i + 1) & mask;
	return &children[i];
}

static inline void *tree_memory(size_t count, size_t bytes)
{
	void *made = calloc(count, bytes);

	if (!made)
		abort();
	return made;
}

static __attribute__((noinline)) struct tree_node *tree_add(
	struct tree_node *parent, const void *function)
{
	struct tree_node *made = tree_memory(1, sizeof(*made));

	if (!parent->children || 2 * parent->used >= 1u << parent->log2) {
		const uint32_t log2 = parent->children ? parent->log2 + 1 : 2;
		struct tree_node **grown = tree_memory(
			(size_t)1 << log2, sizeof(struct tree_node *));

		for (size_t i = 0;
		     parent->children && i < (size_t)1 << parent->log2; i++)
			if (parent->children[i])
				*tree_look(grown, log2,
					   parent->children[i]->function) =
					parent->children[i];
		free(parent->children);
		parent->children = grown;
		parent->log2 = log2;
	}
	made->parent = parent;
	made->function = function;
	*tree_look(parent->children, parent->log2, function) = made;
	parent->used++;
	return made;
}

static inline struct tree_node *tree_child(struct tree_node *parent,
					   const void *function)
{
	struct tree_node *found =
		parent->children
			? *tree_look(parent->children, parent->log2, function)
			: NULL;

	return found ? found : tree_add(parent, function);
}

static inline void tree_enter(const void *function)
{
	struct tree_node *here = tree_here;

	if (INLINE_TREE == 1)
		pthread_mutex_lock(&tree_lock);
	if (!here)
		here = INLINE_TREE == 1 ? &tree_root
					: tree_memory(1, sizeof(*here));
	here = tree_child(here, function);
	here->calls++;
	if (INLINE_TREE == 1)
		pthread_mutex_unlock(&tree_lock);
	tree_here = here;
}

#if INLINE_TREE
#define ENTER(function) tree_enter((const void *)(function))
#define LEAVE()         ((void)(tree_here = tree_here->parent))
#else
#define ENTER(function) ((void)0)
#define LEAVE()         ((void)0)
#endif

#endif
