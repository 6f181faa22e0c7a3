/* SPDX-License-Identifier: MIT */
/*
 * The modules of the process, as the loader reports them, in all namespaces.
 *
 * The list is created before main and updated whenever the loader has loaded or
 * unloaded something (loader.c), under the loader's own lock. Unloaded modules
 * stay in the list, because their counts stay, and they may be loaded again.
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
	struct module *next;         /* in the order of loading */
	const char *path;            /* absolute for the executable */
	uint64_t base;               /* load bias */
	const ElfW(Phdr) * segments; /* in the module; unmapped with it */
	uint32_t segment_count;
	struct pc_range code;  /* bounds of the executable segments */
	struct pc_range image; /* bounds of all segments */
	enum module_state state;
	uint32_t build_id_bytes; /* of the module in memory; 0: none */
	uint8_t build_id[32];
	/* Content of a module without a build-id, once analysed. */
	struct content content;
	/* The numbers of its functions; NULL: none are recorded. */
	const struct number_range *numbers;
	struct patch *patches; /* NULL: nothing is hooked (module_patches.h) */
	uint32_t traits;       /* of its code, as far as it was analysed */
	uint32_t generation;   /* of the last update that found it */
	uint8_t is_new;        /* since the last update */
	uint8_t is_gone;
	uint8_t is_libc;
	uint8_t is_retired; /* is_gone, and the recording contains that */
};

static inline int module_is_loaded(const struct module *module)
{
	return !module->is_gone && !module->is_retired;
}

static inline struct window_user module_user(const struct module *module)
{
	return (struct window_user){ module->code, module->image };
}

struct modules {
	struct module *first, *last;
	struct module *self;  /* libclew.so */
	struct module *spare; /* removed from the list, for reuse */
	uint32_t generation;
};

/*
 * Reads the list of loaded modules. New modules are appended with is_new set,
 * including former ones that were loaded again at the same address; the caller
 * must compare them. Unloaded modules get is_gone set. Returns 0 or -ENOMEM.
 * Calls libc.
 */
int modules_update(struct modules *modules, struct arena *arena);

/*
 * Appends a module that the loader does not know. Returns 0 or -ENOMEM. Calls
 * libc.
 */
int modules_add(struct modules *modules, const struct dl_phdr_info *info,
		struct arena *arena);

/*
 * Only sets is_gone of unloaded modules, while the results of the last update
 * are processed; adds none. A new module without a build-id cannot be
 * identified with certainty.
 */
void modules_find_unloaded(struct modules *modules);

/* Removes an unloaded module from the list. */
void modules_forget(struct modules *modules, struct module *module);

#endif
