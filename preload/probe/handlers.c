/* SPDX-License-Identifier: MIT */
/* See handlers.h. */
#include "preload/probe/handlers.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/front/faults.h"
#include "preload/host/lookup.h"
#include "preload/probe/probe_calls.h"
#include "preload/probe/vector_call.h"
#include "preload/sys/copy_bytes.h"

#define NAME_BYTES 256

/*
 * Written by the thread that loads handlers: the first thread before main(), or
 * the thread that serves a request (live_probes.c).
 */
static struct {
	/* memory for paths, which outlive the configuration of a session */
	struct arena paths;
	struct {
		const char *object;
		const struct link_map *map;
	} of[WIRE_PROBES_MAX];
	uint32_t count;
	int are_there;
} handlers;

int handlers_are_there(void)
{
	return handlers.are_there;
}

void handlers_foresee(uint32_t probe, const struct probe_call *call)
{
	struct probe_callee *callee = &probe_callees[probe];

	handlers.are_there = 1;
	atomic_store_explicit(&callee->function, NULL, memory_order_relaxed);
	callee->text = call->text;
	callee->data = NULL;
}

/* ---- Objects ---- */

static const struct link_map *map_of(const char *object)
{
	for (uint32_t i = 0; i < handlers.count; i++)
		if (strcmp(handlers.of[i].object, object) == 0)
			return handlers.of[i].map;
	return NULL;
}

/*
 * Loads an object with RTLD_NOW, because a hit of a probe must not call the
 * loader to resolve a symbol.
 */
int handlers_load(const char *object)
{
	void *(*const open)(const char *, int) =
		(void *(*)(const char *, int))lookup_other("dlopen");
	const size_t bytes = strlen(object) + 1;
	const struct link_map *map;
	char *path;

	if (map_of(object))
		return 0;
	if (!open || handlers.count == WIRE_PROBES_MAX)
		return -ELIBACC;
	map = open(object, RTLD_NOW | RTLD_LOCAL);
	if (!map)
		return -ELIBACC;
	path = arena_alloc(&handlers.paths, bytes);
	if (!path)
		return -ENOMEM;
	copy_bytes(path, object, bytes);
	handlers.of[handlers.count].object = path;
	handlers.of[handlers.count++].map = map;
	return 0;
}

/* ---- Functions ---- */

static const struct clew_handler *traits_of(const struct link_map *map,
					    const char *function)
{
	const size_t length = strlen(function);
	char name[NAME_BYTES];

	if (length + sizeof("_clew") > sizeof(name))
		return NULL;
	copy_bytes(name, function, length);
	copy_bytes(name + length, "_clew", sizeof("_clew"));
	return lookup_in_map(map, name);
}

static void *function_of(const struct probe_call *call)
{
	const struct link_map *map = map_of(call->object);

	return lookup_in_map(map, call->function);
}

int handlers_have(const struct probe_call *call)
{
	return function_of(call) != NULL;
}

int handlers_bind(uint32_t probe, const struct probe_call *call)
{
	struct probe_callee *callee = &probe_callees[probe];
	void *const function = function_of(call);
	const struct clew_handler *traits;

	if (!function)
		return -ELIBACC;
	vector_call_begin();
	faults_begin();
	traits = traits_of(map_of(call->object), call->function);
	callee->is_general =
		traits && (traits->flags & CLEW_HANDLER_IS_GENERAL) != 0;
	atomic_store_explicit(&callee->function,
			      (clew_handler_function *)function,
			      memory_order_release);
	return 0;
}

void handlers_load_asked(const struct config *config)
{
	const int saved_errno = errno;

	for (const struct asked_probe *p = config->probes; p; p = p->next)
		if (p->action.call && !handlers_load(p->action.call->object))
			handlers_bind(p->number, p->action.call);
	errno = saved_errno;
}
