/* SPDX-License-Identifier: MIT */
/*
 * The recording's data about modules, functions, and rules.
 *
 * Records are found again by their functions' numbers (numbers.h). Pointers
 * into a part become invalid after a fork, because the child has its own part.
 */
#ifndef CLEW_MODULES_CATALOG_H
#define CLEW_MODULES_CATALOG_H

#include "image/analysis.h"
#include "preload/host/config.h"
#include "preload/modules/modules.h"
#include "preload/record/numbers.h"
#include "preload/record/part.h"

/* A module's record. */
struct catalog_entry {
	struct wire_module *module;
	/* an array with module->function_count elements */
	struct wire_function *functions;
};

static inline uint64_t catalog_padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

/*
 * Returns the functions of a module's record, which follow its path. Safe in
 * signal handlers.
 */
static inline struct wire_function *catalog_functions(
	struct wire_module *record)
{
	unsigned char *path = (unsigned char *)(record + 1);

	return (void *)(path + catalog_padded(record->path_bytes));
}

/* Returns the record of a loaded module, or NULL. Safe in signal handlers. */
static inline struct wire_module *catalog_loaded(
	const struct number_range *numbers)
{
	if (!numbers || atomic_load(&numbers->unloaded_ns))
		return NULL;
	return atomic_load_explicit(&numbers->module, memory_order_acquire);
}

/*
 * Records a module and its functions, with the numbers in module->numbers.
 * Returns 0 or -errno.
 */
int catalog_add_module(struct part *part, const struct module *module,
		       const struct analysis *analysis, uint64_t loaded_ns,
		       struct catalog_entry *out);

/*
 * Finds the record of the module whose functions have these numbers. Returns 0
 * or -ENOENT. Any thread may call this function.
 */
int catalog_find_module(const struct number_range *numbers,
			struct catalog_entry *out);

/*
 * Records that the module was unloaded or, with 0, loaded again at the same
 * address. A forked child first copies the records that it has inherited.
 */
void catalog_note_unloaded(struct part *part,
			   const struct number_range *numbers,
			   uint64_t when_ns);

/* Record the rules, and later the number of their matches. */
int catalog_add_rules(struct part *part, const struct rule *rules);
void catalog_update_rules(const struct part *part, const struct rule *rules);

#endif
