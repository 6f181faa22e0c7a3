/* SPDX-License-Identifier: MIT */
/*
 * Decides which stubs of an unloaded module may be freed. No function of the
 * module is active. But a function may have ended in a tail call, and the
 * function that it called still returns through the stub. That return address
 * is on a thread's stack, or on the stack of a coroutine that no thread runs at
 * the moment.
 *
 * Therefore the stubs of a module are kept (the module is spared) if any stack
 * word could be such a return address. A stub that replaces a return address
 * writes to the shadow, so only memory whose shadow is present is searched. All
 * threads report their pcs first (quiesce.h): a thread that is inside of a stub
 * at that time is seen by its pc, or has stored its return address before the
 * search.
 */
#include "preload/hooking/reclaim.h"

#include "machine/address_space.h"
#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/patch/patch.h"
#include "preload/patch/quiesce.h"
#include "preload/patch/stacks.h"
#include "preload/sys/pagemap.h"
#include "preload/sys/proc.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

#define PILE_BYTES    (UINT64_C(1) << 20)
#define PATIENCE_NS   UINT64_C(200000000)
#define RETIRED_MAX   4096
#define PAGES_AT_ONCE 512
#define PIECE_BYTES   (UINT64_C(1) << SHADOW_PIECE_SHIFT)

/*
 * The range from a patch's first stub to its last; it may contain other stubs.
 */
struct retired {
	struct module *module;
	struct pc_range stubs;
	_Atomic uint32_t is_spared;
};

/* Static, because a handler may run late. Protected by the lock of patches. */
static struct {
	struct retired items[RETIRED_MAX];
	uint32_t count;
} pile LARGE_TABLE;

static struct pc_range stubs_of(const struct patch *patch)
{
	struct pc_range stubs = { .start = UINT64_MAX };

	for (uint32_t i = 0; i < patch->site_count; i++) {
		uint64_t stub = patch->base + patch->sites[i].stub;

		if (stub < stubs.start)
			stubs.start = stub;
		if (stub + patch->stub_bytes > stubs.end)
			stubs.end = stub + patch->stub_bytes;
	}
	return stubs;
}

/*
 * A callback of quiesce() for each pc and stack word of a thread. If the word
 * is an address in a retired module's stubs, the module is spared. Returns 0
 * ("not inside"), because quiesce() need not wait until the thread has left the
 * stub.
 */
static int spare(const void *context, uint64_t word)
{
	if (!runtime_is_stub(word))
		return 0;
	for (uint32_t i = 0; i < pile.count; i++) {
		struct retired *retired = &pile.items[i];

		if (word >= retired->stubs.start && word < retired->stubs.end)
			retired->is_spared = 1;
	}
	return 0;
}

static const struct quiesce_places places = { .contains = spare };

/* ---- Stacks that may contain a return address ---- */

static void search_in(uint64_t at, uint64_t bytes)
{
	uint64_t words[64];

	for (; bytes; at += sizeof(words), bytes -= sizeof(words)) {
		if (sys_read_memory(at, words, sizeof(words)))
			continue;
		for (uint32_t i = 0; i < 64; i++)
			spare(NULL, words[i]);
	}
}

/*
 * Searches a range of ordinary stacks. One page of shadow belongs to half a
 * page of stack. Returns 0, or -errno if pagemap cannot be read.
 */
static int search_range(int pagemap, const struct memory_range *range)
{
	uint64_t entries[PAGES_AT_ONCE];
	uint64_t at = range->start;

	while (at < range->end) {
		uint64_t count = (range->end - at) / (PAGE_BYTES / 2);
		int err;

		if (count > PAGES_AT_ONCE)
			count = PAGES_AT_ONCE;
		err = pagemap_read(pagemap, (uintptr_t)shadow_of(at), count,
				   entries);
		if (err)
			return err;
		for (uint64_t i = 0; i < count; i++, at += PAGE_BYTES / 2)
			if (entries[i] & PAGEMAP_IS_THERE)
				search_in(at, PAGE_BYTES / 2);
	}
	return 0;
}

static int search_ordinary(void)
{
	struct stacks *stacks = sys_map_private(sizeof(*stacks));
	int pagemap, err;

	if (sys_failed(stacks))
		return -ENOMEM;
	err = stacks_init(stacks);
	pagemap = proc_open_own("pagemap", O_RDONLY);
	if (!err && pagemap < 0)
		err = pagemap;
	for (uint32_t i = 0; !err && i < stacks->count; i++)
		if (stacks->ranges[i].start >= hot_shadow_low)
			err = search_range(pagemap, &stacks->ranges[i]);
	if (pagemap >= 0)
		sys_close(pagemap);
	sys_munmap(stacks, sizeof(*stacks));
	return err;
}

/* Searches the stacks whose shadow is in pieces (hot/shadow.h). */
static void search_elsewhere(void)
{
	for (uint64_t region = 0; region < SHADOW_REGION_COUNT; region++) {
		uint64_t at = region << SHADOW_REGION_SHIFT;
		uint64_t end = (region + 1) << SHADOW_REGION_SHIFT;

		if (!hot_shadow_regions[region])
			continue;
		for (; at < end; at += PIECE_BYTES)
			if (*shadow_piece(at))
				search_in(at, PIECE_BYTES);
	}
}

/* ---- The pile ---- */

/*
 * Adds all patches of a module to the pile, or none if there is no room.
 * Returns the size of their stubs.
 */
static uint64_t put_on_pile(struct module *module)
{
	const uint32_t first = pile.count;
	const struct patch *patch = module->patches;
	uint64_t bytes = 0;

	for (; patch && pile.count < RETIRED_MAX;
	     patch = patch->next_of_module) {
		bytes += patch->site_count * patch->stub_bytes;
		bytes += PAGE_BYTES / 2; /* average waste (window.h) */
		pile.items[pile.count++] =
			(struct retired){ .module = module,
					  .stubs = stubs_of(patch) };
	}
	if (!patch)
		return bytes;
	pile.count = first;
	return 0;
}

static uint64_t gather(const struct cold *cold)
{
	uint64_t bytes = 0;

	pile.count = 0;
	for (struct module *m = cold->modules.first; m; m = m->next)
		if (m->is_retired)
			bytes += put_on_pile(m);
	return bytes;
}

/*
 * Searches all stacks and marks the modules to spare. Returns 0, or -errno if
 * the search is incomplete, so that all must be spared.
 */
static int search_everywhere(void)
{
	uint64_t deadline_ns = sys_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	int tid, err = proc_is_traced() ? -EPERM : 0;

	if (!err)
		err = quiesce(&places, deadline_ns, &tid);
	if (!err)
		err = search_ordinary();
	if (!err)
		search_elsewhere();
	return err;
}

static void free_module(struct cold *cold, struct module *module)
{
	struct patch *next;

	for (struct patch *p = module->patches; p; p = next) {
		next = p->next_of_module;
		patch_free_stubs(p, &cold->windows);
		patch_destroy(p);
	}
	module->patches = NULL;
	modules_forget(&cold->modules, module);
}

/*
 * Frees a module's patches only together: a module that is loaded again needs
 * all of them.
 */
static void free_unspared(struct cold *cold)
{
	uint32_t i = pile.count;

	while (i) {
		struct module *module = pile.items[i - 1].module;
		uint32_t is_spared = 0;

		for (; i && pile.items[i - 1].module == module; i--)
			is_spared |= pile.items[i - 1].is_spared;
		if (!is_spared)
			free_module(cold, module);
	}
}

void reclaim_stubs(struct cold *cold)
{
	uint64_t signals, bytes;

	lock_acquire(&cold->patches.lock, &signals);
	bytes = gather(cold);
	if (bytes >= PILE_BYTES && bytes >= cold->reclaim_at_bytes) {
		if (!search_everywhere())
			free_unspared(cold);
		cold->reclaim_at_bytes = gather(cold) + PILE_BYTES;
	}
	lock_release(&cold->patches.lock, &signals);
}
