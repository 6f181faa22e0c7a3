/* SPDX-License-Identifier: MIT */
/*
 * The modules of the process, as the loader sees them, in all namespaces.
 *
 * The list is made before main and brought up to date whenever the loader has
 * loaded or unloaded something (loader.c), under the loader's own lock. What
 * is unloaded stays in the list: its counts stay, and it may come back.
 */
#ifndef CLEW_MODULES_MODULES_H
#define CLEW_MODULES_MODULES_H

#include <link.h>
#include <stdint.h>

#include "image/arena.h"
#include "image/content.h"
#include "preload/stubs/window.h"
#include "wire/verdict.h"

struct number_range;
struct patch;

struct module {
	struct module *next;         /* in the order of their coming */
	const char *path;            /* absolute for the executable */
	uint64_t base;               /* load bias */
	const ElfW(Phdr) * segments; /* the module's own; gone with it */
	uint32_t segment_count;
	struct pc_range code;  /* bounds of the executable segments */
	struct pc_range image; /* bounds of all segments */
	enum module_state state;
	uint32_t build_id_bytes; /* of what is in memory; 0: none */
	uint8_t build_id[32];
	struct content content; /* of one without, once analysed */
	/* The numbers of its functions; NULL: none are recorded. */
	const struct number_range *numbers;
	struct patch *patches; /* NULL: nothing is hooked (module_patches.h) */
	uint32_t traits;       /* of its code, as far as it was analysed */
	uint32_t generation;   /* of the last update that saw it */
	uint8_t is_new;        /* since the last update */
	uint8_t is_gone;
	uint8_t is_libc;
	uint8_t is_retired; /* gone, and the recording says so */
};

static inline struct window_user module_user(const struct module *module)
{
	return (struct window_user){ module->code, module->image };
}

struct modules {
	struct module *first, *last;
	struct module *self;  /* libclew.so */
	struct module *spare; /* forgotten, to be used again */
	uint32_t generation;
};

/*
 * Look what is loaded now. New modules are appended with is_new set, also
 * those that were loaded before, at the same place, and had gone; it is up to
 * the caller to find out whether they are the same. Those that have gone since
 * get is_gone set. 0 or -ENOMEM. Calls libc.
 */
int modules_update(struct modules *modules, struct arena *arena);

/* Append one that the loader does not know. 0 or -ENOMEM. Calls libc. */
int modules_add(struct modules *modules, const struct dl_phdr_info *info,
		struct arena *arena);

/*
 * Nothing but what has gone, in the midst of what is done with the last update: no
 * module is added. Of a new one that has no build-id nobody knows whether it is the same.
 */
void modules_look_for_gone(struct modules *modules);

/* Take a module that has gone off the list. */
void modules_forget(struct modules *modules, struct module *module);

#endif
