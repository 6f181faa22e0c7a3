/* SPDX-License-Identifier: MIT */
/*
 * The modules of the process, as the loader reports them, in all namespaces.
 *
 * The list is created before main or when clew attaches, and updated whenever
 * the loader has loaded or unloaded something (loader.c), under the loader's
 * own lock. Unloaded modules stay in the list, because their counts stay, and
 * they may be loaded again.
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
	struct module *next; /* the next module in the order of loading */
	const char *path;    /* absolute if possible */
	uint64_t base;       /* load bias of the module */
	/* the program headers in the module's memory */
	const ElfW(Phdr) * segments;
	uint32_t segment_count;
	struct pc_range code;  /* bounds of the executable segments */
	struct pc_range image; /* bounds of all segments */
	enum module_state state;
	/* length of the build-id in the module's memory; 0 if there is none */
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	/*
	 * Identity of a module without a build-id, once its file was analysed.
	 */
	struct content content;
	/* Content of its file, once analysed; zeros if it is unknown. */
	struct content analysed;
	/* The numbers of its functions; NULL: none are recorded. */
	const struct number_range *numbers;
	/* the module's hooks and probes (module_patches.h), or NULL */
	struct patch *patches;
	/* properties of its code (image/traits.h), as far as it was analysed */
	uint32_t traits;
	/* number of the last update that has found the module */
	uint32_t generation;
	uint8_t is_new; /* the last update has added the module */
	uint8_t is_gone;
	uint8_t is_libc;
	/* is_gone, and the recording says that the module was unloaded */
	uint8_t is_retired;
	/*
	 * Only budget_learnt.c uses these two: the module's file of learnt
	 * functions was searched, and it exists.
	 */
	uint8_t is_recalled;
	uint8_t has_learnt;
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
	struct module *self; /* the module libclew.so */
	/* structs that were removed from the list and can be reused */
	struct module *spare;
	uint32_t generation;
};

/*
 * Reads the loader's list of modules. New modules are appended with is_new set.
 * A module that an update has found unloaded and that is loaded again at the
 * same address is also appended; the caller compares it with the former one.
 * Unloaded modules get is_gone set. Returns 0 or -ENOMEM. Calls libc.
 */
int modules_update(struct modules *modules, struct arena *arena);

/*
 * Appends a module that is not in the loader's list. Returns 0 or -ENOMEM.
 * Calls libc.
 */
int modules_add(struct modules *modules, const struct dl_phdr_info *info,
		struct arena *arena);

/*
 * Sets is_gone of modules that were unloaded since the last update, and adds no
 * modules. Used while the results of the last update are still being processed.
 * Also sets is_gone of new modules without a build-id, because nothing shows
 * whether they are still the same.
 */
void modules_find_unloaded(struct modules *modules);

/* Removes an unloaded module from the list. */
void modules_forget(struct modules *modules, struct module *module);

#endif
