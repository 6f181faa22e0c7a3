/* SPDX-License-Identifier: MIT */
/*
 * libclew-agent: the functions of clew.h for processes without clew. A
 * preloaded libclew.so has functions of the same names, and the loader finds
 * those first.
 */
#include <errno.h>
#include <sys/mman.h>

#include "agent/absent.h"
#include "agent/clew.h"
#include "agent/nodes.h"

struct clew_here clew_context(void)
{
	return (struct clew_here){ 0 };
}

uint64_t clew_id(void)
{
	return 0;
}

int clew_stack(uint64_t id, struct clew_frame *frames, size_t room)
{
	return -ENODEV;
}

uint64_t clew_parent(uint64_t id)
{
	return 0;
}

uint32_t clew_depth(uint64_t id)
{
	return 0;
}

struct clew_values *clew_values_new(const struct clew_value *columns,
				    size_t count)
{
	return NULL;
}

__typeof__(clew_values_new) absent_values_new
	__attribute__((alias("clew_values_new"), visibility("hidden")));

uint64_t clew_row_new(struct clew_values *values, uint64_t id)
{
	return 0;
}

int clew_row_is_there(const struct clew_values *values, uint64_t row)
{
	return 0;
}

int64_t clew_value_add(struct clew_values *values, uint64_t row, size_t column,
		       int64_t more)
{
	return 0;
}

void clew_value_raise(struct clew_values *values, uint64_t row, size_t column,
		      int64_t to)
{
}

void clew_mark(const char *name, uint64_t number)
{
}

void clew_begin(const char *name, uint64_t number)
{
}

void clew_end(const char *name, uint64_t number)
{
}

int clew_confidence(struct clew_checks *out)
{
	return -ENODEV;
}

int clew_snapshot(const char *path)
{
	return -ENODEV;
}

int clew_unhook(void)
{
	return -ENODEV;
}

int clew_hook(void)
{
	return -ENODEV;
}

static void *take_pages(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

static void give_back(void *pages, size_t bytes)
{
	munmap(pages, bytes);
}

struct clew_nodes *clew_nodes_new(void)
{
	static const struct node_memory memory = { take_pages, give_back };

	return nodes_new(&memory);
}
