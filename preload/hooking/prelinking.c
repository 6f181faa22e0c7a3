/* SPDX-License-Identifier: MIT */
/* See prelinking.h. */
#include "preload/hooking/prelinking.h"

#include <errno.h>

#include "machine/address_space.h"
#include "preload/hooking/shared_text.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/modules/select.h"
#include "preload/patch/journal.h"
#include "preload/patch/prelinked_text.h"
#include "preload/stubs/shared_table.h"
#include "preload/sys/apart.h"
#include "preload/sys/slices.h"
#include "preload/sys/sys.h"

static int is_wanted(const struct config *config)
{
	return !config->no_prelinking && !config->probes;
}

/*
 * Returns the highest end of this candidate's module and those of the following
 * candidates.
 */
static uint64_t highest_end(const struct candidate *candidate)
{
	uint64_t end = 0;

	for (; candidate; candidate = candidate->next)
		if (candidate->module->image.end > end)
			end = candidate->module->image.end;
	return end;
}

static void begin(struct prelinking *prelinking, const struct config *config,
		  const struct candidate *candidate, struct arena *scratch)
{
	prelinking->has_begun = 1;
	if (is_wanted(config) && config->cache_dir && !rt.is_late &&
	    !prelinked_folder_open(&prelinking->folder, config->cache_dir))
		pristine_open(&prelinking->pristine, highest_end(candidate),
			      scratch);
}

/*
 * Describes the stubs that the module needs, at the first of the addresses
 * where they may be mapped. The key of a file of stubs contains the library's
 * build-id, because another libclew.so may create other stubs.
 */
static struct prelinked_module stubs_of(const struct cold *cold,
					const struct candidate *candidate,
					const struct patch_workshop *workshop)
{
	const struct module *module = candidate->module;
	const struct module *own = cold->modules.self;

	return (struct prelinked_module){
		.content = candidate->analysis.content,
		.maker = own ? own->build_id : NULL,
		.maker_bytes = own ? own->build_id_bytes : 0,
		.base = module->base,
		.user = module_user(module),
		.functions = candidate->analysis.functions,
		.count = candidate->analysis.function_count,
		.first_number = candidate->entry.module->first_function,
		.constants = workshop->constants,
		.is_gone = &module->is_gone,
	};
}

static struct prelinked_text_module text_of(const struct candidate *candidate,
					    const struct prelinked_module *of)
{
	return (struct prelinked_text_module){
		.module = candidate->module,
		.stubs_of = of,
		.analysed = candidate->analysis.functions,
		.functions = candidate->entry.functions,
		.count = candidate->analysis.function_count,
		.first_number = of->first_number,
	};
}

/* ---- Finding ---- */

/*
 * Returns whether to use hooked text for the module. A process that may not use
 * breakpoints (a debugger traces it) uses no hooked text, except of libc: one
 * file serves all processes, and most may use breakpoints.
 */
static int text_is_wanted(const struct candidate *candidate,
			  const struct patch_workshop *workshop)
{
	return workshop->has_traps || candidate->module->is_libc;
}

static void find_text(const struct prelinking *prelinking,
		      struct candidate *candidate,
		      const struct prelinked_text_module *of,
		      const struct prelinked_found *stubs,
		      struct arena *scratch)
{
	struct prelinked_text *text = arena_alloc(scratch, sizeof(*text));

	if (!text)
		return;
	prelinked_text_find(text, of, stubs, &prelinking->folder,
			    &prelinking->pristine);
	candidate->text = text;
}

static void forget_text(struct candidate *candidate)
{
	if (candidate->text)
		prelinked_text_close(candidate->text, 0);
	candidate->text = NULL;
}

/*
 * Returns -ENOENT if no file has these stubs; the caller may then create the
 * file with number *number.
 */
static int map_stubs(const struct prelinking *prelinking,
		     struct candidate *candidate,
		     const struct prelinked_module *of,
		     const struct patch_workshop *workshop,
		     struct arena *scratch, uint32_t *number)
{
	const struct prelinked_text_module text = text_of(candidate, of);
	struct prelinked_found found;
	int err = prelinked_find(&found, of, &prelinking->folder);

	*number = found.number;
	if (err)
		return err;
	if (text_is_wanted(candidate, workshop))
		find_text(prelinking, candidate, &text, &found, scratch);
	err = prelinked_map(&candidate->prelinked, of, &found,
			    candidate->text && candidate->text->is_found,
			    workshop->windows, scratch);
	if (err)
		forget_text(candidate);
	return err;
}

static int map_or_make_stubs(const struct prelinking *prelinking,
			     struct candidate *candidate,
			     const struct prelinked_module *of,
			     const struct patch_workshop *workshop,
			     struct arena *scratch)
{
	uint32_t number;
	int err = map_stubs(prelinking, candidate, of, workshop, scratch,
			    &number);

	if (err != -ENOENT)
		return err;
	err = prelinked_make(of, &prelinking->folder, &workshop->decoder,
			     scratch, number);
	return err ? err
		   : map_stubs(prelinking, candidate, of, workshop, scratch,
			       &number);
}

/* ---- In an attached process ---- */

/*
 * Processes that are recorded together share stubs by files in the recording's
 * folder. These files are removed with the other files of stubs. Opening them
 * must not show descriptors to the program's threads (sys/apart.h).
 */
struct late_stubs {
	const struct cold *cold;
	struct candidate *candidate;
	const struct prelinked_module *of;
	const struct patch_workshop *workshop;
	struct arena *scratch;
	/* stubs to write first, or NULL */
	const struct prelinked_composed *composed;
	uint32_t number;
};

static int write_and_map(struct late_stubs *late,
			 const struct prelinked_folder *folder)
{
	struct prelinked_found found;
	int err = 0;

	if (late->composed)
		err = prelinked_write(late->composed, late->of, folder,
				      late->scratch, late->number);
	if (!err)
		err = prelinked_find(&found, late->of, folder);
	if (err == -ENOENT)
		late->number = found.number;
	return err ? err
		   : prelinked_map(&late->candidate->prelinked, late->of,
				   &found, 0, late->workshop->windows,
				   late->scratch);
}

/*
 * Called by apart_call() (sys/apart.h), because it opens files. Returns 0 or
 * -errno.
 */
static int open_and_map(void *argument)
{
	struct late_stubs *late = argument;
	struct prelinked_folder folder = { 0 };
	int err = prelinked_folder_open(&folder, late->cold->config.dir);

	if (err)
		return err;
	err = prelinked_folder_may_have_code(&folder)
		      ? write_and_map(late, &folder)
		      : -EPERM;
	prelinked_folder_close(&folder);
	return err;
}

static int map_or_make_late(struct late_stubs *late)
{
	struct prelinked_composed composed = { 0 };
	int err = apart_call(open_and_map, late);

	if (err != -ENOENT)
		return err;
	err = prelinked_compose(&composed, late->of, &late->workshop->decoder,
				late->scratch);
	late->composed = &composed;
	if (!err)
		err = apart_call(open_and_map, late);
	late->composed = NULL;
	prelinked_free_composed(&composed);
	return err;
}

static void find_late(const struct cold *cold, struct candidate *candidate,
		      const struct patch_workshop *workshop,
		      struct arena *scratch)
{
	struct prelinked_module of = stubs_of(cold, candidate, workshop);
	struct late_stubs late = { .cold = cold,
				   .candidate = candidate,
				   .of = &of,
				   .workshop = workshop,
				   .scratch = scratch };
	int err = -EEXIST;

	for (; (err == -EEXIST || err == -ERANGE) && !*of.is_gone &&
	       of.place < PRELINKED_PLACES;
	     of.place++)
		err = map_or_make_late(&late);
	slices_rest();
}

/* ---- The interface ---- */

void prelinking_find(struct prelinking *prelinking, const struct cold *cold,
		     struct candidate *candidate,
		     const struct patch_workshop *workshop,
		     struct arena *scratch)
{
	struct prelinked_module of = stubs_of(cold, candidate, workshop);
	int err = -EEXIST;

	/*
	 * The file contains all functions: too large if only a few are
	 * selected.
	 */
	if (rt.is_late && is_wanted(&cold->config) &&
	    !select_has_function_rules(&cold->config))
		find_late(cold, candidate, workshop, scratch);
	if (!prelinking->has_begun)
		begin(prelinking, &cold->config, candidate, scratch);
	if (!prelinking->folder.is_open)
		return;
	/*
	 * The file's owner could have changed the bytes after they were hashed.
	 */
	if (!candidate->analysis.is_guarded) {
		candidate->prelinked_err = -EPERM;
		return;
	}
	/*
	 * Tries the next location if this one is occupied or forbidden
	 * (window.c).
	 */
	for (;
	     (err == -EEXIST || err == -ERANGE) && of.place < PRELINKED_PLACES;
	     of.place++)
		err = map_or_make_stubs(prelinking, candidate, &of, workshop,
					scratch);
	candidate->prelinked_err = err;
}

/* ---- Hooking ---- */

int prelinking_patch(const struct prelinking *prelinking, struct cold *cold,
		     struct candidate *candidate,
		     struct patch_workshop *workshop, struct arena *scratch)
{
	const struct prelinked_module of = stubs_of(cold, candidate, workshop);
	const struct prelinked_text_module text = text_of(candidate, &of);
	int err;

	if (!candidate->text || !candidate->text->is_found)
		return -ENOENT;
	err = prelinked_text_prepare(candidate->text, &text, workshop,
				     &prelinking->pristine, &cold->kept,
				     scratch, &candidate->patch);
	if (err)
		forget_text(candidate);
	return err;
}

/*
 * Stores the text only if it contains all functions, because the next process
 * may select others.
 */
int prelinking_keep(const struct prelinking *prelinking,
		    const struct cold *cold, const struct candidate *candidate,
		    const struct patch_workshop *workshop,
		    struct arena *scratch)
{
	const struct prelinked_module of = stubs_of(cold, candidate, workshop);
	const struct prelinked_text_module text = text_of(candidate, &of);

	if (!candidate->text || !candidate->text->is_pristine ||
	    candidate->text->is_found ||
	    select_has_function_rules(&cold->config))
		return -ENOTSUP;
	return prelinked_text_make(candidate->text, &text, candidate->patch,
				   &candidate->prelinked, &prelinking->folder,
				   &prelinking->pristine, scratch);
}

void prelinking_share_sites(const struct cold *cold, struct patch *patch)
{
	const uint64_t bytes =
		(patch->memory_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	const uint64_t islands_at =
		(uintptr_t)patch->islands - (uintptr_t)patch->sites;
	void *shared;

	if (!rt.is_late || !is_wanted(&cold->config))
		return;
	shared = shared_table(cold->config.dir, patch->sites, bytes);
	if (!shared)
		return;
	sys_munmap(patch->sites, patch->memory_bytes);
	patch->sites = shared;
	patch->islands = (struct patch_text *)((char *)shared + islands_at);
}

void prelinking_share_texts(const struct cold *cold)
{
	const struct pc_range part = journal_hooks();
	void *shared;

	if (!is_wanted(&cold->config))
		return;
	shared = shared_table(cold->config.dir, (const void *)part.start,
			      part.end - part.start);
	if (shared)
		journal_share(&part, shared);
}

void prelinking_share_code(const struct cold *cold)
{
	/*
	 * Two files are mapped in addition to the module. A limit of the
	 * address space may not allow that.
	 */
	if (rt.is_late && is_wanted(&cold->config) &&
	    hot_shadow_low != SHADOW_NOWHERE)
		shared_texts_prepare(cold->config.dir, &cold->modules);
}

void prelinking_close(struct candidate *candidate)
{
	if (candidate->text)
		prelinked_text_close(candidate->text, 1);
	candidate->text = NULL;
}

void prelinking_end(struct prelinking *prelinking)
{
	prelinked_folder_close(&prelinking->folder);
	pristine_close(&prelinking->pristine);
}
