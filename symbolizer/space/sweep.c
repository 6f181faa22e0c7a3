/* SPDX-License-Identifier: MIT */
/*
 * At any time the slots form runs, each of one claim or of none. A run is
 * identified by its first slot, and a number set stores the first slots to find
 * neighbours. A new claim cuts the runs at its two ends, closes all runs in
 * between, and becomes one run. Runs of one claim are linked, so the claim's
 * end finds them directly.
 *
 * Each claim adds at most three first slots, and each first slot is removed
 * once. The work is therefore linear, apart from sorting.
 */
#include "symbolizer/space/sweep.h"

#include <string.h>

#include "symbolizer/space/number_set.h"

enum { NONE = -1 };

/* A start or end of a claim, in order of time. */
struct happening {
	uint64_t time;
	uint64_t order;
	uint32_t claim;
	uint32_t is_end;
};

struct sweep {
	struct pieces *pieces;
	size_t slots;
	struct number_set starts;
	/* For the first slot of each run: its claim, or PIECES_NOBODY. */
	uint32_t *claim_at;
	/* For the first slot of each run: other runs of the same claim. */
	int32_t *next, *previous;
	/* For each claim: the first slot of one of its runs. */
	int32_t *runs;
};

static int slot_of(const struct pieces *pieces, uint64_t border)
{
	size_t low = 0, high = pieces->border_count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pieces->borders[middle] < border)
			low = middle + 1;
		else
			high = middle;
	}
	return (int)low;
}

static void link_run(struct sweep *sweep, int slot, uint32_t claim)
{
	sweep->claim_at[slot] = claim;
	if (claim == PIECES_NOBODY)
		return;
	sweep->previous[slot] = NONE;
	sweep->next[slot] = sweep->runs[claim];
	if (sweep->runs[claim] != NONE)
		sweep->previous[sweep->runs[claim]] = slot;
	sweep->runs[claim] = slot;
}

static void unlink_run(struct sweep *sweep, int slot)
{
	int32_t next = sweep->next[slot], previous = sweep->previous[slot];

	if (previous != NONE)
		sweep->next[previous] = next;
	else
		sweep->runs[sweep->claim_at[slot]] = next;
	if (next != NONE)
		sweep->previous[next] = previous;
	sweep->claim_at[slot] = PIECES_NOBODY;
}

static void cut(struct sweep *sweep, int slot)
{
	size_t first;

	if ((size_t)slot == sweep->slots ||
	    number_set_has(&sweep->starts, (size_t)slot))
		return;
	first = number_set_previous(&sweep->starts, (size_t)slot);
	number_set_set(&sweep->starts, (size_t)slot);
	link_run(sweep, slot, sweep->claim_at[first]);
}

/*
 * Ends a run at that time, and adds its piece unless the claim has begun at the
 * same time.
 */
static int close_run(struct sweep *sweep, int slot, uint64_t time)
{
	struct piece piece = { .to = time,
			       .claim = sweep->claim_at[slot],
			       .first = (uint32_t)slot };

	if (piece.claim == PIECES_NOBODY)
		return 0;
	unlink_run(sweep, slot);
	piece.last =
		(uint32_t)number_set_next(&sweep->starts, (size_t)slot + 1);
	if (sweep->pieces->claims.items[piece.claim].from == time)
		return 0;
	return piece_vector_add(&sweep->pieces->all, &piece);
}

static int begin_claim(struct sweep *sweep, uint32_t index)
{
	const struct claim *claim = &sweep->pieces->claims.items[index];
	int first = slot_of(sweep->pieces, claim->start);
	int last = slot_of(sweep->pieces, claim->end);
	int err;

	cut(sweep, first);
	cut(sweep, last);
	for (int slot = first; slot < last;) {
		size_t next = number_set_next(&sweep->starts, (size_t)slot + 1);

		err = close_run(sweep, slot, claim->from);
		if (err)
			return err;
		number_set_clear(&sweep->starts, (size_t)slot);
		slot = (int)next;
	}
	number_set_set(&sweep->starts, (size_t)first);
	link_run(sweep, first,
		 claim->owner == PIECES_NOBODY ? PIECES_NOBODY : index);
	return 0;
}

static int end_claim(struct sweep *sweep, uint32_t index, uint64_t time)
{
	int err = 0;

	while (!err && sweep->runs[index] != NONE)
		err = close_run(sweep, sweep->runs[index], time);
	return err;
}

/* An end follows all starts of the same time, also that of its own claim. */
static int compare(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->is_end != y->is_end)
		return x->is_end ? 1 : -1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return 0;
}

static void sort(struct happening *happenings, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (compare(&happenings[i - 1], &happenings[i]) > 0) {
			qsort(happenings, count, sizeof(*happenings), compare);
			return;
		}
	}
}

/*
 * Returns all starts and ends, sorted; the caller frees them. NULL: out of
 * memory.
 */
static struct happening *list_happenings(const struct claims *claims,
					 size_t *count)
{
	struct happening *list =
		reallocarray(NULL, claims->count * 2 + 1, sizeof(*list));

	*count = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < claims->count; i++) {
		const struct claim *claim = &claims->items[i];

		list[(*count)++] =
			(struct happening){ claim->from, claim->order,
					    (uint32_t)i, 0 };
		if (claim->to != PIECES_NEVER)
			list[(*count)++] =
				(struct happening){ claim->to, claim->order,
						    (uint32_t)i, 1 };
	}
	sort(list, *count);
	return list;
}

static int play(struct sweep *sweep)
{
	size_t count;
	struct happening *list =
		list_happenings(&sweep->pieces->claims, &count);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		if (list[i].is_end)
			err = end_claim(sweep, list[i].claim, list[i].time);
		else
			err = begin_claim(sweep, list[i].claim);
	}
	free(list);
	for (size_t slot = 0; slot < sweep->slots && !err;
	     slot = number_set_next(&sweep->starts, slot + 1))
		err = close_run(sweep, (int)slot, PIECES_NEVER);
	return err;
}

static int init(struct sweep *sweep, struct pieces *pieces)
{
	size_t slots = pieces->border_count - 1;
	size_t claims = pieces->claims.count;

	*sweep = (struct sweep){ .pieces = pieces, .slots = slots };
	sweep->claim_at = reallocarray(NULL, slots, sizeof(uint32_t));
	sweep->next = reallocarray(NULL, slots, sizeof(int32_t));
	sweep->previous = reallocarray(NULL, slots, sizeof(int32_t));
	sweep->runs = reallocarray(NULL, claims, sizeof(int32_t));
	if (!sweep->claim_at || !sweep->next || !sweep->previous ||
	    !sweep->runs || number_set_init(&sweep->starts, slots))
		return -ENOMEM;
	memset(sweep->runs, 0xff, claims * sizeof(int32_t));
	number_set_set(&sweep->starts, 0);
	sweep->claim_at[0] = PIECES_NOBODY;
	return 0;
}

int sweep_claims(struct pieces *pieces)
{
	struct sweep state;
	int err = init(&state, pieces);

	if (!err)
		err = play(&state);
	number_set_fini(&state.starts);
	free(state.claim_at);
	free(state.next);
	free(state.previous);
	free(state.runs);
	return err;
}
