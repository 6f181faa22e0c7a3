/* SPDX-License-Identifier: MIT */
/*
 * The table of an agent library, such as libclew-alloc.so, that replaces
 * functions of the program. Where the library is preloaded, its functions come
 * first in symbol order, and the table is not used. In a process that clew
 * attaches to, libclew.so diverts the replaced functions to the agent's
 * (preload/front/agent_entries.h), for the time of a session.
 *
 * The library exports the table as `libclew_agent_fronts`, and its own
 * functions under the names of the functions that they replace. Threads may be
 * inside of its functions when clew detaches, so the library stays loaded.
 */
#ifndef CLEW_AGENT_AGENT_FRONTS_H
#define CLEW_AGENT_AGENT_FRONTS_H

#include <stdint.h>

#define AGENT_FRONTS_VERSION 1
#define AGENT_FRONTS_MAX     32 /* number of functions */

struct agent_front {
	/* The replaced function, which the process may lack. */
	const char *name;
	/*
	 * Where clew stores the address of code that does what the function
	 * did. Stays valid after the session.
	 */
	void **next;
	int is_only_called; /* the function is not replaced */
	/* The agent works if this function cannot be replaced. */
	int may_be_missing;
};

struct agent_fronts {
	uint32_t version;
	uint32_t count;
	/*
	 * The library's file name. The loader does not know it if it has loaded
	 * the library from a file in memory.
	 */
	const char *name;
	const struct agent_front *of;
	/*
	 * The program may contain the functions itself, as an allocator, so
	 * that callers may know which registers they change. clew then saves
	 * all registers during calls of the library's functions, which do not
	 * see their callers' return addresses.
	 */
	int may_be_in_program;
	/*
	 * Called before each session, in a thread that holds no lock of libc:
	 * forgets the data of the session before, and creates tables of
	 * values. Functions of clew.h can be called. `option` is the text that
	 * the user gave the agent, or "".
	 */
	void (*begin)(const char *option);
	/*
	 * Called after each session, while all other threads are stopped: frees
	 * memory. May only make system calls.
	 */
	void (*end)(void);
	/*
	 * Stored by clew before begin(). A replaced function may call another
	 * one, which is diverted as well: realloc() may call malloc(). enter()
	 * returns 0 if the calling thread has entered already, and leave() ends
	 * this. Both are safe in signal handlers.
	 */
	int (*enter)(void);
	void (*leave)(void);
};

#endif
