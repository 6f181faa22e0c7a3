/* SPDX-License-Identifier: MIT */
#include "preload/hook.h"

#include <string.h>

#include "image/analysis.h"
#include "image/image.h"
#include "image/symbols.h"
#include "preload/frames.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/patch.h"
#include "preload/select.h"
#include "preload/text.h"

/* A module on its way into the recording. */
struct candidate {
	struct module *module;
	struct analysis analysis;
	struct wire_module *record;
	struct wire_function *functions; /* in the recording */
	struct patch patch;
	int is_prepared;
};

static enum module_state state_of(int err)
{
	switch (err) {
	case 0:
		return MODULE_IS_HOOKED;
	case -EBADMSG:
	case -ENOEXEC:
		return MODULE_IS_MALFORMED;
	case -ENODATA:
		return MODULE_IS_NO_UNWIND_INFO;
	default:
		return MODULE_IS_UNREADABLE;
	}
}

/* The file may have been replaced since it was loaded. */
static int is_what_is_loaded(const struct candidate *candidate)
{
	uint8_t loaded[32];
	uint32_t bytes = module_build_id(candidate->module, loaded);

	return bytes == candidate->analysis.build_id_bytes &&
	       !memcmp(loaded, candidate->analysis.build_id, bytes);
}

/*
 * Linked with -static-libgcc: somewhere in there, nameless when stripped, are
 * functions that unwind from their own return address. Only libgcc's unwinder
 * calls _dl_find_object.
 */
static int has_unwinder(const struct module *module)
{
	return module_imports(module, "_dl_find_object");
}

static void analyse(struct cold *cold, struct arena *arena,
		    struct candidate *candidate)
{
	struct module *module = candidate->module;

	module->state = select_module(&cold->config, module->path);
	if (module->state == MODULE_IS_HOOKED && has_unwinder(module))
		module->state = MODULE_IS_UNWINDER;
	if (module->state != MODULE_IS_HOOKED)
		return;
	module->state =
		state_of(analysis_of_file(module->path, cold->config.cache_dir,
					  arena, &candidate->analysis));
	if (module->state == MODULE_IS_HOOKED && !is_what_is_loaded(candidate))
		module->state = MODULE_IS_CHANGED;
	if (module->state != MODULE_IS_HOOKED)
		candidate->analysis.function_count = 0;
}

/* ---- Function rules ---- */

struct name_search {
	const struct config *config;
	const struct candidate *candidate;
	uint8_t *selected; /* of each function: 0 unnamed, 1 in, 2 out */
};

static struct wire_function *find_function(const struct candidate *candidate,
					   uint64_t vaddr)
{
	uint32_t low = 0, high = candidate->analysis.function_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (candidate->functions[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == candidate->analysis.function_count ||
	    candidate->functions[low].vaddr != vaddr)
		return NULL;
	return &candidate->functions[low];
}

/* A function with several names is in if one of them is. */
static int judge_name(void *context, const struct symbol *symbol)
{
	struct name_search *search = context;
	struct wire_function *function =
		find_function(search->candidate, symbol->vaddr);
	uint8_t *selected;

	if (!function)
		return 0;
	selected = &search->selected[function - search->candidate->functions];
	if (*selected != 1)
		*selected =
			select_function(search->config, symbol->name) ? 1 : 2;
	return 0;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Nameless functions are called module+0xoffset, as in the reports. */
static int is_nameless_selected(const struct config *config,
				const struct module *module, uint64_t vaddr)
{
	char name[256];
	struct text text = text_in(name, sizeof(name));

	text_string(&text, file_name(module->path));
	text_string(&text, "+0x");
	text_hex(&text, vaddr);
	return select_function(config, name);
}

static void apply_function_rules(struct cold *cold, struct arena *arena,
				 struct candidate *candidate)
{
	uint32_t count = candidate->analysis.function_count;
	struct name_search search = { .config = &cold->config,
				      .candidate = candidate,
				      .selected = arena_alloc(arena, count) };
	struct image image;

	if (!search.selected || image_open(&image, candidate->module->path))
		return;
	symbols_walk(&image, judge_name, &search);
	image_close(&image);
	for (uint32_t i = 0; i < count; i++) {
		struct wire_function *function = &candidate->functions[i];
		int in = search.selected[i] == 1;

		if (!search.selected[i])
			in = is_nameless_selected(&cold->config,
						  candidate->module,
						  function->vaddr);
		if (!in && verdict_class(function->verdict) == VERDICT_HOOKED)
			function->verdict = VERDICT_IS_DESELECTED;
	}
}

/* ---- The recording ---- */

static int record_module(struct part *part, struct candidate *candidate)
{
	const struct module *module = candidate->module;
	const struct analysis *analysis = &candidate->analysis;
	uint64_t path_bytes = strlen(module->path);
	uint64_t function_bytes = (uint64_t)analysis->function_count *
				  sizeof(struct wire_function);
	uint64_t bytes = sizeof(struct wire_module) +
			 ((path_bytes + 7) & ~7ul) + function_bytes;
	struct wire_module *record;
	struct chunk chunk;
	int err = part_alloc(part, WIRE_MODULE, 0, bytes, &chunk);

	if (err)
		return err;
	record = chunk_payload(&chunk);
	record->base = module->base;
	record->vaddr_start = module->code.start - module->base;
	record->vaddr_end = module->code.end - module->base;
	record->state = module->state;
	record->first_function = rt.function_count + 1;
	record->function_count = analysis->function_count;
	record->path_bytes = (uint32_t)path_bytes;
	record->build_id_bytes = module_build_id(module, record->build_id);
	record->from_cache = (uint32_t)analysis->from_cache;
	copy_bytes(record + 1, module->path, path_bytes);
	candidate->record = record;
	candidate->functions = (void *)((unsigned char *)(record + 1) +
					((path_bytes + 7) & ~7ul));
	copy_bytes(candidate->functions, analysis->functions, function_bytes);
	rt.function_count += analysis->function_count;
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	return 0;
}

static int record_rules(struct part *part, const struct rule *rules)
{
	uint64_t bytes = 0;
	struct chunk chunk;
	unsigned char *at;
	int err;

	for (const struct rule *rule = rules; rule; rule = rule->next)
		bytes += sizeof(struct wire_rule) +
			 ((strlen(rule->line) + 7) & ~7ul);
	if (!bytes)
		return 0;
	err = part_alloc(part, WIRE_RULES, 0, bytes, &chunk);
	if (err)
		return err;
	at = chunk_payload(&chunk);
	for (const struct rule *rule = rules; rule; rule = rule->next) {
		struct wire_rule *record = (struct wire_rule *)at;
		size_t text_bytes = strlen(rule->line);

		record->text_bytes = (uint32_t)text_bytes;
		record->bytes =
			(uint32_t)(sizeof(*record) + ((text_bytes + 7) & ~7ul));
		record->matches = rule->matches;
		copy_bytes(record + 1, rule->line, text_bytes);
		at += record->bytes;
	}
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	return 0;
}

/* ---- Hooking ---- */

static void *decoder_memory(void *context, size_t bytes)
{
	return arena_alloc(context, bytes);
}

/* Offset of struct hot_thread from fs, the same in every thread. */
static int32_t tls_offset(void)
{
	uintptr_t fs;

	__asm__("mov %%fs:0, %0" : "=r"(fs));
	return (int32_t)((intptr_t)&hot - (intptr_t)fs);
}

static int choose_windows(struct cold *cold, struct arena *arena,
			  const struct candidate *candidates, uint32_t count)
{
	struct pc_range *code = arena_alloc(arena, count * sizeof(*code));
	uint32_t used = 0;
	int err;

	if (!code)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (candidates[i].module->code.end)
			code[used++] = candidates[i].module->code;
	err = windows_init(&cold->windows, code, used);
	rt.windows = cold->windows.map;
	return err;
}

static void refuse_all(struct candidate *candidate, enum verdict verdict)
{
	for (uint32_t i = 0; i < candidate->record->function_count; i++) {
		struct wire_function *function = &candidate->functions[i];

		if (verdict_class(function->verdict) == VERDICT_HOOKED)
			function->verdict = (uint8_t)verdict;
	}
}

/* All stubs first: once they are executable none can be added. */
static void prepare_patches(struct cold *cold, struct arena *arena,
			    struct candidate *candidates, uint32_t count)
{
	struct stub_constants constants = { .tls_offset = tls_offset(),
					    .zone = cold->windows.zone,
					    .windows = cold->windows.map };
	struct decoder decoder;
	int err = decoder_open(&decoder, decoder_memory, arena);

	for (uint32_t i = 0; i < count; i++) {
		struct candidate *c = &candidates[i];

		if (c->module->state != MODULE_IS_HOOKED)
			continue;
		c->is_prepared =
			!err &&
			!patch_prepare(&c->patch, &cold->windows, &constants,
				       &decoder, c->module,
				       c->record->first_function, c->functions,
				       c->record->function_count);
		if (!c->is_prepared)
			refuse_all(c, VERDICT_IS_NO_ROOM);
	}
}

static void commit_patches(struct cold *cold, struct candidate *candidates,
			   uint32_t count)
{
	int err = frames_describe(&cold->windows);

	if (!err)
		err = windows_seal(&cold->windows);
	for (uint32_t i = 0; i < count; i++) {
		struct candidate *c = &candidates[i];

		if (!c->is_prepared)
			continue;
		if (err)
			patch_revert(&c->patch);
		if (err || patch_commit(&c->patch))
			refuse_all(c, VERDICT_IS_UNPATCHABLE);
	}
}

int hook_loaded_modules(struct cold *cold, struct arena *arena)
{
	struct candidate *candidates;
	struct modules modules;
	uint32_t n = 0;
	int err = modules_find(&modules, arena);

	if (err)
		return err;
	candidates = arena_alloc(arena, modules.count * sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;
	for (struct module *m = modules.first; m; m = m->next) {
		struct candidate *c = &candidates[n++];

		c->module = m;
		analyse(cold, arena, c);
		err = record_module(&cold->part, c);
		if (err)
			return err;
		if (m->state == MODULE_IS_HOOKED &&
		    select_has_function_rules(&cold->config))
			apply_function_rules(cold, arena, c);
	}
	err = record_rules(&cold->part, cold->config.rules);
	if (err)
		return err;
	err = choose_windows(cold, arena, candidates, n);
	if (err)
		return err;
	prepare_patches(cold, arena, candidates, n);
	commit_patches(cold, candidates, n);
	frames_register(&cold->windows);
	return 0;
}
