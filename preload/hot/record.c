/* SPDX-License-Identifier: MIT */
/*
 * Records new contexts. If there is no room for a context, counts its call in
 * "(folded)".
 *
 * A thread records in its tally, between two instructions of the program. The
 * thread's signal handlers may interrupt every step and record as well. Records
 * and entries of the table are claimed by one instruction each (own_word.h),
 * and valid once their id is stored, last.
 */
#include "preload/hot/record.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/hot/foresight.h"
#include "preload/hot/own_word.h"
#include "preload/hot/recent_notes.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "wire/id.h"

/*
 * The greatest mean of countdowns. A countdown has 16 bits. One in 10^7 would
 * exceed 16 times its mean, and thus 16 bits; COUNTDOWN_MAX is then used
 * instead.
 */
#define CHECK_PERIOD_MAX 4096
#define COUNTDOWN_MAX    0xfffe
#define LN2              11629080 /* the logarithm of 2, in 2^-24ths */

#define ADMITTED_AT_ONCE 64

/*
 * Returns a random number by xorshift64 (Marsaglia, "Xorshift RNGs", 2003),
 * with a state for each thread.
 */
uint64_t record_draw(void)
{
	uint64_t random = hot.random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	hot.random = random;
	return random;
}

/*
 * Returns the mean of the countdowns: the number of calls from one check to the
 * next. A countdown has 16 bits, so if the period of verification is longer,
 * only some of the checks verify a call.
 */
uint64_t record_check_period(void)
{
	return rt.verify_period && rt.verify_period < CHECK_PERIOD_MAX
		       ? rt.verify_period
		       : CHECK_PERIOD_MAX;
}

/*
 * Returns log2(1 + x) for 0 <= x < 1; both are in 2^-32ths. This is x plus x(1 -
 * x) times a polynomial that interpolates the quotient at the four Chebyshev
 * nodes. The error is below 5e-5.
 */
static uint64_t log2_of_one_plus(uint64_t x)
{
	const uint64_t curve = (x * ((UINT64_C(1) << 32) - x)) >> 32;
	const int64_t at = (int64_t)x;
	int64_t sum = 9865 - ((2941 * at) >> 32); /* in 2^-16ths */

	sum = -17667 + ((sum * at) >> 32);
	sum = 28994 + ((sum * at) >> 32);
	return x + (((uint64_t)sum * curve) >> 16);
}

/*
 * Returns an exponential deviate of mean 2^32: the negative natural logarithm of
 * a uniform number (1 + x) / 2^(zeros + 1). No branch depends on the number,
 * since the CPU would mispredict it.
 */
static uint64_t draw_exponential(void)
{
	const uint64_t random = record_draw(); /* never 0 */
	const unsigned int zeros = (unsigned int)__builtin_clzll(random);
	const uint64_t x = (random << zeros << 1) >> 32;
	const uint64_t log2 =
		((uint64_t)(zeros + 1) << 32) - log2_of_one_plus(x);

	return ((log2 >> 8) * LN2) >> 16;
}

/*
 * Draws the number of calls until the next check. The distribution is
 * geometric: each call is checked with probability 1 / n, independently of
 * other calls, whether its context has few calls or many. `scale` is -1 / ln(1
 * - 1 / n), computed by a power series, in 65536ths.
 */
uint64_t record_draw_countdown(void)
{
	const uint64_t n = record_check_period();
	const uint64_t scale = (n << 16) - 32768 - 5461 / n - 2731 / (n * n);
	uint64_t calls;

	if (n == 1)
		return 0;
	calls = ((draw_exponential() >> 16) * scale) >> 32;
	return (calls < COUNTDOWN_MAX ? calls : COUNTDOWN_MAX)
	       << WIRE_VERIFY_SHIFT;
}

void record_loss(enum wire_loss cause)
{
	atomic_fetch_add_explicit(&rt.losses[cause], 1, memory_order_relaxed);
}

void record_want_of_room(void)
{
	record_loss(runtime_is_filtered()            ? WIRE_LOSS_FILTER
		    : rt.losses != rt.header->losses ? WIRE_LOSS_CHILD
						     : WIRE_LOSS_NO_SPACE);
}

/*
 * Takes the next record of a chunk of contexts. Returns NULL if the chunk is
 * full. If a signal handler installs another chunk between the two loads, the
 * bounds do not fit together, so the taken record is not used.
 */
static struct wire_context *take_context(uintptr_t *next,
					 const uintptr_t *end_of_chunk)
{
	uintptr_t end = __atomic_load_n(end_of_chunk, __ATOMIC_SEQ_CST);
	uintptr_t at = own_fetch_add(next, sizeof(struct wire_context));

	if (at >= end || end != __atomic_load_n(end_of_chunk, __ATOMIC_SEQ_CST))
		return NULL;
	return (struct wire_context *)at;
}

static int has_room(const struct tally *tally)
{
	return tally->used < tally->limit &&
	       tally->next_context < tally->end_context;
}

/* Claims a free entry for id and stores its note. */
static struct wire_count *claim_entry(struct tally *tally, uint64_t id,
				      union note note)
{
	struct view view = tally_view(tally);
	uint64_t i = wire_count_home(id, view.mask);

	while (view.table[i].id ||
	       !own_claim((uint64_t *)&view.table[i].id, WIRE_COUNT_CLAIMED))
		i = (i + 1) & view.mask;
	view.notes[i] = note;
	own_add(&tally->used, 1);
	return &view.table[i];
}

static void fill_context(struct tally *tally, struct wire_context *context,
			 uint64_t id, union note note, uint64_t site,
			 uint64_t calls)
{
	struct wire_count *entry = claim_entry(tally, id, note);

	if (note.function == WIRE_FOLDED)
		tally->has_folds = 1;
	context->site = site;
	context->function = note.function;
	context->depth = note.depth;
	atomic_store_explicit(&context->id, id, memory_order_release);
	own_add(&entry->field, calls + record_draw_countdown());
	atomic_store_explicit(&entry->id, id, memory_order_release);
	recent_note_keep(tally, id, note);
	own_add(&tally->wire->contexts, 1);
}

enum record_known record_known_call(struct tally *tally, uint64_t id)
{
	struct wire_count *entry = tally_find(tally, id);
	uint64_t former;

	if (entry->id != id)
		return RECORD_IS_UNKNOWN;
	former = own_fetch_add(&entry->field, WIRE_CALL_STEP);
	return former >> WIRE_VERIFY_SHIFT ? RECORD_IS_COUNTED : RECORD_IS_DUE;
}

/*
 * Returns the address of the number of contexts that the thread may still
 * record before it calls admit_some(). The number is in the header of the
 * tally's chunk.
 */
static uint64_t *admitted_in(const struct tally *tally)
{
	struct wire_chunk *chunk = (struct wire_chunk *)tally->wire - 1;

	return &chunk->admitted;
}

/*
 * Reserves contexts in the process's counter. Returns 0 if the limit is
 * reached. An atomic addition waits until the thread's earlier stores are
 * complete, in particular those of the new context. Therefore a thread reserves
 * several contexts at once while enough are left below the limit, and the last
 * ones one by one.
 */
static int admit_some(struct tally *tally)
{
	_Atomic uint64_t *contexts = &rt.header->contexts;
	const uint64_t former = atomic_fetch_add_explicit(
		contexts, ADMITTED_AT_ONCE, memory_order_relaxed);

	if (!hot_recursion_folds && tally->wire->contexts >= rt.fold_beyond)
		recursion_begin();
	if (former + ADMITTED_AT_ONCE <= rt.max_contexts) {
		own_add(admitted_in(tally), ADMITTED_AT_ONCE - 1);
		return 1;
	}
	atomic_fetch_sub_explicit(contexts, ADMITTED_AT_ONCE - 1,
				  memory_order_relaxed);
	if (former < rt.max_contexts)
		return 1;
	atomic_fetch_sub_explicit(contexts, 1, memory_order_relaxed);
	tally->refusal = rt.max_contexts_cause;
	return 0;
}

/* Returns whether one more context may be recorded in this process. */
static int admit_context(void)
{
	struct tally *tally = hot.tally;

	return tally && (own_take(admitted_in(tally)) || admit_some(tally));
}

/* Records a context. Returns false if there is no room. */
static int record(uint64_t id, union note note, uint64_t site, uint64_t calls)
{
	struct wire_context *context = NULL;
	struct tally *tally;

	while (!context) {
		/*
		 * the tally is read again, because a signal handler may have
		 * forked
		 */
		tally = hot.tally;
		if ((!tally || !has_room(tally)) && hot_make_room())
			return 0;
		if (tally && hot.tally == tally)
			context = take_context(&tally->next_context,
					       &tally->end_context);
	}
	fill_context(tally, context, id, note, site, calls);
	return 1;
}

int record_caller(uint64_t id, union note note)
{
	if (!record(id, note, 0, 0))
		return 0;
	atomic_fetch_add_explicit(&rt.header->contexts, 1,
				  memory_order_relaxed);
	return 1;
}

/* Undoes admit_context(), so that the next context can be recorded. */
static void withdraw_context(void)
{
	if (hot.tally)
		own_add(admitted_in(hot.tally), 1);
	else
		atomic_fetch_sub_explicit(&rt.header->contexts, 1,
					  memory_order_relaxed);
}

/*
 * Returns the note of a context. The note is empty if the context is not
 * recorded, or if a signal handler has forked and the child has no tally.
 */
static union note note_of(uint64_t id)
{
	struct tally *tally = hot.tally;

	return tally ? recent_note_of(tally, id) : (union note){ .word = 0 };
}

/*
 * Records a new context. Returns false if there is no room or the limit is
 * reached.
 */
static int record_new_context(uint64_t id, union note note, uint64_t site,
			      uint64_t calls)
{
	const struct wire_header *header = rt.header;

	if (!admit_context())
		return 0;
	if (record(id, note, site, calls))
		return 1;
	/* false in a child that a signal handler has forked */
	if (rt.header == header)
		withdraw_context();
	return 0;
}

enum record_known record_first_tail_call(uint64_t id, uint64_t site)
{
	const union note note = note_of(id);
	uint64_t entry = wire_tail_id(id);
	struct tally *tally;

	if (!note.word)
		return RECORD_IS_UNKNOWN;
	if (!record(entry, note, site, 0))
		entry = id;
	tally = hot.tally;
	return tally ? record_known_call(tally, entry) : RECORD_IS_UNKNOWN;
}

/*
 * Records a new context that is reached by a tail call. If there is room for
 * one record only, the call counts as an ordinary one.
 */
static int record_new_tail_call(uint64_t id, union note note, uint64_t site)
{
	struct tally *tally;

	if (!record_new_context(id, note, site & ~WIRE_SITE_TAIL, 0))
		return 0;
	if (record(wire_tail_id(id), note, site, 1))
		return 1;
	tally = hot.tally;
	return tally && record_known_call(tally, id) != RECORD_IS_UNKNOWN;
}

int record_new_call(uint64_t id, uint64_t caller, uint64_t site)
{
	const union note above = note_of(caller);
	union note note = { .depth = above.depth + 1 };

	if (above.function == WIRE_FOLDED ||
	    !id_key_function(id_key_between(caller, id), &note.function))
		return 0;
	if (hot.tally)
		foresight_note(hot.tally, caller, above.function, id,
			       note.function);
	return site & WIRE_SITE_TAIL ? record_new_tail_call(id, note, site)
				     : record_new_context(id, note, site, 1);
}

/*
 * Takes a record for a "(folded)" from the reserve, which is used when the
 * tally cannot grow. Returns NULL if the reserve is used up. The reserve
 * consists of some records, and of the table's entries beyond its limit, except
 * for a sixteenth of the table, which stays free. The last record and the last
 * entry are only for the "(folded)" below the root.
 */
static struct wire_context *take_spare(struct tally *tally, uint64_t caller)
{
	const uint64_t entries = tally->mask + 1;
	const uint64_t kept = caller == ID_ROOT ? 0 : 1;
	struct wire_context *context;

	if (tally->used + kept >= entries - entries / 16)
		return NULL;
	context = take_context(&tally->next_context, &tally->end_context);
	if (context)
		return context;
	if (tally->end_spare - tally->next_spare <= kept * sizeof(*context))
		return NULL;
	return take_context(&tally->next_spare, &tally->end_spare);
}

/*
 * Records a "(folded)" with this id below a recorded caller of this depth, or
 * below the root, and counts one call. Returns false if there is no room.
 */
static int record_fold(uint64_t id, uint64_t caller, uint32_t depth)
{
	const union note note = { .function = WIRE_FOLDED, .depth = depth + 1 };
	struct wire_context *context = NULL;
	struct tally *tally;

	if (record(id, note, 0, 1))
		return 1;
	tally = hot.tally;
	if (tally)
		context = take_spare(tally, caller);
	if (!context)
		return 0;
	fill_context(tally, context, id, note, 0, 1);
	return 1;
}

/*
 * Counts a call at the "(folded)" below a caller, whose note is `note`, and
 * stores the id of that "(folded)" as the thread's id. Returns false if there
 * is no room. A signal handler that forks meanwhile gives its child another
 * tally, or none.
 */
static int fold_below(uint64_t caller, union note note)
{
	struct tally *tally = hot.tally;
	uint64_t id = caller;

	if (!tally)
		return 0;
	if (note.function != WIRE_FOLDED)
		id = id_push(caller, id_key(WIRE_FOLDED));
	if (!record_known_call(tally, id)) {
		if (!record_fold(id, caller, note.depth))
			return 0;
		atomic_fetch_add_explicit(&rt.header->contexts, 1,
					  memory_order_relaxed);
	}
	tally = hot.tally;
	if (tally)
		own_add(&tally->wire->folded_calls[tally->refusal], 1);
	hot.id = id;
	return 1;
}

void record_folded_call(uint64_t caller)
{
	union note note = note_of(caller);

	while (note.word) {
		if (fold_below(caller, note))
			return;
		caller = id_pop(caller, id_key(note.function));
		note = note_of(caller);
	}
	if (!fold_below(ID_ROOT, note))
		record_want_of_room();
}
