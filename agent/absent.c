/* SPDX-License-Identifier: MIT */
/*
 * libclew-agent: the functions of clew.h for processes without clew. A
 * preloaded libclew.so has functions of the same names, and the loader finds
 * those first. In a process that clew has attached to, these functions call
 * clew's by a table (agent_table.h).
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/absent.h"
#include "agent/agent_table.h"
#include "agent/clew.h"
#include "agent/nodes.h"

/*
 * Exported by libclew-agent for libclew.so. `clew attach` writes the addresses
 * while all threads are stopped.
 */
extern struct agent_table libclew_agent_table;
struct agent_table libclew_agent_table
	__attribute__((visibility("default"))) = {
		.version = AGENT_TABLE_VERSION,
		.count = AGENT_FUNCTION_COUNT,
	};

/*
 * Returns the result of clew's function, or `absent` in a process without clew.
 * The address is read once, because clew may detach meanwhile; its functions
 * stay mapped.
 */
#define ASK(absent, name, ...)                                                 \
	({                                                                     \
		__typeof__(name) *its = __atomic_load_n(                       \
			&libclew_agent_table.name, __ATOMIC_RELAXED);          \
		its ? its(__VA_ARGS__) : (absent);                             \
	})

struct clew_here clew_context(void)
{
	return ASK((struct clew_here){ 0 }, clew_context);
}

uint64_t clew_id(void)
{
	return ASK(0, clew_id);
}

int clew_stack(uint64_t id, struct clew_frame *frames, size_t room)
{
	return ASK(-ENODEV, clew_stack, id, frames, room);
}

uint64_t clew_parent(uint64_t id)
{
	return ASK(0, clew_parent, id);
}

uint32_t clew_depth(uint64_t id)
{
	return ASK(0, clew_depth, id);
}

struct clew_values *clew_values_new(const struct clew_value *columns,
				    size_t count)
{
	return ASK(NULL, clew_values_new, columns, count);
}

__typeof__(clew_values_new) absent_values_new
	__attribute__((alias("clew_values_new"), visibility("hidden")));

uint64_t clew_row_new(struct clew_values *values, uint64_t id)
{
	return ASK(0, clew_row_new, values, id);
}

int clew_row_is_there(const struct clew_values *values, uint64_t row)
{
	return ASK(0, clew_row_is_there, values, row);
}

int64_t clew_value_add(struct clew_values *values, uint64_t row, size_t column,
		       int64_t more)
{
	return ASK(0, clew_value_add, values, row, column, more);
}

void clew_value_raise(struct clew_values *values, uint64_t row, size_t column,
		      int64_t to)
{
	ASK((void)0, clew_value_raise, values, row, column, to);
}

void clew_mark(const char *name, uint64_t number)
{
	ASK((void)0, clew_mark, name, number);
}

void clew_begin(const char *name, uint64_t number)
{
	ASK((void)0, clew_begin, name, number);
}

void clew_end(const char *name, uint64_t number)
{
	ASK((void)0, clew_end, name, number);
}

int clew_confidence(struct clew_checks *out)
{
	return ASK(-ENODEV, clew_confidence, out);
}

int clew_snapshot(const char *path)
{
	return ASK(-ENODEV, clew_snapshot, path);
}

int clew_unhook(void)
{
	return -ENODEV;
}

int clew_hook(void)
{
	return -ENODEV;
}

/* Uses system calls, because an agent may replace mmap(). */
static void *take_pages(size_t bytes)
{
	const long pages =
		syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	return pages == -1 ? NULL : (void *)pages;
}

static void give_back(void *pages, size_t bytes)
{
	syscall(SYS_munmap, pages, bytes);
}

struct clew_nodes *clew_nodes_new(void)
{
	static const struct node_memory memory = { take_pages, give_back };

	return nodes_new(&memory);
}
