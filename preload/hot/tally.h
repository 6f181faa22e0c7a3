/* SPDX-License-Identifier: MIT */
/*
 * A tally: what a thread counts in. It has a hash table of counts, keyed by the
 * ids of contexts (chains of calls), and a list of these contexts.
 *
 * Both lie in the recording's file (wire/recording.h); this is what the runtime
 * keeps beside them in private memory: above all a note for each entry of the
 * table, of the context's function and depth. One thread owns a tally; signal
 * handlers of that thread may interrupt any step, so every step leaves the
 * tally consistent:
 *
 *	claim an entry	compare-and-swap 0 -> WIRE_COUNT_CLAIMED
 *	write a note	{function, depth}
 *	write a context	its id last
 *	publish the id	from here on the entry is found, and counted
 *
 * When the memory made beforehand is used up, hot_make_room() (tallies.c) maps
 * more with signals blocked.
 */
#ifndef CLEW_HOT_TALLY_H
#define CLEW_HOT_TALLY_H

#include <stdint.h>

#include "preload/hot/thread.h"
#include "wire/id.h"
#include "wire/recording.h"

struct event;
struct watched;

/* A chunk of the recording, mapped. */
struct chunk {
	struct wire_chunk *head; /* payload follows */
	uint64_t offset;         /* in the file */
	uint64_t bytes;
};

/* What the runtime must know of a context without reading its record. */
union note {
	struct {
		uint32_t function;
		uint32_t depth; /* never 0 */
	};
	uint64_t word; /* 0: the entry has no id yet */
};
_Static_assert(sizeof(union note) == 8, "written at once");

/* A count table in memory, and where it lies in the recording. */
struct mapping {
	struct wire_count *table;
	union note *notes;
	struct chunk chunk; /* head NULL: inside the tally's own chunk */
	unsigned int log2;
	uint64_t used; /* entries that were moved there when it was made */
	/* Where the table's chunk is mapped again (table_alias.h), or NULL. */
	unsigned char *alias;
	uint64_t alias_bytes;
};

/* Room for samples, of one writer (samples.c). */
struct sample_room {
	struct wire_sample *next;
	uint32_t left;
	struct chunk
		chunk; /* that they are in; head is NULL if there is none */
};

#define TALLY_PATHS_MAX 8
#define TALLY_HELD_MAX  32 /* each has twice the size of the one before */
#define TALLY_LEFT_MAX  32

/* Notes of a table that is no more; they stay mapped, and read as zeros. */
struct notes_left {
	union note *notes;
	unsigned int log2;
};

/*
 * The memory of a tally (record/tables.c). Changed by the owner with signals
 * blocked, so that no handler sees it half-way.
 */
struct tally_memory {
	uint64_t chunk;      /* file offset of the tally's own */
	uintptr_t chunk_end; /* of contexts: end_context may stop short of it */
	uint64_t context_bytes;
	uint64_t ripe_contexts; /* the retired table may be swept at so many */
	/* 1 from a rebuild until the first reorder: that one only sweeps. */
	uint32_t is_settling;
	uint64_t reach;   /* bytes to be readable from a table's start on */
	int32_t patience; /* calls away from home before a reorder */
	uint32_t held_count;
	struct mapping active, retired;
	/* Left before `retired`, while slow paths were interrupted in them. */
	struct mapping held[TALLY_HELD_MAX];
	/* So many, for tally_unmap(); of any beyond these nobody knows. */
	uint32_t left_count;
	struct notes_left left[TALLY_LEFT_MAX];
};

/*
 * Samples that the owner takes, by its CPU clock (time/ticks.c, events.c).
 * The room and the use are stored by the handlers of clew's own signals, in the
 * owner; the timer and the event under the tallies' lock, by any thread.
 */
struct tally_ticks {
	struct sample_room room;
	int32_t timer; /* as the kernel knows it */
	uint32_t timer_state;
	/* CPU time of the owner's at its timer's last, in microseconds. */
	uint64_t user_us, system_us;
	uint64_t switches;   /* of the processor, from and to it, until then */
	struct event *event; /* of the owner's, or NULL */
	uint32_t has_asked;  /* for one */
	int64_t calm_us;     /* that it has in reserve for switches */
};

/*
 * CPU time of the owner, and of its samples since it came (time/unsampled.c); and
 * one of these samples, chosen by its time. Stored by the owner, but for told_ns
 * at the end of the recording.
 */
struct tally_unsampled {
	uint64_t came_ns; /* the owner's CPU time then */
	uint64_t told_ns; /* that samples stand for */
	uint64_t id, where;
	uint32_t has_sample;
};

/* What the watch knows of the owner (time/visits.c, watch.c). */
struct tally_visits {
	/* When the owner came: stored by it once all else of its is there; the
	 * watch stores 0 once it knows the owner. */
	_Atomic uint64_t attached_ns;
	struct watched *watched; /* the watch's only */
};

/*
 * Where a function's calls are put into bins, those that a Java method makes;
 * function 0: the slot is free.
 */
struct histogram_slot {
	uint64_t *bins;
	uint32_t function;
	uint32_t caller; /* 0: no Java method */
};

/*
 * Histograms of functions, where each call is timed (record/histograms.c).
 * Changed by the owner with signals blocked, so that no handler sees it
 * half-way; behind a filter nothing changes.
 */
struct tally_histograms {
	/* By function: open addressing, and never full. NULL: none yet. */
	struct histogram_slot *slots;
	uint32_t room; /* of slots, a power of two */
	uint32_t used;
	uint32_t left; /* histograms, in the newest chunk of them */
	struct chunk chunk;
	uint64_t *others; /* for functions that get none of their own */
};

/*
 * When the owner came, and what its former ones had, where each call is timed
 * (time/presence.c). Stored when an owner comes, under the tallies' lock, came_ns
 * last; read by any slow path of the owner, and by all threads at the end.
 */
struct tally_presence {
	uint64_t came_ns, came_cpu_ns; /* came_ns 0: nobody has */
	uint64_t former_present_ns, former_cpu_ns;
};

/*
 * The packets of its calls, where each leaves words (record/trace.c). Changed by
 * the owner with signals blocked; behind a filter by one that is_turning.
 */
struct past_depths;
struct depth_slots;
struct call_entries;

struct tally_packets {
	struct wire_chunk **chunks; /* in the order in which they came */
	struct wire_chunk *newest;  /* in use */
	struct wire_chunk *left;    /* before that, unless it was handed over */
	uint32_t count, room;
	uint32_t oldest; /* the next that is used again */
	uint32_t cannot_grow;
	uint64_t sequence;          /* of the latest context in one */
	struct past_depths *past;   /* where calls are counted of packets */
	struct depth_slots *depths; /* of calls that run (time/trace_depth.c) */
	struct call_entries
		*values; /* of calls that run (time/call_values.c) */
};

/*
 * Of calls that are recursion, by id (recursion.c): which context they count in. Any
 * slow path of the owner's.
 */
#define HOT_WAYS 64

struct hot_way {
	uint64_t mixed; /* the id, exclusive or what was found */
	uint64_t found; /* ID_ROOT: nothing is here */
};

/* Of contexts that were recorded, or called new ones, lately (recent_notes.h). */
#define HOT_RECENT 64

struct recent_note {
	uint64_t mixed;       /* the id, exclusive or the note */
	uint64_t word;        /* the note; 0: nothing is here */
	uint32_t last_callee; /* function of its latest new one; 0: none */
};

/* Functions that are expected to be called next (foresight.h). */
#define HOT_FORESIGHT_LOG2 12

struct tally {
	/*
	 * What calls are counted in: changed by slow paths of the owner and by
	 * those of its handlers, each word at once (hot/record.c), and with
	 * signals blocked when there is to be more room.
	 */
	struct wire_tally *wire;
	struct wire_count *table;
	union note *notes; /* of table entry i */
	uint64_t mask;     /* entries - 1 */
	uint64_t used;     /* entries claimed */
	uint64_t limit;    /* hot_make_room() is due at so many */
	uintptr_t next_context, end_context;
	uintptr_t next_spare, end_spare; /* records kept for "(folded)" */
	uint32_t has_folds;              /* there is some "(folded)" */
	enum wire_fold refusal; /* why a context found no room the last time */
	uint32_t busy; /* slow paths under way: more than one in handlers */
	uint32_t
		was_reentered; /* stress builds: they have been more than one */
	uintptr_t paths[TALLY_PATHS_MAX]; /* where on the stack they are */

	/* Who counts (record/tallies.c): stored when an owner comes, under the
	 * tallies' lock; `next` and `number` when the tally is made. */
	struct tally *next;
	uint32_t number;
	uint32_t tid;                 /* owner, or the last one */
	struct wire_thread *thread;   /* its record, NULL: no room */
	const struct hot_thread *hot; /* of the owner */
	/* Made for the owner, which has not begun to count in it
	 * (time/early_tallies.h): changed under the tallies' lock. */
	uint32_t is_early;

	struct tally_memory memory;
	struct tally_ticks ticks;
	struct tally_unsampled unsampled;
	struct tally_visits visits;
	struct tally_histograms histograms;
	struct tally_presence presence;
	struct tally_packets packets;
	struct hot_aside aside; /* of the first owner's thread */
	struct hot_way ways[HOT_WAYS];
	struct recent_note recent[HOT_RECENT];
	uint32_t foresight[1 << HOT_FORESIGHT_LOG2];
};

static inline void tally_place_path(struct tally *tally, uint32_t number,
				    const void *frame)
{
	if (number < TALLY_PATHS_MAX)
		tally->paths[number] = (uintptr_t)frame;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * A slow path begins; tally_leave_path() wants the result. A handler that
 * interrupts it leaves `busy` as it was; one that jumps out of it does not, so
 * whoever lands further out takes it off (landing.c), knowing where it was.
 */
static inline uint32_t tally_enter_path(struct tally *tally, const void *frame)
{
	uint32_t busy = tally->busy;

	tally_place_path(tally, busy, frame);
	tally->busy = busy + 1;
	if (CLEW_STRESS && busy)
		tally->was_reentered = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tally_place_path(tally, busy, frame); /* a handler's may be there now */
	return busy;
}

static inline void tally_leave_path(struct tally *tally, uint32_t busy)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tally->busy = busy;
}

/* The table and what belongs to it, all of one moment. */
struct view {
	struct wire_count *table;
	union note *notes;
	uint64_t mask;
};

/* A handler may change tables, but it is done with that when it returns. */
static inline struct view tally_view(const struct tally *tally)
{
	const volatile struct tally *now = tally;
	struct view view;

	do {
		view.table = now->table;
		view.notes = now->notes;
		view.mask = now->mask;
	} while (view.table != now->table);
	return view;
}

/*
 * The entry of id, or the free entry where it belongs. A claimed entry whose
 * id is not yet published is passed over. Notes are not looked at: they lie
 * elsewhere, which would be one more miss of the cache for each new context.
 */
static inline struct wire_count *view_find(const struct view *view, uint64_t id)
{
	uint64_t i = id >> 4 & view->mask;

	while (view->table[i].id != id && view->table[i].id)
		i = (i + 1) & view->mask;
	return &view->table[i];
}

static inline struct wire_count *tally_find(const struct tally *tally,
					    uint64_t id)
{
	struct view view = tally_view(tally);

	return view_find(&view, id);
}

/*
 * What is known of a context; word 0 if it is not recorded here. The root never
 * is: where it would be, there is a free entry.
 */
static inline union note tally_note(const struct tally *tally, uint64_t id)
{
	struct view view = tally_view(tally);
	const struct wire_count *entry = view_find(&view, id);

	if (entry->id != id)
		return (union note){ .word = 0 };
	return view.notes[entry - view.table];
}

#endif
