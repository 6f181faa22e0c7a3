/* SPDX-License-Identifier: MIT */
#include "preload/prelinking.h"

#include <errno.h>

#include "preload/hot/runtime.h"

static int is_wanted(const struct config *config)
{
	return config->cache_dir && !config->no_prelinking && !config->probes &&
	       !rt.is_late;
}

static void begin(struct prelinking *prelinking, const struct config *config)
{
	prelinking->has_begun = 1;
	if (is_wanted(config))
		prelinked_folder_open(&prelinking->folder, config->cache_dir);
}

/* Another libclew.so would make them otherwise, perhaps. */
static const struct module *own_module(const struct cold *cold)
{
	const struct module *module = cold->modules.first;

	while (module && module->state != MODULE_IS_SELF)
		module = module->next;
	return module;
}

void prelinking_find(struct prelinking *prelinking, const struct cold *cold,
		     struct candidate *candidate,
		     const struct patch_workshop *workshop,
		     struct arena *scratch)
{
	const struct module *module = candidate->module;
	const struct module *own = own_module(cold);
	const struct prelinked_module of = {
		.build_id = module->build_id,
		.build_id_bytes = module->build_id_bytes,
		.maker = own ? own->build_id : NULL,
		.maker_bytes = own ? own->build_id_bytes : 0,
		.base = module->base,
		.user = module_user(module),
		.functions = candidate->analysis.functions,
		.count = candidate->analysis.function_count,
		.first_number = candidate->entry.module->first_function,
		.constants = workshop->constants,
	};
	uint32_t number;

	if (!prelinking->has_begun)
		begin(prelinking, &cold->config);
	if (!prelinking->folder.is_open)
		return;
	if (prelinked_load(&candidate->prelinked, &of, &prelinking->folder,
			   workshop->windows, scratch, &number) != -ENOENT)
		return;
	if (prelinked_make(&of, &prelinking->folder, &workshop->decoder,
			   scratch, number))
		return;
	prelinked_load(&candidate->prelinked, &of, &prelinking->folder,
		       workshop->windows, scratch, &number);
}

void prelinking_end(struct prelinking *prelinking)
{
	prelinked_folder_close(&prelinking->folder);
}
