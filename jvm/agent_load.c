/* SPDX-License-Identifier: MIT */
/* See agent_load.h. */
#include "jvm/agent_load.h"

#include <jvmti.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "jvm/agent.h"
#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"
#include "preload/sys/own_code.h"
#include "preload/sys/text.h"

#define EXPORT      __attribute__((visibility("default")))
#define OPTION      "-agentpath:"
#define OPTION_ROOM 4096

static _Atomic int is_awaited; /* whether a JVM is being created */

void agent_await(int is_being_made)
{
	atomic_store(&is_awaited, is_being_made);
}

/* ---- The option ---- */

/*
 * The path must be absolute, because the loader would search for any other name
 * in its library paths. A path with '=' would be cut at that character.
 */
char *agent_option(void)
{
	static char option[OPTION_ROOM];
	struct text text = text_in(option, sizeof(option));
	const struct link_map *map = lookup_module(own_code_start());

	if (!map || map->l_name[0] != '/' || strchr(map->l_name, '='))
		return NULL;
	text_string(&text, OPTION);
	text_string(&text, map->l_name);
	return text_was_cut(&text) ? NULL : option;
}

enum wish { WISH_NATIVES, WISH_OFF, WISH_UNKNOWN };

/* Reads the options after -agentpath:libclew.so= on a command line. */
static enum wish read_options(const char *options)
{
	if (!options || !*options || same_text(options, "natives"))
		return WISH_NATIVES;
	return same_text(options, "off") ? WISH_OFF : WISH_UNKNOWN;
}

typedef jint (*on_load_function)(JavaVM *vm, char *options, void *reserved);

static on_load_function own_of(const struct link_map *map)
{
	if (!map || map->l_addr == own_code_start())
		return NULL;
	return (on_load_function)lookup_in_map(map, "Agent_OnLoad");
}

/*
 * Returns the Agent_OnLoad() of the module at a pc, or NULL if the module has
 * none or is libclew.so.
 */
static on_load_function find_callers(uint64_t pc)
{
	return own_of(lookup_module(pc));
}

static int find_last(struct dl_phdr_info *info, size_t bytes, void *context)
{
	const struct link_map *map = lookup_debug()->r_map;
	on_load_function *last = context;

	for (; map; map = map->l_next) {
		const on_load_function own = own_of(map);

		*last = own ? own : *last;
	}
	return 1;
}

static on_load_function find_newest(void)
{
	on_load_function newest = NULL;

	lookup_locked(find_last, &newest);
	return newest;
}

/*
 * Another agent that calls its own Agent_OnLoad() by name reaches the function
 * of clew, which is preloaded. Returns the Agent_OnLoad() that the other agent
 * wanted to call: that of the calling module. If the agent has jumped, so that
 * the JVM seems to be the caller, returns that of the agent which was loaded
 * last. Returns NULL if the call is meant for clew, or if no other module has
 * the function.
 */
static on_load_function find_meant(uint64_t caller, enum wish wish)
{
	const on_load_function callers = find_callers(caller);

	if (callers || !rt.header)
		return callers;
	return atomic_load(&is_awaited) && wish != WISH_UNKNOWN ? NULL
								: find_newest();
}

/*
 * Called by the JVM, or by another agent (find_meant()). Fails in a process
 * without a part and for unknown options: the JVM then reports that the agent
 * could not be started. Succeeds without an effect if the recording could not
 * begin; the part contains the reason of that.
 */
EXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const enum wish wish = read_options(options);
	const on_load_function meant =
		find_meant((uintptr_t)__builtin_return_address(0), wish);

	if (meant)
		return meant(vm, options, reserved);
	if (!rt.header || wish == WISH_UNKNOWN)
		return JNI_ERR;
	if (rt.header->state != WIRE_RUNNING)
		return JNI_OK;
	if (wish == WISH_OFF)
		agent_begin_idle(vm);
	else
		agent_begin(vm);
	return JNI_OK;
}
