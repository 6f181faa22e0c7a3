/* SPDX-License-Identifier: MIT */
/* See walk_slots.h. */
#include "preload/stack/walk_slots.h"

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/record/numbers.h"
#include "preload/sys/sys.h"

/*
 * Within this distance from the end of the stack on which it began, a thread is
 * still on that stack: the kernel leaves more room below the first thread's
 * stack, and other threads' stacks are seldom smaller.
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
 * Copies a page, and those after it that are readable, into the thread's
 * window. A handler on top of this thread may copy other pages meanwhile:
 * `start` is 0 while the words change. Returns 0 or -EFAULT.
 */
static int copy_pages(struct hot_window *window, uint64_t page)
{
	const struct iovec to = { window->words, sizeof(window->words) };
	const struct iovec from = { (void *)page, sizeof(window->words) };
	long bytes;

	__atomic_store_n(&window->start, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	bytes = sys_call(SYS_process_vm_readv, sys_getpid(), (long)&to, 1,
			 (long)&from, 1, 0);
	if (bytes <= 0)
		return -EFAULT;
	window->bytes = (uint64_t)bytes;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&window->start, page, __ATOMIC_RELAXED);
	return 0;
}

/*
 * Returns whether the window has this address, in a copy that is as new as the
 * walk that knows *known_page.
 */
static int has_copy(const struct hot_window *window, uint64_t address,
		    uint64_t known_page)
{
	const uint64_t start =
		__atomic_load_n(&window->start, __ATOMIC_RELAXED);

	return known_page == (start | WALK_COPIED) &&
	       address - start < window->bytes;
}

const uint64_t *walk_words(uint64_t address, uint64_t *known_page,
			   uint64_t *end)
{
	const uint64_t page = address & ~(PAGE_BYTES - 1);
	struct hot_window *window = hot.aside ? &hot.aside->window : NULL;

	*end = page + PAGE_BYTES;
	/* Page 0 is never known, whatever *known_page contains. */
	if (!page || *known_page == (page | WALK_MISSING))
		return NULL;
	if (page == *known_page)
		return (const uint64_t *)address;
	if (runtime_is_filtered())
		return walk_is_on_own_stack(address) ? (const uint64_t *)address
						     : NULL;
	if (!window)
		return NULL;
	if (!has_copy(window, address, *known_page)) {
		*known_page = page | WALK_MISSING;
		if (copy_pages(window, page))
			return NULL;
		*known_page = page | WALK_COPIED;
	}
	*end = (*known_page & ~(uint64_t)WALK_COPIED) + window->bytes;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return window->words +
	       (address - (*known_page & ~(uint64_t)WALK_COPIED)) / 8;
}

int walk_has_words(uint64_t known_page)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return !(known_page & WALK_COPIED) ||
	       known_page == (__atomic_load_n(&hot.aside->window.start,
					      __ATOMIC_RELAXED) |
			      WALK_COPIED);
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
 * Returns whether the slot holds a stub's address, or still contains 0, because
 * a slow path interrupts the entry.
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
