/* SPDX-License-Identifier: MIT */
/*
 * See agent_marks.h. Writes an agent's moments and regions (agent/clew.h) to
 * the recording (wire/mark_records.h).
 *
 * A mark is a slot (record/slots.h). Threads are distributed over several
 * lanes, so they seldom collide. Names are searched by their text, in a table
 * that only grows.
 */
#include <errno.h>
#include <stdatomic.h>

#include "agent/clew.h"
#include "preload/answers/agent_marks.h"
#include "preload/answers/agent_recorded.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/tally.h"
#include "preload/lookup/patches.h"
#include "preload/record/slots.h"
#include "preload/stack/callers.h"
#include "preload/sys/sys.h"
#include "preload/time/samples.h"
#include "wire/id.h"
#include "wire/mark_records.h"

#define LANES       16
#define FIRST_MARKS 126 /* as many as fill a page with the chunk's header */
#define MOST_MARKS  8192
#define MARKS_MAX   (UINT32_C(1) << 21) /* maximum for one process: 64 MiB */
#define NAMES       1024                /* a power of two */
/*
 * In each chunk of marks, the clocks are recorded (samples_note_moment()) after
 * marks 1, 2, 4, 8 and so on, and after each multiple of this number.
 */
#define MARKS_A_MOMENT 1024

struct mark_lane {
	struct slot_lane of;
} __attribute__((aligned(64)));

/* The marks of one process. */
struct mark_life {
	/* header of the process; a forked child has another one */
	const struct wire_header *header;
	struct chunk chunk; /* chunk with the names */
	struct wire_mark_names *names;
	/* number of slots in the chunks of all lanes (slot_source.given) */
	_Atomic uint32_t room;
	struct mark_lane lanes[LANES];
};

static struct mark_life *_Atomic now_lives;

/* ---- Lives ---- */

static struct mark_life *life_new(void)
{
	struct mark_life *made = sys_map_private(sizeof(*made));

	if (sys_failed(made))
		return NULL;
	if (part_alloc(&rt.recorder->part, WIRE_MARK_NAMES, 0,
		       sizeof(*made->names) +
			       NAMES * sizeof(struct wire_mark_name),
		       &made->chunk) != 0) {
		sys_munmap(made, sizeof(*made));
		return NULL;
	}
	made->header = rt.header;
	made->names = chunk_payload(&made->chunk);
	made->names->room = NAMES;
	atomic_store_explicit(&made->chunk.head->used,
			      sizeof(*made->names) +
				      NAMES * sizeof(struct wire_mark_name),
			      memory_order_release);
	return made;
}

/* Returns the marks of the present process, or NULL if there is no room. */
static struct mark_life *life(void)
{
	struct mark_life *there =
		atomic_load_explicit(&now_lives, memory_order_acquire);
	struct mark_life *made;

	if (there && agent_is_of_this_process(there->header))
		return there;
	made = life_new();
	if (made && !atomic_compare_exchange_strong(&now_lives, &there, made)) {
		part_free(&rt.recorder->part, &made->chunk);
		sys_munmap(made, sizeof(*made));
		made = there;
	}
	return made;
}

void agent_marks_begin_again(void)
{
	struct mark_life *former = now_lives;

	now_lives = NULL;
	if (former)
		sys_munmap(former, sizeof(*former));
}

/* ---- Names ---- */

static uint32_t hash_of(const char *text, size_t *length)
{
	uint32_t hash = 2166136261U;
	size_t i = 0;

	for (; text[i] && i + 1 < WIRE_MARK_NAME_BYTES; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619U;
	*length = i;
	return hash ^ hash >> 15;
}

static int is_text(const struct wire_mark_name *name, const char *text,
		   size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (name->text[i] != text[i])
			return 0;
	return !name->text[length];
}

/*
 * Returns 1 + the index of a name in the table, to which the name is added if
 * it is not found. Returns 0 if the table is full. Skips an element that
 * another thread is writing, so several elements may have the same name.
 */
static uint16_t name_number(struct wire_mark_names *names, const char *text)
{
	struct wire_mark_name *of = (void *)(names + 1);
	size_t length;
	const uint32_t hash = hash_of(text, &length);

	for (uint32_t i = 0; i < NAMES; i++) {
		struct wire_mark_name *name = &of[(hash + i) % NAMES];
		uint32_t state = atomic_load_explicit(&name->state,
						      memory_order_acquire);

		if (state == WIRE_NAME_FREE &&
		    atomic_compare_exchange_strong(&name->state, &state,
						   WIRE_NAME_CLAIMED)) {
			for (size_t j = 0; j < length; j++)
				name->text[j] = text[j];
			atomic_store_explicit(&name->state, WIRE_NAME_THERE,
					      memory_order_release);
		} else if (state != WIRE_NAME_THERE ||
			   !is_text(name, text, length)) {
			continue;
		}
		return (uint16_t)(1 + (hash + i) % NAMES);
	}
	return 0;
}

/* ---- Space ---- */

static void lose(const struct mark_life *life, enum wire_mark_loss why)
{
	atomic_fetch_add_explicit(&life->names->lost[why], 1,
				  memory_order_relaxed);
}

/*
 * Returns where to write the next mark, or NULL. Sets *before to the number of
 * marks that precede it in its chunk.
 */
static struct wire_mark *take_place(struct mark_life *life,
				    struct slot_lane *lane, uint32_t *before)
{
	const struct slot_source source = {
		.form = {
			.kind = WIRE_MARKS,
			.head_bytes = sizeof(struct wire_marks),
			.slot_bytes = sizeof(struct wire_mark),
			.first = FIRST_MARKS,
			.most = MOST_MARKS,
			.limit = MARKS_MAX,
		},
		.lane = lane,
		.given = &life->room,
	};
	int err;
	struct wire_mark *mark =
		slots_take(&rt.recorder->part, &source, before, &err);

	if (!mark)
		lose(life,
		     err == -ENOBUFS ? WIRE_MARK_TOO_MANY : WIRE_MARK_NO_SPACE);
	return mark;
}

/* ---- The agent's calls ---- */

static void put(enum wire_mark_kind kind, const char *name, uint64_t number,
		uint64_t ticks_ago)
{
	struct mark_life *mine = agent_is_recorded() ? life() : NULL;
	const struct tally *tally;
	struct wire_mark *mark;
	uint32_t before;
	uint64_t id;

	if (!mine)
		return;
	callers_take_up();
	tally = *(struct tally *volatile *)&hot.tally;
	id = tally && !hot.muted && !rt.patches->is_out ? hot.id : ID_ROOT;
	mark = take_place(mine,
			  &mine->lanes[tally ? tally->number % LANES : 0].of,
			  &before);
	if (!mark)
		return;
	mark->id = id;
	mark->number = number;
	mark->tid = tally ? tally->tid : (uint32_t)sys_gettid();
	mark->name = name ? name_number(mine->names, name) : 0;
	mark->tsc = stamp_counter() - ticks_ago;
	atomic_store_explicit(&mark->kind, kind, memory_order_release);
	if ((before & (before + 1)) == 0 ||
	    before % MARKS_A_MOMENT == MARKS_A_MOMENT - 1)
		samples_note_moment(rt.header);
}

void clew_mark(const char *name, uint64_t number)
{
	put(WIRE_MARK_MOMENT, name, number, 0);
}

void clew_begin(const char *name, uint64_t number)
{
	put(WIRE_MARK_BEGIN, name, number, 0);
}

void clew_end(const char *name, uint64_t number)
{
	put(WIRE_MARK_END, name, number, 0);
}

void agent_mark_past(const char *name, uint64_t number, uint64_t ticks)
{
	put(WIRE_MARK_BEGIN, name, number, ticks);
	put(WIRE_MARK_END, name, number, 0);
}
