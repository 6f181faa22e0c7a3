/* SPDX-License-Identifier: MIT */
/*
 * The modules of the process, as the loader sees them.
 */
#ifndef CLEW_PRELOAD_MODULES_H
#define CLEW_PRELOAD_MODULES_H

#include <link.h>
#include <stdint.h>

#include "image/arena.h"
#include "preload/window.h"
#include "wire/verdict.h"

struct module {
	struct module *next; /* in the loader's order */
	const char *path;    /* absolute for the executable */
	uint64_t base;       /* load bias */
	const ElfW(Phdr) * segments;
	uint32_t segment_count;
	struct pc_range code; /* bounds of the executable segments */
	enum module_state state;
};

struct modules {
	struct module *first;
	uint32_t count;
};

/* List what is loaded. 0 or -ENOMEM. Calls libc. */
int modules_find(struct modules *modules, struct arena *arena);

/* The build-id that is in memory: its bytes, or 0 if there is none. */
uint32_t module_build_id(const struct module *module, uint8_t out[32]);

/* Whether the module asks the loader for a symbol of that name. */
int module_imports(const struct module *module, const char *name);

#endif
