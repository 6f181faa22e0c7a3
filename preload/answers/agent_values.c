/* SPDX-License-Identifier: MIT */
/*
 * Writes an agent's counts (agent/clew.h) to the recording: tables of values by
 * context (wire/context_values.h).
 *
 * A row is a number: the table's life in the upper half, 1 + the row's index in
 * the lower one. A life is the content of the table in one process: a forked
 * child's life begins with its first row, and rows of its parent belong to an
 * earlier life. Rows are assigned in sequence, chunks are added by
 * compare-and-swap, and nothing moves, so threads wait for each other only
 * while a chunk is allocated. The first row of each life is for contexts that
 * find no free row.
 */
#include "preload/answers/agent_values.h"

#include <errno.h>
#include <stdatomic.h>

#include "agent/clew.h"
#include "preload/answers/agent_recorded.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/record/recorder.h"
#include "preload/stack/walk.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"
#include "wire/context_values.h"

#define TABLES_MAX  8
#define CHUNK_ROWS  1024
#define CHUNKS_MAX  64
#define OTHERS      0 /* index of the row for contexts without one */
#define CALLERS_MAX 256

/* The rows of one process. */
struct value_life {
	/* the process's; a child has another */
	const struct wire_header *header;
	uint32_t number; /* never 0 */
	/* number of rows, including requests that failed */
	_Atomic uint32_t used;
	/* address of each chunk's payload */
	unsigned char *_Atomic chunks[CHUNKS_MAX];
};

struct clew_values {
	struct value_life *_Atomic life;
	/* number of the life of an earlier session, or 0 */
	uint32_t former_number;
	uint32_t columns;
	struct wire_value_kind kinds[WIRE_VALUES_MAX];
};

static struct clew_values tables[TABLES_MAX];
static _Atomic uint32_t tables_used;

/* ---- Rows ---- */

static struct wire_value_row *row_at(const struct clew_values *values,
				     unsigned char *payload, uint32_t index)
{
	return (void *)(payload + wire_value_rows_offset(values->columns) +
			index % CHUNK_ROWS *
				wire_value_row_bytes(values->columns));
}

/*
 * Returns the address of one number of a row, or NULL if the row is not valid.
 */
static _Atomic int64_t *number_at(const struct clew_values *values,
				  uint64_t row, size_t column)
{
	const struct value_life *life =
		values ? atomic_load_explicit(&values->life,
					      memory_order_acquire)
		       : NULL;
	const uint32_t index = (uint32_t)row - 1;
	unsigned char *payload;

	if (!life || row >> 32 != life->number ||
	    index >= CHUNK_ROWS * CHUNKS_MAX || column >= values->columns ||
	    !agent_is_of_this_process(life->header))
		return NULL;
	payload = atomic_load_explicit(&life->chunks[index / CHUNK_ROWS],
				       memory_order_acquire);
	return payload ? (_Atomic int64_t *)(row_at(values, payload, index) +
					     1) +
				 column
		       : NULL;
}

/*
 * Returns the payload of a chunk, which is created if necessary, or NULL if
 * there is no space.
 */
static unsigned char *chunk_of(const struct clew_values *values,
			       struct value_life *life, uint32_t number)
{
	const uint64_t bytes =
		wire_value_rows_offset(values->columns) +
		CHUNK_ROWS * wire_value_row_bytes(values->columns);
	unsigned char *there = atomic_load_explicit(&life->chunks[number],
						    memory_order_acquire);
	struct wire_values *head;
	struct chunk chunk;

	if (there)
		return there;
	if (part_alloc(&rt.recorder->part, WIRE_VALUES, 0, bytes, &chunk) != 0)
		return NULL;
	head = chunk_payload(&chunk);
	*head = (struct wire_values){ values->columns, CHUNK_ROWS };
	copy_bytes(head + 1, values->kinds,
		   values->columns * sizeof(*values->kinds));
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	if (atomic_compare_exchange_strong(&life->chunks[number], &there,
					   (unsigned char *)head))
		return (unsigned char *)head;
	part_free(&rt.recorder->part, &chunk);
	return there;
}

static uint64_t row_begin(const struct clew_values *values,
			  struct value_life *life, uint32_t index, uint64_t id,
			  enum wire_row_state state)
{
	unsigned char *payload = chunk_of(values, life, index / CHUNK_ROWS);
	struct wire_value_row *row;

	if (!payload)
		return 0;
	row = row_at(values, payload, index);
	row->id = id;
	atomic_store_explicit(&row->state, state, memory_order_release);
	return (uint64_t)life->number << 32 | (index + 1);
}

/* ---- Lives ---- */

/* Returns the life of this process, or NULL if there is no memory. */
static struct value_life *life_of(struct clew_values *values)
{
	struct value_life *there = values->life, *made;

	if (there && agent_is_of_this_process(there->header))
		return there;
	made = sys_map_private(sizeof(*made));
	if (sys_failed(made))
		return NULL;
	made->header = rt.header;
	made->number = (there ? there->number : values->former_number) + 1;
	made->used = OTHERS + 1;
	row_begin(values, made, OTHERS, ID_ROOT, WIRE_ROW_OTHERS);
	if (atomic_compare_exchange_strong(&values->life, &there, made))
		return made;
	sys_munmap(made, sizeof(*made));
	return there;
}

void agent_values_begin_again(void)
{
	for (uint32_t i = 0; i < TABLES_MAX; i++) {
		struct value_life *former = tables[i].life;

		if (!former)
			continue;
		tables[i].former_number = former->number;
		tables[i].life = NULL;
		sys_munmap(former, sizeof(*former));
	}
}

/* ---- The agent's calls ---- */

static int is_name_letter(char letter)
{
	return (letter >= 'a' && letter <= 'z') ||
	       (letter >= 'A' && letter <= 'Z') ||
	       (letter >= '0' && letter <= '9') || letter == '_' ||
	       letter == '<';
}

/* Copies a name. Returns whether it is valid. */
static int take_name(char *to, const char *name)
{
	size_t length = 0;

	while (name && length < WIRE_VALUE_NAME_BYTES &&
	       is_name_letter(name[length])) {
		to[length] = name[length];
		length++;
	}
	return length > 0 && length < WIRE_VALUE_NAME_BYTES && !name[length];
}

struct clew_values *clew_values_new(const struct clew_value *columns,
				    size_t count)
{
	struct wire_value_kind kinds[WIRE_VALUES_MAX] = { 0 };
	struct clew_values *values;
	uint32_t number;

	if (!agent_is_recorded() || count == 0 || count > WIRE_VALUES_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!take_name(kinds[i].name, columns[i].name) ||
		    (uint32_t)columns[i].unit >= WIRE_UNIT_COUNT)
			return NULL;
		kinds[i].unit = (uint32_t)columns[i].unit;
	}
	number = atomic_fetch_add(&tables_used, 1);
	if (number >= TABLES_MAX) {
		atomic_fetch_sub(&tables_used, 1);
		return NULL;
	}
	values = &tables[number];
	values->columns = (uint32_t)count;
	copy_bytes(values->kinds, kinds, sizeof(kinds));
	return life_of(values) ? values : NULL;
}

/*
 * Returns the context at which to record a value: `id`, or, if `id` is the
 * thread's context and is not recorded because its calls count at "(folded)",
 * the nearest recorded caller on the thread's stack. Returns `id` also if no
 * such caller is found.
 */
static uint64_t recorded_id(uint64_t id)
{
	const struct tally *tally = *(struct tally *volatile *)&hot.tally;
	struct walk walk;
	struct link link;

	if (!tally || id == ID_ROOT || tally_note(tally, id).word ||
	    id != hot.id)
		return id;
	walk = walk_from(__builtin_frame_address(0), id);
	walk_trust_own_stack(&walk, __builtin_frame_address(0));
	for (int i = 0; i < CALLERS_MAX && walk_next(&walk, &link); i++)
		if (tally_note(tally, link.id).word)
			return link.id;
	return id;
}

uint64_t clew_row_new(struct clew_values *values, uint64_t id)
{
	struct value_life *life =
		values && agent_is_recorded() ? life_of(values) : NULL;
	uint64_t row = 0;
	uint32_t index;

	if (!life)
		return 0;
	index = atomic_load(&life->used) < CHUNK_ROWS * CHUNKS_MAX
			? atomic_fetch_add(&life->used, 1)
			: CHUNK_ROWS * CHUNKS_MAX;
	if (index < CHUNK_ROWS * CHUNKS_MAX)
		row = row_begin(values, life, index, recorded_id(id),
				WIRE_ROW_CONTEXT);
	if (!row && life->chunks[OTHERS])
		row = (uint64_t)life->number << 32 | (OTHERS + 1);
	return row;
}

_Atomic int64_t *agent_values_numbers(const struct clew_values *values,
				      uint64_t row)
{
	return number_at(values, row, 0);
}

int clew_row_is_there(const struct clew_values *values, uint64_t row)
{
	return number_at(values, row, 0) != NULL;
}

int64_t clew_value_add(struct clew_values *values, uint64_t row, size_t column,
		       int64_t more)
{
	_Atomic int64_t *number = number_at(values, row, column);

	return number ? atomic_fetch_add_explicit(number, more,
						  memory_order_relaxed) +
				more
		      : 0;
}

void clew_value_raise(struct clew_values *values, uint64_t row, size_t column,
		      int64_t to)
{
	_Atomic int64_t *number = number_at(values, row, column);
	int64_t there =
		number ? atomic_load_explicit(number, memory_order_relaxed)
		       : to;

	while (there < to && !atomic_compare_exchange_weak_explicit(
				     number, &there, to, memory_order_relaxed,
				     memory_order_relaxed))
		;
}
