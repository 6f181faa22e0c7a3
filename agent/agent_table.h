/* SPDX-License-Identifier: MIT */
/*
 * The table in libclew-agent by which a process that clew attaches to finds
 * clew's functions. `clew attach` writes their addresses while all threads are
 * stopped, and zeros when it detaches (preload/front/agent_tables.h). Where
 * libclew.so is preloaded, its functions come first in symbol order, and the
 * table is not used.
 *
 * Programs may have a libclew-agent of another version than the libclew.so that
 * attaches: new functions are added at the end.
 */
#ifndef CLEW_AGENT_AGENT_TABLE_H
#define CLEW_AGENT_AGENT_TABLE_H

#include <stdint.h>

#include "agent/clew.h"

#define AGENT_TABLE_VERSION 1

/* Without clew_hook() and clew_unhook(), which need the start of a process. */
#define AGENT_FUNCTIONS(X)                                                     \
	X(clew_context)                                                        \
	X(clew_id)                                                             \
	X(clew_stack)                                                          \
	X(clew_parent)                                                         \
	X(clew_depth)                                                          \
	X(clew_values_new)                                                     \
	X(clew_row_new)                                                        \
	X(clew_row_is_there)                                                   \
	X(clew_value_add)                                                      \
	X(clew_value_raise)                                                    \
	X(clew_mark)                                                           \
	X(clew_begin)                                                          \
	X(clew_end)                                                            \
	X(clew_confidence)                                                     \
	X(clew_snapshot)

struct agent_table {
	uint32_t version;
	uint32_t count; /* number of functions */
#define X(name) __typeof__(name) *name;
	AGENT_FUNCTIONS(X)
#undef X
};

#define X(name) +1
enum { AGENT_FUNCTION_COUNT = 0 AGENT_FUNCTIONS(X) };
#undef X

#endif
