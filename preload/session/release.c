/* SPDX-License-Identifier: MIT */
/* See release.h. */
#include "preload/session/release.h"

#include "machine/address_space.h"
#include "preload/hooking/shared_text.h"
#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/tails.h"
#include "preload/hot/trampoline.h"
#include "preload/patch/journal.h"
#include "preload/patch/patch.h"
#include "preload/patch/shadowed.h"
#include "preload/probe/probe_actions.h"
#include "preload/record/inheritance.h"
#include "preload/record/numbers.h"
#include "preload/record/past_calls.h"
#include "preload/stack/heal.h"
#include "preload/stubs/stub_write.h"
#include "preload/sys/sys.h"
#include "preload/tracing/call_values.h"

#define SPARED_MAX 1024 /* largest number of pages that are not freed */
#define ROWS_MAX   4096

/* A row of stubs without gaps, in pages that contain nothing else. */
struct stub_row {
	uint64_t start, end; /* page addresses */
	uint64_t stub_bytes;
};

/* Protected by clew_attachment.caller. */
static struct {
	/* pages into which a return address leads */
	uint64_t pages[SPARED_MAX];
	uint32_t count;
	/* whether there are too many pages, so that no stub can be freed */
	int is_full;
} spared LARGE_TABLE, formerly_spared LARGE_TABLE;

struct stub_rows {
	struct stub_row items[ROWS_MAX];
	uint32_t count;
};

static uint64_t page_of(uint64_t pc)
{
	return pc & ~(PAGE_BYTES - 1);
}

/* ---- Stubs that are still return addresses ---- */

static void spare_page(uint64_t page)
{
	for (uint32_t i = 0; i < spared.count; i++)
		if (spared.pages[i] == page)
			return;
	if (spared.count == SPARED_MAX)
		spared.is_full = 1;
	else
		spared.pages[spared.count++] = page;
}

static void spare_pages(uint64_t from, uint64_t until)
{
	for (uint64_t page = page_of(from); page < until; page += PAGE_BYTES)
		spare_page(page);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Excludes the pages of the stub that contains pc from being freed. A page of a
 * neighbouring stub may be excluded as well.
 */
static void spare_stub(const struct stub_rows *rows, uint64_t pc)
{
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct stub_row *row = &rows->items[i];

		if (pc >= row->start && pc < row->end)
			spare_pages(later(row->start, pc - row->stub_bytes),
				    earlier(row->end, pc + row->stub_bytes));
	}
	for (uint32_t i = 0; i < formerly_spared.count; i++) {
		const uint64_t page = formerly_spared.pages[i];

		if (pc >= page - PAGE_BYTES && pc < page + 2 * PAGE_BYTES)
			spare_page(page);
	}
}

/*
 * Called for each stack word that leads into a stub. If it is the address of a
 * stub's exit, the real return address is in the shadow, and it may itself lead
 * into a stub.
 */
static int spare_word(const void *context, uint64_t at, uint64_t word,
		      int is_pc)
{
	const struct stub_rows *rows = context;
	const struct shadow_slot *shadow;

	if (!runtime_is_stub(word))
		return 0;
	spare_stub(rows, word);
	shadow = !is_pc && runtime_is_exit(word) ? shadow_of(at) : NULL;
	if (shadow && runtime_is_stub(shadow->return_address))
		spare_stub(rows, shadow->return_address);
	return 0;
}

/*
 * Spares the stubs to which trampolines return. A copy of a stack with an
 * address of a trampoline may be anywhere in memory, so all trampolines count.
 * They are created in order of address, so the first unused one ends the
 * search.
 */
static void spare_trampolines(const struct stub_rows *rows)
{
	for (uint64_t offset = TRAMPOLINE_HEAD_BYTES;
	     rt.trampolines && offset < TRAMPOLINE_BLOCK_BYTES;
	     offset += TRAMPOLINE_CELL_BYTES) {
		const struct trampoline *one = trampoline_record(offset);

		if (!one->slot.return_address)
			return;
		if (runtime_is_stub(one->slot.return_address))
			spare_stub(rows, one->slot.return_address);
	}
}

static void find_spared(const struct stub_rows *rows,
			const struct stacks *stacks,
			const struct wire_stopped *threads, uint64_t count)
{
	formerly_spared = spared;
	spared.count = 0;
	spared.is_full = 0;
	for (uint64_t i = 0; i < count; i++) {
		spare_word(rows, 0, threads[i].pc, 1);
		stacks_walk(stacks, threads[i].sp, spare_word, rows);
	}
	if (shadowed_walk(stacks, spare_word, rows))
		spared.is_full = 1; /* unknown stacks: nothing may be freed */
	spare_trampolines(rows);
}

/* ---- Stubs ---- */

static void add_row(struct stub_rows *rows, const struct stub_row *row)
{
	if (row->end && rows->count < ROWS_MAX)
		rows->items[rows->count++] = *row;
}

static int is_in_row(const struct stub_rows *rows, uint64_t page)
{
	for (uint32_t i = 0; i < rows->count; i++)
		if (page >= rows->items[i].start && page < rows->items[i].end)
			return 1;
	return 0;
}

/*
 * Adds the stubs of a patch one by one, because the stubs of a probe are not in
 * order of address.
 */
static void gather_scattered(struct stub_rows *rows, const struct patch *patch)
{
	for (uint32_t i = 0; i < patch->site_count; i++) {
		const uint64_t stub = patch->base + patch->sites[i].stub;
		const uint64_t end = stub + patch->stub_bytes;

		for (uint64_t page = page_of(stub); page < end;
		     page += PAGE_BYTES)
			if (!is_in_row(rows, page))
				add_row(rows, &(struct stub_row){
						      page, page + PAGE_BYTES,
						      patch->stub_bytes });
	}
}

/*
 * Adds the rows of stubs in the order in which patch_prepare() allocated them,
 * the guests' last. Stubs in the ranges that were reserved for a whole module
 * are skipped.
 */
static void gather_hooks(struct stub_rows *rows, const struct windows *windows,
			 const struct patch *patch)
{
	struct stub_row row = { .stub_bytes = patch->stub_bytes };

	for (uint32_t i = 0; i < 2 * patch->site_count; i++) {
		const struct patch_site *site =
			&patch->sites[i % patch->site_count];
		const uint64_t stub = patch->base + site->stub;

		if (site->is_guest != i / patch->site_count ||
		    window_is_taken(windows, stub))
			continue;
		if (stub < row.start || stub > row.end) {
			add_row(rows, &row);
			row.start = page_of(stub);
		}
		row.end = page_of(stub + patch->stub_bytes + PAGE_BYTES - 1);
	}
	add_row(rows, &row);
}

static void gather_taken(struct stub_rows *rows, const struct pc_range *taken)
{
	for (uint64_t block = taken->start & ~(WINDOW_BLOCK_BYTES - 1);
	     block < taken->end; block += WINDOW_BLOCK_BYTES) {
		const struct pc_range piece = window_piece(taken, block);

		if (piece.start < piece.end)
			add_row(rows,
				&(struct stub_row){ piece.start, piece.end,
						    stub_bytes() });
	}
}

static void gather_rows(struct stub_rows *rows, const struct cold *cold)
{
	for (const struct module *m = cold->modules.first; m; m = m->next)
		for (const struct patch *p = m->patches; p;
		     p = p->next_of_module)
			if (p->probe)
				gather_scattered(rows, p);
			else
				gather_hooks(rows, &cold->windows, p);
	for (uint32_t i = 0; i < cold->windows.taken_count; i++)
		gather_taken(rows, &cold->windows.taken[i]);
}

/* Returns the first spared page from `at` on, or `end`. */
static uint64_t next_spared(uint64_t at, uint64_t end)
{
	for (uint32_t i = 0; i < spared.count; i++)
		if (spared.pages[i] >= at && spared.pages[i] < end)
			end = spared.pages[i];
	return end;
}

static void free_pages(struct windows *windows, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end; at += PAGE_BYTES) {
		const uint64_t until = next_spared(at, end);

		if (until > at)
			window_free(windows, at, until - at);
		at = until;
	}
}

static void free_stubs(struct windows *windows, const struct stub_rows *rows)
{
	windows->taken_count = 0;
	if (spared.is_full)
		return;
	for (uint32_t i = 0; i < rows->count; i++)
		free_pages(windows, rows->items[i].start, rows->items[i].end);
	for (uint32_t i = 0; i < formerly_spared.count; i++)
		free_pages(windows, formerly_spared.pages[i],
			   formerly_spared.pages[i] + PAGE_BYTES);
}

/* ---- Overwritten code ---- */

static void free_patches(struct module *module)
{
	struct patch *next;

	for (struct patch *p = module->patches; p; p = next) {
		next = p->next_of_module;
		if (p->lands)
			heal_forget(&module->code);
		patch_destroy(p);
	}
	module->patches = NULL;
}

/*
 * Frees the patches of all modules, and releases the numbers that were assigned
 * to functions, so that the next session assigns the same ones.
 */
static void free_modules(struct cold *cold)
{
	probe_actions_forget();
	cold->patches.first = NULL;
	for (struct module *m = cold->modules.first; m; m = m->next) {
		free_patches(m);
		if (m->numbers)
			numbers_give_back(m->numbers);
		m->numbers = NULL;
	}
	cold->modules.first = cold->modules.last = NULL;
	cold->modules.self = NULL;
}

/* Returns whether the range is code of a module that is still loaded. */
static int is_code(const struct cold *cold, const struct wire_stack_word *range)
{
	for (const struct module *m = cold->modules.first; m; m = m->next)
		if (!m->is_gone && range->at >= page_of(m->code.start) &&
		    range->value <= page_of(m->code.end + PAGE_BYTES - 1))
			return 1;
	return 0;
}

/*
 * Returns whether a copy of the module's file with hooks in it is mapped at the
 * range (hooking/shared_text.h).
 */
static int is_hooked_file(const struct wire_stack_word *range)
{
	return shared_texts_meet(&(struct pc_range){ range->at, range->value });
}

/*
 * Drops the process's private copies of code pages that equal the file again.
 * The next access reads them from the file.
 */
static void give_back_code(const struct cold *cold,
			   const struct wire_stack_word *ranges, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (ranges[i].at < ranges[i].value &&
		    is_code(cold, &ranges[i]) && !is_hooked_file(&ranges[i]))
			sys_madvise((void *)ranges[i].at,
				    ranges[i].value - ranges[i].at,
				    MADV_DONTNEED);
}

/* ---- The whole session ---- */

static void zero_pages(void *pages, uint64_t bytes)
{
	sys_madvise(pages, bytes, MADV_DONTNEED);
}

static void release(struct cold *cold, const struct stub_rows *rows)
{
	tails_forget(zero_pages);
	windows_trim(&cold->windows);
	free_stubs(&cold->windows, rows);
	pads_free(&cold->pads);
	free_modules(cold);
	journal_forget_hooks();
	part_file_blank(&cold->recorder.part.file, WIRE_HEADER_BYTES);
	part_file_blank(&cold->recorder.trace.part.file, WIRE_HEADER_BYTES);
}

void release_session(struct cold *cold, const struct stacks *stacks,
		     const struct release *with)
{
	struct stub_rows *rows = sys_map_private(sizeof(*rows));

	if (sys_failed(rows))
		return;
	gather_rows(rows, cold);
	find_spared(rows, stacks, with->threads, with->thread_count);
	shared_texts_unmap(1);
	give_back_code(cold, with->code, with->code_count);
	release(cold, rows);
	sys_munmap(rows, sizeof(*rows));
}

void release_unused(struct cold *cold)
{
	struct stub_rows *rows = sys_map_private(sizeof(*rows));

	if (sys_failed(rows))
		return;
	formerly_spared.count = 0;
	gather_rows(rows, cold);
	release(cold, rows);
	sys_munmap(rows, sizeof(*rows));
}

static void unmap_trace(struct recorder *recorder)
{
	for (struct tally *t = recorder->tallies.first; t; t = t->next) {
		trace_unmap_packets(t);
		past_calls_unmap(t);
		call_values_unmap(t);
	}
	trace_unmap(&recorder->trace);
}

void release_former(struct cold *former)
{
	static struct cold *oldest;

	if (oldest) {
		unmap_trace(&oldest->recorder);
		tallies_unmap(&oldest->recorder.tallies);
		inheritance_forget(&oldest->recorder.part);
		part_file_unmap(&oldest->recorder.part.file, 0);
		arena_fini(&oldest->kept);
		sys_munmap(oldest, sizeof(*oldest));
	}
	oldest = former;
}
