/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/stack/walk.c on handmade stacks: `words` is a stack,
 * `shadow` its shadow stack. Three functions are active: 1 was called from the
 * root, 2 by a signal that interrupted 1, and 3 by a signal that interrupted 2.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/hot/count.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tails.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/stack/walk.h"
#include "tests/unit/deny.h"
#include "tests/unit/numbered.h"
#include "wire/id.h"

#define STUB      UINT64_C(0x5577000012c9)
#define PLAIN_PC  ((uintptr_t)words)           /* any pc outside of restorers */
#define USER_CODE UINT64_C(0x002b000000000033) /* ss, fs, gs, cs */

/* A walk through SCANNED words finds no end of the stack. */
enum { WORDS = 1024, SCANNED = 2 * WORDS };
/* Indexes of slots in `words`. */
enum { ONE = 900, TWO = 600, STALE = 398, THREE = 100 };

enum { PAGE_WORDS = 512, BEYOND = 1100 }; /* BEYOND is after the second page */

static uint64_t words[SCANNED] __attribute__((aligned(4096)));
static struct shadow_slot shadow[SCANNED];
static uint64_t ids[4];

static const unsigned char restorer[]
	__attribute__((aligned(16))) = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
					 0x00, 0x00, 0x0f, 0x05 };

static uint64_t at(int slot)
{
	return (uintptr_t)&words[slot];
}

static void call(int slot, int function, uint64_t return_address)
{
	words[slot] = STUB;
	shadow[slot].return_address = return_address;
	shadow[slot].caller_id = ids[function - 1];
}

/* Writes the frame of a signal whose handler has this slot. */
static ucontext_t *interrupt(int slot, uint64_t pc, int interrupted_slot)
{
	ucontext_t *context = (ucontext_t *)&words[slot + 1];

	context->uc_mcontext.gregs[REG_RSP] = (greg_t)at(interrupted_slot);
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	context->uc_mcontext.gregs[REG_CSGSFS] = (greg_t)USER_CODE;
	return context;
}

static int start_stack(void **state)
{
	static struct hot_aside aside;

	(void)state;
	hot.aside = &aside;
	memset(words, 0, sizeof(words));
	memset(shadow, 0, sizeof(shadow));
	memset(&rt, 0, sizeof(rt));
	numbered_up_to(3);
	hot_windows[STUB >> WINDOW_SHIFT] = WINDOW_STUBS;
	hot_shadow_low = at(0);
	hot_shadow_half = (uintptr_t)shadow / 2 - at(0) + SHADOW_STACK_LOW;
	ids[0] = ID_ROOT;
	for (uint32_t i = 1; i <= 3; i++)
		ids[i] = id_push(ids[i - 1], id_key(i));
	call(ONE, 1, PLAIN_PC);
	call(TWO, 2, (uintptr_t)restorer);
	interrupt(TWO, PLAIN_PC, ONE - 20);
	call(THREE, 3, (uintptr_t)restorer);
	interrupt(THREE, PLAIN_PC, STALE + 1);
	return 0;
}

static struct walk start_walk(void)
{
	struct walk walk = walk_from(&words[THREE - 10], ids[3]);

	walk.scan_left = WORDS - THREE;
	return walk;
}

static void assert_walk(const int slots[3])
{
	struct walk walk = start_walk();
	struct link link;

	for (uint32_t i = 0; i < 3; i++) {
		assert_true(walk_next(&walk, &link));
		assert_int_equal(link.function, 3 - i);
		assert_int_equal(link.at, at(slots[i]));
	}
	assert_int_equal(walk.id, ID_ROOT);
	assert_false(walk_next(&walk, &link));
}

static const int as_usual[] = { THREE, TWO, ONE };

static void walks_go_through_signal_frames(void **state)
{
	(void)state;
	assert_walk(as_usual);
}

/*
 * Writes the stack as if the handler had also run before, from the same
 * context. The slot of that call is next to the stack pointer at the current
 * interruption; the words above it hold arbitrary values.
 */
static void leave_stale_slot(void)
{
	call(STALE, 2, (uintptr_t)restorer);
	words[STALE] = 0;
	memset(&words[STALE + 1], 0x5a, 80 * sizeof(words[0]));
}

static void a_stale_slot_below_is_skipped(void **state)
{
	(void)state;
	leave_stale_slot();
	assert_walk(as_usual);
}

/* Below a stub, an active slot may look stale. */
static void a_stale_slot_below_a_stub_is_skipped(void **state)
{
	(void)state;
	leave_stale_slot();
	interrupt(THREE, STUB - 100, STALE + 1);
	assert_walk(as_usual);
	interrupt(THREE, (uintptr_t)hot_thunks + 1, STALE + 1);
	assert_walk(as_usual);
}

static void a_stale_slot_that_looks_active_is_skipped(void **state)
{
	(void)state;
	leave_stale_slot();
	words[STALE] = STUB;
	assert_walk(as_usual);
}

/* A stub has moved the return address and called nothing yet. */
static void a_call_whose_stub_has_called_nothing_is_found(void **state)
{
	(void)state;
	words[ONE] = 0;
	interrupt(TWO, STUB - 100, ONE + 1);
	assert_walk(as_usual);
	interrupt(TWO, (uintptr_t)hot_thunks, ONE + 1);
	assert_walk(as_usual);
}

static void assert_broken_at_one(void)
{
	struct walk walk = start_walk();
	struct link link;

	assert_true(walk_next(&walk, &link));
	assert_true(walk_next(&walk, &link));
	assert_false(walk_next(&walk, &link));
}

static void a_missing_return_address_outside_of_stubs_ends_the_walk(
	void **state)
{
	(void)state;
	words[ONE] = 0;
	interrupt(TWO, PLAIN_PC, ONE + 1);
	assert_broken_at_one();
}

/* The second signal came before the handler of the first one was recorded. */
static void nested_signal_frames_are_walked(void **state)
{
	const int nested = 200;

	(void)state;
	words[nested] = (uintptr_t)restorer;
	interrupt(nested, PLAIN_PC, TWO - 20);
	interrupt(THREE, PLAIN_PC, nested);
	assert_walk(as_usual);
	interrupt(THREE, (uintptr_t)restorer, nested + 1);
	assert_walk(as_usual);
}

/*
 * A word equals the return address of a signal frame, but does not belong to
 * one.
 */
static void words_that_look_like_a_signal_frame_are_skipped(void **state)
{
	const int nested = 200;

	(void)state;
	words[nested] = (uintptr_t)restorer;
	memset(&words[nested + 1], 0x5a, 80 * sizeof(words[0]));
	interrupt(THREE, PLAIN_PC, nested);
	assert_walk(as_usual);
}

/* A handler may set the stack pointer to any value. */
static void an_invalid_stack_pointer_ends_the_walk(void **state)
{
	const uint64_t strange[] = { 0, 8, 4096, -UINT64_C(8),
				     UINT64_C(0x1524e14b3ce83c84) };

	(void)state;
	for (unsigned int i = 0; i < sizeof(strange) / sizeof(*strange); i++) {
		interrupt(TWO, PLAIN_PC, ONE)->uc_mcontext.gregs[REG_RSP] =
			(greg_t)strange[i];
		assert_broken_at_one();
	}
}

static void an_unreadable_first_page_ends_the_walk(void **state)
{
	uint64_t page = 0, word;

	(void)state;
	assert_false(walk_read(8, &page, &word));
	words[1] = 77;
	assert_true(walk_read(at(1), &page, &word));
	assert_int_equal(word, 77);
}

/* A guard page separates two stacks. Words after it belong to another stack. */
static void a_walk_ends_at_a_missing_page(void **state)
{
	struct walk walk = walk_from(&words[THREE], ids[2]);
	struct link link;

	(void)state;
	call(THREE, 2, PLAIN_PC);
	words[TWO] = words[ONE] = 0;
	call(BEYOND, 1, PLAIN_PC);
	assert_int_equal(
		mprotect(&words[PAGE_WORDS], sizeof(*words), PROT_NONE), 0);
	assert_true(walk_next(&walk, &link));
	assert_false(walk_next(&walk, &link));
	assert_int_equal(mprotect(&words[PAGE_WORDS], sizeof(*words),
				  PROT_READ | PROT_WRITE),
			 0);
	assert_in_range(walk.at, at(PAGE_WORDS), at(PAGE_WORDS + 1));
	walk = walk_from(&words[THREE], ids[2]);
	assert_true(walk_next(&walk, &link));
	assert_true(walk_next(&walk, &link));
	assert_int_equal(link.at, at(BEYOND));
}

static struct {
	void *page;
	_Atomic int is_over;
	uint64_t turns;
} turning;

/* Unmaps and maps a page repeatedly. */
static void *turn(void *unused)
{
	while (!turning.is_over) {
		turning.turns++;
		if (mprotect(turning.page, 4096, PROT_NONE) ||
		    mprotect(turning.page, 4096, PROT_READ | PROT_WRITE))
			abort();
	}
	return unused;
}

static int is_seven(uint64_t at, uint64_t word)
{
	(void)at;
	return word == 7;
}

/* Another thread may unmap a page between a check and a read. */
static void a_page_may_be_unmapped_while_it_is_read(void **state)
{
	uint64_t from, until, word, found = 0, missing = 0;
	pthread_t thread;

	(void)state;
	turning.page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(turning.page, MAP_FAILED);
	from = (uintptr_t)turning.page;
	until = from + 3 * 4096UL;
	*(uint64_t *)(until - 8) = 7;
	turning.page = (char *)turning.page + 4096;
	assert_int_equal(pthread_create(&thread, NULL, turn, NULL), 0);
	while (found < 1000 || missing < 1000) {
		uint64_t page = 0;
		const uint64_t at =
			walk_scan(from, until, &page, is_seven, &word);

		assert_true(at == until - 8 || at == from + 4096);
		assert_int_equal(word, at == until - 8 ? 7 : 0);
		at == until - 8 ? found++ : missing++;
		page = 0;
		if (walk_read(from + 4096, &page, &word))
			assert_int_equal(word, 0);
	}
	turning.is_over = 1;
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Words that a handler reads while it interrupts a thread that reads others. */
static struct {
	uint64_t from;
	pthread_t thread;
	_Atomic uint64_t wrong, handlers, reads;
} nested;

static void read_nested(int signal)
{
	uint64_t page = 0, word = 0;

	(void)signal;
	if (!walk_read(nested.from, &page, &word) || word != 2)
		nested.wrong++;
	nested.handlers++;
}

/* Interrupts the thread at any instruction, once for each read. */
static void *interrupt_reads(void *unused)
{
	while (nested.handlers < 1000) {
		const uint64_t handlers = nested.handlers;
		const uint64_t reads = nested.reads;

		if (pthread_kill(nested.thread, SIGUSR1))
			abort();
		while (nested.handlers == handlers || nested.reads == reads)
			sched_yield();
	}
	return unused;
}

static uint64_t map_words(uint64_t value)
{
	uint64_t *at = mmap(NULL, sizeof(words), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	for (uint64_t i = 0; i < SCANNED; i++)
		at[i] = value;
	return (uintptr_t)at;
}

/* The kernel delivers signals at the end of the copying system call. */
static void a_handler_may_read_other_pages_meanwhile(void **state)
{
	const struct sigaction action = { .sa_handler = read_nested };
	const uint64_t from = map_words(1);
	pthread_t thread;
	uint64_t wrong = 0;

	(void)state;
	nested.from = map_words(2);
	nested.thread = pthread_self();
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, interrupt_reads, NULL),
			 0);
	while (nested.handlers < 1000) {
		uint64_t page = 0, word = 0;

		wrong += !walk_read(from, &page, &word) || word != 1;
		nested.reads++;
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(wrong, 0);
	assert_int_equal(nested.wrong, 0);
}

static struct {
	uint64_t from, other;
	int reads;
} replaced;

/*
 * Acts as a handler in the midst of a scan: reads other pages, and then the
 * scanned page again, whose neighbour is now missing.
 */
static int is_replaced(uint64_t at, uint64_t word)
{
	uint64_t page = 0, nested_word;

	if (at == replaced.from + 4096 && !replaced.reads++) {
		assert_true(walk_read(replaced.other, &page, &nested_word));
		assert_true(
			walk_read(replaced.other + 4096, &page, &nested_word));
		assert_int_equal(mprotect((void *)(at + 4096), 4096, PROT_NONE),
				 0);
		assert_true(walk_read(at, &page, &nested_word));
	}
	return word == 2;
}

static void a_handler_may_copy_fewer_pages_from_the_same_address(void **state)
{
	uint64_t page = 0, word;

	(void)state;
	replaced.reads = 0;
	replaced.from = map_words(1);
	replaced.other = map_words(2);
	assert_int_equal(walk_scan(replaced.from, replaced.from + 12288, &page,
				   is_replaced, &word),
			 replaced.from + 8192);
	assert_int_equal(word, 0);
}

/* Acts as a handler that reads other pages and requests a filter. */
static int is_filtering(uint64_t at, uint64_t word)
{
	uint64_t page = 0, nested_word;

	(void)at;
	if (!rt.is_filtered)
		walk_read(replaced.other, &page, &nested_word);
	rt.is_filtered = 1;
	return word == 2;
}

static void a_filter_may_begin_during_a_scan(void **state)
{
	uint64_t own[2] = { 1, 2 }, page = 0, word;

	(void)state;
	replaced.other = map_words(3);
	rt.first_block = thread_block();
	rt.first_stack_end = (uintptr_t)__builtin_frame_address(0);
	assert_int_equal(walk_scan((uintptr_t)own, (uintptr_t)&own[2], &page,
				   is_filtering, &word),
			 (uintptr_t)&own[1]);
	assert_int_equal(word, 2);
}

/* Returns the number of the first step that fails, or 0. */
static int read_without_copies(uint64_t from)
{
	uint64_t page = 0, word = 0;

	if (deny(SYS_process_vm_readv))
		return 1;
	if (!walk_read(from, &page, &word) || word != 1)
		return 2;
	if (walk_scan(from, from + 8192, &page, is_seven, &word) != from + 4096)
		return 3;
	return walk_read(from + 4096, &page, &word) ? 4 : 0;
}

static void walks_work_if_an_inherited_filter_denies_copies(void **state)
{
	const uint64_t from = map_words(1);
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mprotect((void *)(from + 4096), 4096, PROT_NONE), 0);
	pid = fork();
	if (!pid)
		_exit(read_without_copies(from));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/*
 * Where recursion is folded, a walk reads further slots to test a link, but must
 * still reach the end of the memory that it may read.
 */
static void tests_of_links_do_not_shorten_the_walk(void **state)
{
	static struct wire_count entries[2];
	static union note notes[2];
	static struct tally tally = { .table = entries, .notes = notes };
	enum { FRAMES = 40, APART = 20 };
	struct walk walk = walk_from(&words[THREE - 10], ids[1]);
	struct link link;

	(void)state;
	entries[0].id = ids[1];
	notes[0].function = notes[0].depth = 1;
	hot.tally = &tally;
	hot_recursion_folds = 1;
	hot_tails_nest = 0; /* the slots' stubs have no code to look at */
	memset(words, 0, sizeof(words));
	memset(shadow, 0, sizeof(shadow));
	for (int i = 0; i < FRAMES; i++)
		call(THREE + i * APART, i + 1 < FRAMES ? 2 : 1, PLAIN_PC);
	walk.scan_left = WORDS - THREE;
	for (int i = 0; i < FRAMES; i++) {
		assert_true(walk_next(&walk, &link));
		assert_int_equal(link.at, at(THREE + i * APART));
	}
	assert_int_equal(walk.id, ID_ROOT);
	hot.tally = NULL;
	hot_recursion_folds = 0;
	hot_tails_nest = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			walks_work_if_an_inherited_filter_denies_copies,
			start_stack),
		cmocka_unit_test_setup(a_filter_may_begin_during_a_scan,
				       start_stack),
		cmocka_unit_test_setup(
			a_handler_may_copy_fewer_pages_from_the_same_address,
			start_stack),
		cmocka_unit_test_setup(a_handler_may_read_other_pages_meanwhile,
				       start_stack),
		cmocka_unit_test_setup(a_page_may_be_unmapped_while_it_is_read,
				       start_stack),
		cmocka_unit_test_setup(walks_go_through_signal_frames,
				       start_stack),
		cmocka_unit_test_setup(a_stale_slot_below_is_skipped,
				       start_stack),
		cmocka_unit_test_setup(a_stale_slot_below_a_stub_is_skipped,
				       start_stack),
		cmocka_unit_test_setup(
			a_stale_slot_that_looks_active_is_skipped, start_stack),
		cmocka_unit_test_setup(
			a_call_whose_stub_has_called_nothing_is_found,
			start_stack),
		cmocka_unit_test_setup(
			a_missing_return_address_outside_of_stubs_ends_the_walk,
			start_stack),
		cmocka_unit_test_setup(tests_of_links_do_not_shorten_the_walk,
				       start_stack),
		cmocka_unit_test_setup(nested_signal_frames_are_walked,
				       start_stack),
		cmocka_unit_test_setup(
			words_that_look_like_a_signal_frame_are_skipped,
			start_stack),
		cmocka_unit_test_setup(an_invalid_stack_pointer_ends_the_walk,
				       start_stack),
		cmocka_unit_test_setup(an_unreadable_first_page_ends_the_walk,
				       start_stack),
		cmocka_unit_test_setup(a_walk_ends_at_a_missing_page,
				       start_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
