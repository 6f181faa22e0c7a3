/* SPDX-License-Identifier: MIT */
/*
 * Answers the queries of the program (agent/clew.h): about the calling thread,
 * about recorded contexts, and about their correctness.
 *
 * This code takes no lock, uses no memory of libc's, and makes no system call
 * except to map pages for nodes and to check whether stack is mapped. But the
 * first query in a forked child, and one in a Java method whose context is not
 * recorded yet, record contexts first. About its own stack, each thread reads
 * only data that it writes itself; a signal handler that interrupts a slow path
 * reads the former values.
 */
#include <errno.h>

#include "agent/clew.h"
#include "agent/nodes.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/upcalls.h"
#include "preload/lookup/patches.h"
#include "preload/modules/catalog.h"
#include "preload/record/numbers.h"
#include "preload/record/recorder.h"
#include "preload/stack/callers.h"
#include "preload/stack/walk.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

/*
 * Returns the tally in which the thread's calls are counted, or NULL if they
 * are not. Reads hot.tally only once, because a signal handler may fork, and
 * the child has none.
 */
static inline const struct tally *counted_in(void)
{
	const struct tally *tally;

	callers_take_up();
	tally = *(struct tally *volatile *)&hot.tally;
	return tally && (!hot.muted || hot.muted == HOT_MUTED_HANDLER) &&
			       !rt.patches->is_out
		       ? tally
		       : NULL;
}

static inline struct clew_here answer(uint64_t id, union note note,
				      uint32_t flags)
{
	return (struct clew_here){
		.id = id,
		.depth = note.depth,
		.flags = flags | CLEW_IS_COUNTED |
			 (note.word ? CLEW_IS_RECORDED : 0),
	};
}

/*
 * Returns the context of a Java method that has called one of clew's own native
 * methods (preload/session/java_natives.c). These have no stub, so the context
 * may not be recorded yet.
 */
static __attribute__((noinline)) struct clew_here java_context(uint64_t id)
{
	const struct tally *tally = counted_in();
	union note note;

	if (!tally)
		return (struct clew_here){ 0 };
	note = tally_note(tally, id);
	if (!note.word && id != ID_ROOT) {
		hot_record_running(__builtin_frame_address(0), id);
		tally = counted_in();
		note = tally ? tally_note(tally, id)
			     : (union note){ .word = 0 };
	}
	return answer(id, note, CLEW_HAS_JAVA);
}

/*
 * Rare cases are handled in other functions, so that this function need not
 * save registers.
 */
struct clew_here clew_context(void)
{
	const struct tally *tally = counted_in();
	const uint64_t id = hot.id;

	if (!tally)
		return (struct clew_here){ 0 };
	if (hot.java_top)
		return java_context(id);
	return answer(id, tally_note(tally, id), 0);
}

uint64_t clew_id(void)
{
	if (!counted_in())
		return 0;
	return hot.java_top ? java_context(hot.id).id : hot.id;
}

/* ---- Contexts of other threads ---- */

struct sought {
	uint64_t id;
	union note found;
};

static int search_in(struct sought *sought, const struct wire_context *contexts,
		     const void *end)
{
	for (; (const void *)(contexts + 1) <= end; contexts++) {
		if (contexts->id != sought->id)
			continue;
		sought->found =
			(union note){ { contexts->function, contexts->depth } };
		return 1;
	}
	return 0;
}

static int is_there(void *context, const struct chunk *chunk)
{
	const struct wire_tally *tally = chunk_payload(chunk);
	const unsigned char *start = (const unsigned char *)chunk->head;

	if (chunk->head->kind == WIRE_TALLY)
		return search_in(context,
				 (const struct wire_context *)(tally + 1),
				 start + WIRE_TALLY_TABLE_OFFSET);
	if (chunk->head->kind == WIRE_CONTEXTS)
		return search_in(context, chunk_payload(chunk),
				 start + chunk->bytes);
	return 0;
}

/*
 * Returns the note of a context, also of one that another thread has recorded.
 * The note is 0 if the context is not recorded.
 */
static union note note_of(uint64_t id)
{
	const struct tally *tally = counted_in();
	struct sought sought = { .id = id };

	if (!tally)
		return sought.found;
	sought.found = tally_note(tally, id);
	if (!sought.found.word && id != ID_ROOT)
		part_each_chunk(&rt.recorder->part, PART_EVERY_KIND, is_there,
				&sought);
	return sought.found;
}

static uint64_t caller_by(uint64_t id, union note note)
{
	return note.word && note.function != WIRE_FOLDED
		       ? id_pop(id, id_key(note.function))
		       : ID_ROOT;
}

uint64_t clew_parent(uint64_t id)
{
	return caller_by(id, note_of(id));
}

uint32_t clew_depth(uint64_t id)
{
	return note_of(id).depth;
}

/* ---- Stacks ---- */

/* The module of the last query. */
struct guide {
	const struct number_range *numbers;
	struct catalog_entry entry;
};

static const void *address_of(struct guide *guide, uint32_t number)
{
	const struct number_range *numbers = numbers_find(number);

	if (!numbers || numbers->kind != WIRE_RANGE_MODULE)
		return NULL;
	if (numbers != guide->numbers &&
	    catalog_find_module(numbers, &guide->entry))
		return NULL;
	guide->numbers = numbers;
	return (const void *)(guide->entry.module->base +
			      guide->entry.functions[number - numbers->first]
				      .vaddr);
}

/*
 * Retrieves the functions of the thread's present context from its stack, the
 * innermost first. Returns their number. *id becomes the id of the remaining
 * context.
 */
static size_t retrace(uint64_t *id, struct clew_frame *frames, size_t room)
{
	struct walk walk = walk_from(__builtin_frame_address(0), *id);
	struct link link;
	size_t count = 0;

	walk_trust_own_stack(&walk, __builtin_frame_address(0));
	for (; walk_next(&walk, &link) && link.function != WIRE_FOLDED; count++)
		if (count < room)
			frames[count] = (struct clew_frame){
				.id = link.id,
				.site = (const void *)
						link.shadow->return_address,
				.number = link.function,
			};
	*id = walk.id;
	return count;
}

/*
 * Retrieves the functions of a context from the recording. Returns their
 * number. *id becomes the id of the remaining context.
 */
static size_t recall(uint64_t *id, struct clew_frame *frames, size_t room)
{
	union note note;
	size_t count = 0;

	for (; *id != ID_ROOT && (note = note_of(*id)).word &&
	       note.function != WIRE_FOLDED;
	     count++) {
		if (count < room)
			frames[count] =
				(struct clew_frame){ .id = *id,
						     .number = note.function };
		*id = caller_by(*id, note);
	}
	return count;
}

int clew_stack(uint64_t id, struct clew_frame *frames, size_t room)
{
	struct guide guide = { 0 };
	size_t count = 0;

	if (!counted_in())
		return -ENODEV;
	if (id == hot.id)
		count = retrace(&id, frames, room);
	count += recall(&id, count < room ? frames + count : NULL,
			count < room ? room - count : 0);
	for (size_t i = 0; i < count && i < room; i++)
		frames[i].function = address_of(&guide, frames[i].number);
	return count || id == ID_ROOT ? (int)count : -ENOENT;
}

/* ---- Confidence ---- */

#define MISS 0.05
/*
 * For larger counts an upper bound of 2 % more is used instead of the exact
 * value.
 */
#define COUNTED_ONE_BY_ONE 10000

/*
 * Returns P(X <= k) for Poisson's distribution: a part of its series divided by
 * all of it.
 */
static double poisson_cdf(double mean, uint64_t k)
{
	double term = 1, within = 1, all = 1;

	for (uint64_t i = 1; i <= k || (double)i < mean || term > all * 1e-17;
	     i++) {
		term *= mean / (double)i;
		all += term;
		if (i <= k)
			within = all;
		if (all > 1e250) {
			term *= 1e-250;
			within *= 1e-250;
			all *= 1e-250;
		}
	}
	return within / all;
}

/*
 * Returns the mean of the Poisson distribution at which k or fewer events occur
 * with probability MISS.
 */
static double mean_at_most(uint64_t k)
{
	double low = (double)k, high = 2 * (double)k + 4;

	if (k > COUNTED_ONE_BY_ONE)
		return 1.02 * (double)k;
	for (int i = 0; i < 50; i++) {
		double middle = (low + high) / 2;

		if (poisson_cdf(middle, k) > MISS)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double wrong_at_most(uint64_t wrong, uint64_t trials)
{
	double bound = trials ? mean_at_most(wrong) / (double)trials : 1;

	return bound < 1 ? bound : 1;
}

int clew_confidence(struct clew_checks *out)
{
	*out = (struct clew_checks){ 0 };
	if (!counted_in())
		return -ENODEV;
	for (const struct tally *tally = __atomic_load_n(
		     &rt.recorder->tallies.first, __ATOMIC_ACQUIRE);
	     tally; tally = tally->next) {
		const struct wire_verdicts *calls = &tally->wire->calls;

		out->verified += calls->verified;
		out->collisions += calls->collisions;
		out->diverged += calls->diverged;
		for (int i = 0; i < WIRE_PARTIAL_COUNT; i++)
			out->partial += calls->partial[i];
	}
	out->wrong_at_most =
		wrong_at_most(out->collisions + out->diverged,
			      out->verified + out->collisions + out->diverged);
	return 0;
}

/* ---- Nodes (agent/nodes.c) ---- */

static void *take_pages(size_t bytes)
{
	void *pages = sys_map_private(bytes);

	return sys_failed(pages) ? NULL : pages;
}

static void give_back(void *pages, size_t bytes)
{
	sys_munmap(pages, bytes);
}

struct clew_nodes *clew_nodes_new(void)
{
	static const struct node_memory memory = { take_pages, give_back };

	return nodes_new(&memory);
}
