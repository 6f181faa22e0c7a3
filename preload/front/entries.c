/* SPDX-License-Identifier: MIT */
/* See entries.h. */
#include "preload/front/entries.h"

#include <errno.h>
#include <stddef.h>

#include "preload/host/fronts.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/patch/divert.h"
#include "preload/patch/journal.h"
#include "preload/sys/own_code.h"
#include "preload/sys/slices.h"
#include "preload/sys/text.h"
#include "wire/attachment.h"

/* The functions to divert. Protected by the loader's lock. */
static struct entry {
	const char *called;
	/*
	 * where to store the address of the original; NULL if clew's function
	 * does not call it
	 */
	void **next;
	struct divert divert;
	void *original; /* value for *next; NULL: not known yet */
	uint32_t is_diverted;
	uint32_t has_failed;
	/* In this session, the wrapper calls a function of an agent library. */
	uint32_t is_followed;
} entries[] = {
#define HELD(name, import_traits)   { .called = #name, .next = &next.name },
#define JUMPED(name, import_traits) { .called = #name, .next = &next_##name },
#define ALONE(name, import_traits)  { .called = #name },
	FRONTS_HELD(HELD) FRONTS_JUMPED(JUMPED) FRONTS_ALONE(ALONE)
};

#define ENTRIES (sizeof(entries) / sizeof(*entries))

/*
 * The program has called this function before clew attached, so it is not
 * diverted.
 */
static const char *const too_late = "__libc_start_main";

/*
 * If one of these functions cannot be diverted, clew does not attach: the
 * program would not work, or its ids would be wrong.
 */
static const char *const wanted[] = {
	"dl_iterate_phdr", "_dl_find_object", "vfork",  "longjmp",
	"siglongjmp",      "__longjmp_chk",   "setjmp", "_setjmp",
	"__sigsetjmp",     "swapcontext",     "clone",
};

static struct entry *find_same(uint64_t pc)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (entries[i].is_diverted && entries[i].divert.pc == pc)
			return &entries[i];
	return NULL;
}

/* Returns the entry whose jump is at this address, or NULL. */
static const struct entry *find_at(uint64_t pc)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (entries[i].is_diverted &&
		    entries[i].divert.site.text.pc == pc)
			return &entries[i];
	return NULL;
}

/*
 * Diverts a function to clew's. If the function has two names, both lead to the
 * same wrapper.
 */
static void stand_in_front(struct entry *entry, struct module *module,
			   struct windows *windows, uint64_t pc)
{
	const struct entry *same = find_same(pc);
	void *ours = lookup_in(own_code_start(), entry->called);

	if (same) {
		entry->original = same->divert.original;
		return;
	}
	journal_keep(1);
	entry->has_failed =
		!ours || divert(&entry->divert, module, windows, pc, ours);
	journal_keep(0);
	if (entry->has_failed)
		return;
	entry->is_diverted = 1;
	entry->original = entry->divert.original;
}

/*
 * Sets the `next` pointers once the original functions can be executed. All
 * entries of a module are sealed together, because each seal uses a page.
 */
static void seal(struct windows *windows)
{
	const int err = windows_seal(windows);

	for (size_t i = 0; i < ENTRIES; i++) {
		struct entry *entry = &entries[i];

		entry->has_failed |= err && entry->original;
		if (!err && entry->original && entry->next)
			*entry->next = entry->original;
		entry->original = NULL;
	}
}

/*
 * Refuses the hook of a function if its front does not call it. Otherwise the
 * front calls the function's stub (entries_lead_to_stubs()).
 */
static void refuse_uncalled(const struct entry *entry,
			    const struct module *module,
			    struct wire_function *functions, uint32_t count)
{
	if (!entry->next)
		divert_refuse_hook(&entry->divert, module, functions, count);
}

/* Returns whether another function was found first, which all callers use. */
static int is_another(const struct entry *entry, uint64_t pc)
{
	return entry->is_diverted ||
	       (entry->next && *entry->next && (uintptr_t)*entry->next != pc);
}

void entries_meet_module(struct module *module, struct windows *windows,
			 struct wire_function *functions, uint32_t count)
{
	const struct link_map *map = lookup_map(module->base);

	if (module->base == own_code_start() ||
	    lookup_in_map(map, WIRE_AGENT_FRONTS))
		return; /* agent_entries.c calls an agent's functions */
	for (size_t i = 0; i < ENTRIES; i++) {
		struct entry *entry = &entries[i];
		const uint64_t pc =
			(uintptr_t)lookup_in_map(map, entry->called);

		if (entry->is_diverted && entry->divert.pc == pc)
			refuse_uncalled(entry, module, functions, count);
		if (!pc || is_another(entry, pc) ||
		    same_text(entry->called, too_late))
			continue;
		slices_rest(); /* each function takes several system calls */
		if (module->is_gone)
			break;
		/*
		 * The module may have been unloaded and loaded again meanwhile.
		 */
		map = lookup_map(module->base);
		if (same_text(entry->called, "_Unwind_GetCFA"))
			next.unwinder = module->image;
		stand_in_front(entry, module, windows, pc);
		if (entry->is_diverted)
			refuse_uncalled(entry, module, functions, count);
	}
	seal(windows);
}

/* ---- Functions that follow fronts ---- */

int entries_follow(uint64_t pc, void *ours, uint64_t *site_pc, void **original)
{
	const struct entry *same = find_same(pc);
	int err = same->next ? 0 : -EBUSY;

	for (size_t i = 0; i < ENTRIES && !err; i++) {
		struct entry *entry = &entries[i];

		if (!entry->next || *entry->next != same->divert.original)
			continue;
		err = journal_store(entry->next, ours);
		entry->is_followed = !err;
	}
	if (err)
		return err;
	*site_pc = same->divert.site.text.pc;
	*original = same->divert.original;
	return 0;
}

void entries_begin_again(void)
{
	for (size_t i = 0; i < ENTRIES; i++)
		entries[i].is_followed = 0;
}

/* ---- Stubs of functions that have fronts ---- */

int entries_have(uint64_t pc)
{
	return find_same(pc) != NULL;
}

/*
 * Makes all fronts of a function call its stub. Names of the same function
 * share the original, but each has a `next` of its own.
 */
static int lead(const void *original, uint64_t stub)
{
	int err = 0;

	for (size_t i = 0; i < ENTRIES && !err; i++) {
		void **at = entries[i].next;

		if (!at || *at != original || entries[i].is_followed)
			continue;
		err = journal_store(at, (void *)stub);
	}
	return err;
}

int entries_lead_to_stubs(const struct patch *patch)
{
	int err = 0;

	for (uint32_t i = 0; i < patch->site_count && !err; i++) {
		const struct patch_site *site = &patch->sites[i];
		const struct entry *entry =
			site->has_front ? find_at(patch->base + site->text.pc)
					: NULL;

		if (entry)
			err = lead(entry->divert.original,
				   patch->base + site->entry);
	}
	return err;
}

/* ---- Missing fronts ---- */

static int is_wanted(const char *name)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (same_text(name, wanted[i]))
			return 1;
	return 0;
}

const char *entries_missing(void)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (entries[i].has_failed && is_wanted(entries[i].called))
			return entries[i].called;
	return NULL;
}
