/* SPDX-License-Identifier: MIT */
/*
 * What the recording says of modules, their functions, and rules.
 *
 * Records are found again by the numbers of what they are about (numbers.h): pointers
 * into a part do not survive a fork, after which the child has a part of its own.
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
	struct wire_function *functions; /* module->function_count of them */
};

static inline uint64_t catalog_padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

/* Those of a module's record, behind its path. Safe in signal handlers. */
static inline struct wire_function *catalog_functions(
	struct wire_module *record)
{
	unsigned char *path = (unsigned char *)(record + 1);

	return (void *)(path + catalog_padded(record->path_bytes));
}

/* The record of a module that is loaded, or NULL. Safe in signal handlers. */
static inline struct wire_module *catalog_loaded(
	const struct number_range *numbers)
{
	if (!numbers || atomic_load(&numbers->unloaded_ns))
		return NULL;
	return atomic_load_explicit(&numbers->module, memory_order_acquire);
}

/*
 * Record a module and its functions, whose numbers module->numbers has.
 * 0 or -errno.
 */
int catalog_add_module(struct part *part, const struct module *module,
		       const struct analysis *analysis, uint64_t loaded_ns,
		       struct catalog_entry *out);

/* The record of the module whose functions have those numbers. 0 or -ENOENT. Any thread. */
int catalog_find_module(const struct number_range *numbers,
			struct catalog_entry *out);

/*
 * It has been unloaded, or with 0 is back where it was. A forked child has records of
 * its own from then on.
 */
void catalog_note_unloaded(struct part *part,
			   const struct number_range *numbers,
			   uint64_t when_ns);

/* Record the rules, and later how much they have matched since. */
int catalog_add_rules(struct part *part, const struct rule *rules);
void catalog_update_rules(const struct part *part, const struct rule *rules);

#endif
