/* SPDX-License-Identifier: MIT */
/* See candidate.h. */
#include "preload/modules/candidate.h"

#include <errno.h>
#include <string.h>

#include "image/special_modules.h"
#include "image/traits.h"
#include "preload/hot/runtime.h"
#include "preload/modules/natives.h"
#include "preload/modules/select.h"
#include "preload/modules/select_functions.h"
#include "preload/record/numbers.h"
#include "preload/record/recorder.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

static enum module_state state_of(int err)
{
	switch (err) {
	case 0:
		return MODULE_IS_HOOKED;
	case -EBADMSG:
	case -ENOEXEC:
		return MODULE_IS_MALFORMED;
	case -ENODATA:
		return MODULE_IS_NO_CODE;
	default:
		return MODULE_IS_UNREADABLE;
	}
}

/*
 * Returns whether the file at the module's path is still the one that was
 * loaded, as far as build-ids show. It may have been replaced since.
 */
static int is_loaded_file(const struct candidate *candidate)
{
	const struct module *module = candidate->module;
	const struct analysis *analysis = &candidate->analysis;

	return module->build_id_bytes == analysis->build_id_bytes &&
	       !memcmp(module->build_id, analysis->build_id,
		       module->build_id_bytes);
}

/* Announces a long analysis to the user, who waits for the program. */
static void announce_analysis(const char *path)
{
	struct wire_header *header = rt.header;
	const char *slash = strrchr(path, '/');
	struct text text = text_in(header->reading, sizeof(header->reading));

	text_string(&text, slash ? slash + 1 : path);
	atomic_store_explicit(&header->reading_ns,
			      sys_clock_ns(CLOCK_MONOTONIC),
			      memory_order_release);
}

void candidate_analyse(struct candidate *candidate, const struct config *config,
		       struct arena *scratch, int is_late)
{
	struct module *module = candidate->module;

	/*
	 * The library recognizes itself by its address, whatever the name of
	 * its file.
	 */
	module->state = module->base == own_code_start()
				? MODULE_IS_SELF
				: select_module(config, module->path);
	module->is_libc = select_is_libc(module->path);
	if (module->state != MODULE_IS_HOOKED)
		return;
	module->state = state_of(analysis_of_module(
		module->path, config->cache_dir, announce_analysis, scratch,
		&candidate->analysis));
	atomic_store_explicit(&rt.header->reading_ns, 0, memory_order_relaxed);
	if (module->state == MODULE_IS_HOOKED) {
		module->traits = candidate->analysis.traits;
		module->analysed = candidate->analysis.content;
		if (!module->build_id_bytes)
			module->content = candidate->analysis.content;
	}
	if (module->state == MODULE_IS_HOOKED && !is_loaded_file(candidate))
		module->state = MODULE_IS_CHANGED;
	if (module->state == MODULE_IS_HOOKED)
		module->state = module_state_of_traits(
			candidate->analysis.traits, is_late);
	if (module->state == MODULE_IS_AOT)
		natives_disown(module);
	if (candidate->analysis.traits & TRAIT_MAPPER)
		natives_distrust();
	if (module->state != MODULE_IS_HOOKED)
		candidate->analysis.function_count = 0;
}

/*
 * Takes numbers for the module's functions. The preferred numbers follow from
 * the build-id or, without one, from the path. A module without numbers has no
 * functions.
 */
static int take_numbers(struct candidate *candidate, struct arena *kept)
{
	struct module *module = candidate->module;
	const uint32_t count = candidate->analysis.function_count;
	const uint32_t preferred =
		module->build_id_bytes
			? numbers_preferred(module->build_id,
					    module->build_id_bytes)
			: numbers_preferred(module->path, strlen(module->path));
	struct number_range *range;

	if (!count)
		return 0;
	range = arena_alloc(kept, sizeof(*range));
	if (!range)
		return -ENOMEM;
	range->count = count;
	range->kind = WIRE_RANGE_MODULE;
	if (numbers_take(range, preferred)) {
		module->state = MODULE_IS_NO_NUMBERS;
		candidate->analysis.function_count = 0;
		return 0;
	}
	candidate->numbers = range;
	module->numbers = range;
	return 0;
}

int candidate_record(struct candidate *candidate, const struct config *config,
		     struct arena *scratch, struct arena *kept, uint64_t now_ns)
{
	struct module *module = candidate->module;
	int err;

	err = take_numbers(candidate, kept);
	if (err)
		return err;
	err = catalog_add_module(&rt.recorder->part, module,
				 &candidate->analysis, now_ns,
				 &candidate->entry);
	if (err)
		return err;
	if (candidate->numbers)
		atomic_store_explicit(&candidate->numbers->used,
				      candidate->numbers->count,
				      memory_order_release);
	if (module->state == MODULE_IS_HOOKED &&
	    select_has_function_rules(config))
		select_functions(config, module->path, scratch,
				 &candidate->entry);
	return 0;
}

void candidates_record_costs(const struct candidate *first, uint64_t now_ns)
{
	uint64_t bytes = 0;
	struct wire_hooking *to;
	struct chunk chunk;

	for (const struct candidate *c = first; c; c = c->next)
		bytes += sizeof(c->cost);
	if (!bytes ||
	    part_alloc(&rt.recorder->part, WIRE_HOOKING, 0, bytes, &chunk))
		return;
	to = chunk_payload(&chunk);
	for (const struct candidate *c = first; c; c = c->next) {
		*to = c->cost;
		to->base = c->module->base;
		to->loaded_ns = now_ns;
		to++;
	}
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
}
