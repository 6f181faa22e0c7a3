/* SPDX-License-Identifier: MIT */
/* See trampolines.h. */
#include "preload/stack/trampolines.h"
#include "preload/hot/large_table.h"
#include "preload/record/numbers.h"

#include <stdatomic.h>

#include "preload/hot/recursion.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/walk.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/seal.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

#define CHUNK_BYTES (UINT64_C(1) << 16)
#define CHUNKS      (TRAMPOLINE_BLOCK_BYTES / CHUNK_BYTES)
#define NUMBER_MAX                                                             \
	((TRAMPOLINE_BLOCK_BYTES - TRAMPOLINE_HEAD_BYTES) /                    \
	 TRAMPOLINE_CELL_BYTES)
#define HASH_BITS 16

/*
 * carry_all() stops if the next slot to change is farther away than this, in
 * bytes of stack.
 */
#define CARRY_BYTES 131072
/*
 * trampolines_settle() stops if the next trampoline is farther away than
 * SLICE_BYTES, if a slice of the stack was copied back, or else than
 * SETTLE_BYTES.
 */
#define SETTLE_BYTES 512
#define SLICE_BYTES  8192
#define PAGE         UINT64_C(4096)

static struct {
	_Atomic uint32_t used;
	_Atomic uint8_t is_ready[CHUNKS]; /* 1 once the chunk is mapped */
	/* for each hash, 1 + the number of a trampoline, or 0 */
	_Atomic uint32_t first[1 << HASH_BITS];
} made LARGE_TABLE;

static uint64_t offset_of(uint32_t number)
{
	return TRAMPOLINE_HEAD_BYTES + (uint64_t)number * TRAMPOLINE_CELL_BYTES;
}

static struct trampoline *record_of(uint32_t number)
{
	return trampoline_record(offset_of(number));
}

/* ---- Code ---- */

/*
 * Returns whether a return through a trampoline calls hot_leave_carried().
 * Trampolines outlive a session, so the result must be the same in all sessions
 * of a process.
 */
static int returns_are_reported(void)
{
	return rt.is_late || rt.call_ends ||
	       rt.sink->carried_at == HOT_CARRIED_REPORTED;
}

/*
 *	48 89 54 24 e8	mov %rdx, -0x18(%rsp)
 *	48 ba imm64	movabs $record, %rdx
 *	64 ff 24 25 ..	jmp *%fs:HOT_CARRIED
 */
static void write_code(uint8_t *at, uint64_t record, uint32_t target)
{
	static const uint8_t begin[] = { 0x48, 0x89, 0x54, 0x24,
					 0xe8, 0x48, 0xba };
	static const uint8_t jump[] = { 0x64, 0xff, 0x24, 0x25 };

	copy_bytes(at, begin, sizeof(begin));
	at += sizeof(begin);
	copy_bytes(at, &record, sizeof(record));
	at += sizeof(record);
	copy_bytes(at, jump, sizeof(jump));
	at += sizeof(jump);
	copy_bytes(at, &target, sizeof(target));
}

/* Fills the space between trampolines with breakpoints. */
static void write_chunk(uint8_t *code, uint64_t offset, uint32_t target)
{
	for (uint64_t at = 0; at < CHUNK_BYTES; at++)
		code[at] = 0xcc; /* int3 */
	for (uint64_t at = 0; at < CHUNK_BYTES; at += TRAMPOLINE_CELL_BYTES)
		write_code(code + at + TRAMPOLINE_CODE_AT,
			   (uintptr_t)trampoline_record(offset + at), target);
}

/*
 * Maps the code of a chunk of trampolines. Returns 0 or -errno. Two threads may
 * do so at once: each maps a complete chunk, and both chunks are equal.
 */
static int make_chunk(uint64_t chunk)
{
	const uint64_t offset = chunk * CHUNK_BYTES;
	const uint64_t skipped = chunk ? 0 : TRAMPOLINE_HEAD_BYTES;
	const int32_t target =
		(int32_t)((intptr_t)&hot - (intptr_t)thread_block()) +
		(returns_are_reported() ? HOT_CARRIED_REPORTED : HOT_CARRIED);
	uint8_t *code = sys_map_private(CHUNK_BYTES);

	if (sys_failed(code))
		return -ENOMEM;
	write_chunk(code, offset, (uint32_t)target);
	if (!seal_pages(code, CHUNK_BYTES) &&
	    !sys_failed((void *)sys_call(
		    SYS_mremap, (long)(code + skipped),
		    (long)(CHUNK_BYTES - skipped),
		    (long)(CHUNK_BYTES - skipped),
		    MREMAP_MAYMOVE | MREMAP_FIXED,
		    (long)(rt.trampolines + offset + skipped), 0))) {
		if (skipped)
			sys_munmap(code, skipped);
		atomic_store(&made.is_ready[chunk], 1);
		return 0;
	}
	sys_munmap(code, CHUNK_BYTES);
	return -ENOMEM;
}

/* ---- Records ---- */

static _Atomic uint32_t *first_of(const struct shadow_slot *slot, uint64_t id)
{
	uint64_t hash = (slot->return_address ^ id) * ID_MULTIPLIER;

	hash = (hash ^ hash >> 32 ^ slot->caller_id) * ID_MULTIPLIER;
	return &made.first[hash >> (64 - HASH_BITS)];
}

static uint32_t find(uint32_t first, const struct shadow_slot *slot,
		     uint64_t id)
{
	while (first) {
		const struct trampoline *one = record_of(first - 1);

		if (one->id == id &&
		    one->slot.return_address == slot->return_address &&
		    one->slot.caller_id == slot->caller_id)
			break;
		first = one->next;
	}
	return first;
}

/*
 * Takes an unused trampoline whose code is mapped. Returns its number plus one,
 * or 0.
 */
static uint32_t take_number(void)
{
	uint32_t number = atomic_load(&made.used);

	do {
		const uint64_t chunk = offset_of(number) / CHUNK_BYTES;

		if (number >= NUMBER_MAX ||
		    (!atomic_load(&made.is_ready[chunk]) && make_chunk(chunk)))
			return 0;
	} while (
		!atomic_compare_exchange_weak(&made.used, &number, number + 1));
	return number + 1;
}

uint64_t trampoline_for(const struct shadow_slot *slot, uint64_t id)
{
	_Atomic uint32_t *first = first_of(slot, id);
	uint32_t head, found;
	struct trampoline *one;

	if (!rt.trampolines)
		return 0;
	head = atomic_load(first);
	found = find(head, slot, id);
	if (!found) {
		found = take_number();
		if (!found)
			return 0;
		one = record_of(found - 1);
		one->slot = *slot;
		one->id = id;
		do
			one->next = head; /* an equal trampoline does no harm */
		while (!atomic_compare_exchange_weak(first, &head, found));
	}
	return rt.trampolines + offset_of(found - 1) + TRAMPOLINE_CODE_AT;
}

/* ---- Stubs that wait ---- */

/*
 * If the stub's function has made a tail call, *expected is the id of the
 * function that was called.
 */
uint64_t trampoline_of_slot(uint64_t at, uint64_t word, uint64_t *expected)
{
	const struct shadow_slot *shadow = shadow_of(at);
	const int is_chained =
		*expected && shadow &&
		numbers_function_between(shadow->caller_id, *expected);
	uint64_t id;

	if (!shadow || !shadow->return_address)
		return 0;
	id = is_chained ? *expected
			: recursion_runs_as(shadow->caller_id,
					    id_push(shadow->caller_id,
						    runtime_stub_key(word)));
	if (is_chained || !*expected)
		*expected = shadow->caller_id;
	return trampoline_for(shadow, id);
}

/*
 * Returns whether the function with this id is that of the stub whose address
 * is in a slot. The function may also be another one that was entered by a tail
 * call, which takes longer to find out.
 */
static int is_of_stub(const struct shadow_slot *shadow, uint64_t word,
		      uint64_t id)
{
	const uint64_t caller = shadow->caller_id;
	const uint64_t own = id_push(caller, runtime_stub_key(word));

	return own == id || recursion_runs_as(caller, own) == id ||
	       numbers_function_between(caller, id);
}

/*
 * If the function with this id returns through the stub whose address is in the
 * slot, replaces that address by a trampoline, and sets *id to the id of the
 * function's caller. Beyond the end of a coroutine's stack, a word may look
 * like a stub's address by chance, but its shadow is not that of a call.
 */
static int carry_one(uint64_t *at, uint64_t *id)
{
	const struct shadow_slot *shadow = shadow_of((uintptr_t)at);
	uint64_t carried;

	if (!shadow || !shadow->return_address || !is_of_stub(shadow, *at, *id))
		return 0;
	carried = trampoline_for(shadow, *id);
	if (carried)
		*at = carried;
	*id = shadow->caller_id;
	return 1;
}

int trampolines_await(uint64_t *slot)
{
	uint64_t id = hot.id;

	if (!returns_are_reported())
		return 0;
	if (!trampoline_at(*slot) && runtime_is_exit(*slot))
		carry_one(slot, &id);
	return trampoline_at(*slot) != NULL;
}

/*
 * The slot holds trampoline `one`. If the function with this id was entered by
 * a tail call of the trampoline's function, replaces the trampoline by one for
 * this id. Returns whether the function with this id returns through this slot.
 */
static int carry_on(uint64_t *at, const struct trampoline *one, uint64_t id)
{
	uint64_t carried;

	if (one->id == id)
		return 1;
	if (!numbers_function_between(one->slot.caller_id, id))
		return 0;
	carried = trampoline_for(&one->slot, id);
	if (carried)
		*at = carried;
	return 1;
}

static int is_return(uint64_t at, uint64_t word)
{
	return trampoline_at(word) || runtime_is_exit(word);
}

/* Replaces stubs' addresses from a slot outwards. See trampolines_carry(). */
static uint64_t carry_all(const void *slot)
{
	uint64_t at = (uintptr_t)slot & ~UINT64_C(7), until = at + CARRY_BYTES;
	uint64_t page = (uintptr_t)slot & -PAGE, id = hot.id, first = 0, word;

	for (; rt.trampolines && id != ID_ROOT; at += 8) {
		const struct trampoline *one;

		at = walk_scan(at, until, &page, is_return, &word);
		if (!is_return(at, word))
			break;
		one = trampoline_at(word);
		if (one && carry_on((uint64_t *)at, one, id))
			return first ? first : at;
		if (!one && carry_one((uint64_t *)at, &id)) {
			until = at + CARRY_BYTES;
			first = first ? first : at;
		}
	}
	return first;
}

/* The duration of this function does not count as time of the program. */
uint64_t trampolines_carry(const void *slot)
{
	struct sink_pause pause = sink_pause();
	const uint64_t first = carry_all(slot);

	sink_resume(&pause);
	return first;
}

int trampolines_has(const void *slot, uint64_t at, uint64_t id)
{
	const struct trampoline *one;
	uint64_t page = (uintptr_t)slot & -PAGE, word;

	if (walk_is_on_own_stack(at))
		word = *(const uint64_t *)at;
	else if (!at || runtime_is_filtered() || !walk_read(at, &page, &word))
		return 0;
	one = trampoline_at(word);
	return one && one->id == id;
}

/*
 * Restores the shadow of a slot with a trampoline. Returns 0 if the shadow was
 * right, or the slot has no shadow.
 */
static int settle_one(uint64_t at, const struct trampoline *one)
{
	struct shadow_slot *shadow = shadow_of(at);

	if (!shadow || (shadow->return_address == one->slot.return_address &&
			shadow->caller_id == one->slot.caller_id))
		return 0;
	*shadow = one->slot;
	return 1;
}

#define NONE UINT64_MAX

static int is_of_trampoline(uint64_t at, uint64_t word)
{
	return word - rt.trampolines < TRAMPOLINE_BLOCK_BYTES &&
	       trampoline_at(word);
}

/*
 * Returns the first slot in [at, until) that holds a trampoline, and sets *one
 * to it. Returns NONE if there is none in the readable part of the stack.
 */
static uint64_t find_slot(uint64_t at, uint64_t until, uint64_t *known_page,
			  const struct trampoline **one)
{
	uint64_t word;

	at = walk_scan(at, until, known_page, is_of_trampoline, &word);
	*one = trampoline_at(word);
	return *one ? at : NONE;
}

/*
 * Searches WALK_FRAME_BYTES of stack for the first trampoline. The search
 * continues behind the first trampoline, and behind each further one if a slice
 * was copied back.
 */
void trampolines_settle(uint64_t stack, uint64_t slice_end)
{
	uint64_t at = (stack + 7) & ~UINT64_C(7), page = stack & -PAGE;
	uint64_t until = at + WALK_FRAME_BYTES;
	const struct trampoline *one;
	int is_first = 1, is_slice = slice_end != 0;

	if (!rt.trampolines)
		return;
	for (;; at += 8) {
		at = find_slot(at, until > slice_end ? until : slice_end, &page,
			       &one);
		if (at == NONE)
			return;
		is_slice |= settle_one(at, one);
		if (is_first || is_slice)
			until = at + (is_slice ? SLICE_BYTES : SETTLE_BYTES);
		is_first = 0;
	}
}

/*
 * If the shadow of the first slot with a trampoline is right, so is the shadow
 * of the following slots.
 */
void trampolines_settle_cheaply(uint64_t stack)
{
	uint64_t at = (stack + 7) & ~UINT64_C(7), page = stack & -PAGE;
	const struct trampoline *one;

	if (!rt.trampolines)
		return;
	at = find_slot(at, at + SETTLE_BYTES, &page, &one);
	if (at != NONE && settle_one(at, one))
		trampolines_settle(at, 0);
}

/* Called by a trampoline: the function with this slot has returned. */
void hot_leave_carried(uint64_t *slot, const struct trampoline *one,
		       uint64_t result)
{
	if (rt.sink->carried)
		rt.sink->carried(slot, one);
	if (rt.call_ends) {
		/* not the id of a function that was entered by a tail call */
		*(volatile uint64_t *)&hot.id = one->id;
		rt.call_ends(slot, result);
	}
	*(volatile uint64_t *)&hot.id = one->slot.caller_id;
	*(volatile uint64_t *)slot = one->slot.return_address;
}
