/* SPDX-License-Identifier: MIT */
/* See walk_slots.h. */
#include "preload/stack/walk_slots.h"

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/record/numbers.h"
#include "preload/sys/sys.h"

/*
 * The thread is taken to be on the stack on which it began if its stack pointer
 * is less than this far below the end of that stack: FIRST_STACK_BYTES in the
 * main thread, OWN_STACK_BYTES in others. The kernel keeps more room free for
 * the main thread's stack, and the stacks of other threads are seldom smaller.
 */
#define FIRST_STACK_BYTES (UINT64_C(64) << 20)
#define OWN_STACK_BYTES   (UINT64_C(1) << 18)

int walk_is_on_own_stack(uint64_t address)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	const uint64_t others_end = runtime_own_stack_end();
	const uint64_t end = others_end ? others_end : rt.first_stack_end;
	const uint64_t bytes = others_end ? OWN_STACK_BYTES : FIRST_STACK_BYTES;

	return here < end && end - here < bytes &&
	       address >= (here & ~(PAGE_BYTES - 1)) && address < end;
}

/*
 * The bits of *known_page (walk_slots.h) that contain the number of a copy,
 * modulo 1024.
 */
#define COPY_STEP    4
#define COPY_NUMBERS (PAGE_BYTES - COPY_STEP)

/*
 * Checks whether a page is readable, if process_vm_readv() does not exist or an
 * inherited system call filter denies it. Returns a value for *known_page.
 * Unlike a copy, the page may still be unmapped by another thread afterwards.
 */
static uint64_t check_page(uint64_t page)
{
	const int no_such_way = -1;

	return sys_call(SYS_rt_sigprocmask, no_such_way, (long)page, 0, 8, 0,
			0) == -EINVAL
		       ? page
		       : page | WALK_MISSING;
}

/*
 * Copies `wanted` bytes of the stack, from a page on, into the thread's window,
 * as far as they are readable. Returns a value for *known_page: the page with
 * the number of this copy, the result of check_page(), or WALK_MISSING. A
 * signal handler may copy other pages into the same window at any time, most
 * likely at the end of the system call, where the kernel delivers signals.
 */
static uint64_t copy_pages(struct hot_window *window, uint64_t page,
			   uint64_t wanted)
{
	const uint64_t number = window->copies++ * COPY_STEP & COPY_NUMBERS;
	const struct iovec to = { window->words, wanted };
	const struct iovec from = { (void *)page, wanted };
	long bytes;

	__atomic_store_n(&window->known_page, page | number | WALK_COPIED,
			 __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	bytes = sys_copy_ranges(sys_gettid(), &to, &from, 1);
	if (bytes == -EPERM || bytes == -ENOSYS)
		return check_page(page);
	if (bytes <= 0)
		return page | WALK_MISSING;
	window->bytes = (uint64_t)bytes;
	return page | number | WALK_COPIED;
}

/*
 * Returns whether the window still contains the copy that known_page names, and
 * whether this copy includes the address.
 */
static int has_copy(const struct hot_window *window, uint64_t address,
		    uint64_t known_page)
{
	return known_page & WALK_COPIED && walk_has_words(known_page) &&
	       address - (known_page & ~(PAGE_BYTES - 1)) < window->bytes;
}

/*
 * Returns how many bytes of the stack to copy, from a page on. Most walks need
 * one page only. If the walk has reached the end of the previous copy, the next
 * copy fills the whole window.
 */
static uint64_t bytes_wanted(const struct hot_window *window, uint64_t page,
			     uint64_t known_page)
{
	const uint64_t start = known_page & ~(PAGE_BYTES - 1);

	return known_page & WALK_COPIED && page == start + window->bytes
		       ? sizeof(window->words)
		       : PAGE_BYTES;
}

/*
 * Used under a system call filter, where nothing can be copied: returns the
 * words themselves if they are on the stack on which the thread began, else
 * NULL. *known_page may name a copy from before the filter, which a signal
 * handler may have replaced since.
 */
static const uint64_t *own_words(uint64_t address, uint64_t *known_page)
{
	if (*known_page & WALK_COPIED)
		*known_page = 0;
	return walk_is_on_own_stack(address) ? (const uint64_t *)address : NULL;
}

const uint64_t *walk_words(uint64_t address, uint64_t *known_page,
			   uint64_t *end)
{
	const uint64_t page = address & ~(PAGE_BYTES - 1);
	struct hot_window *window = hot.aside ? &hot.aside->window : NULL;
	uint64_t start;

	*end = page + PAGE_BYTES;
	/* 0 in *known_page means that no page is known. */
	if (!page || *known_page == (page | WALK_MISSING))
		return NULL;
	if (page == *known_page)
		return (const uint64_t *)address;
	if (runtime_is_filtered())
		return own_words(address, known_page);
	if (!window)
		return NULL;
	if (!has_copy(window, address, *known_page))
		*known_page = copy_pages(
			window, page, bytes_wanted(window, page, *known_page));
	if (*known_page & WALK_MISSING)
		return NULL;
	if (!(*known_page & WALK_COPIED))
		return (const uint64_t *)address;
	start = *known_page & ~(PAGE_BYTES - 1);
	*end = start + window->bytes;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return window->words + (address - start) / 8;
}

int walk_has_words(uint64_t known_page)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return !(known_page & WALK_COPIED) ||
	       known_page == __atomic_load_n(&hot.aside->window.known_page,
					     __ATOMIC_RELAXED);
}

int walk_read_page(uint64_t address, uint64_t *known_page, uint64_t *word)
{
	const uint64_t *words;
	uint64_t end;

	if (((address & 7) || !hot.aside) && !runtime_is_filtered()) {
		if (!sys_read_memory(address, word, sizeof(*word)))
			return 1;
		*known_page = (address & ~(PAGE_BYTES - 1)) | WALK_MISSING;
		return 0;
	}
	do {
		words = walk_words(address, known_page, &end);
		if (!words)
			return 0;
		*word = *words;
	} while (!walk_has_words(*known_page));
	return 1;
}

int walk_is_live(uint64_t at, uint64_t *known_page)
{
	uint64_t word;

	return walk_read(at, known_page, &word) && walk_is_waiting(word);
}

const struct trampoline *walk_trampoline(uint64_t at, uint64_t *known_page)
{
	const struct trampoline *one = NULL;
	uint64_t word;

	if (rt.trampolines && walk_read(at, known_page, &word))
		one = trampoline_at(word);
	return one && one->id ? one : NULL;
}

/*
 * Returns whether the stack slot of a function without a caller holds the
 * address of a stub or trampoline, or 0, its real return address, which it has
 * while the slow path of its entry runs.
 */
static int is_active(uint64_t at, uint64_t *known_page)
{
	uint64_t word;

	return walk_read(at, known_page, &word) &&
	       (!word || walk_is_waiting(word));
}

uint32_t walk_first_function(uint64_t at, uint64_t id)
{
	uint64_t page = 0;

	for (int left = WALK_NEAR_SLOTS; left > 0; left--, at += 8) {
		const struct shadow_slot *shadow = shadow_of(at);
		uint32_t function;

		if (!shadow || shadow->return_address)
			continue;
		function = numbers_function_between(shadow->caller_id, id);
		if (function && is_active(at, &page))
			return function;
	}
	return 0;
}
