/* SPDX-License-Identifier: MIT */
/*
 * A tally: the data in which a thread counts. A tally consists of a hash table
 * of counts, keyed by the ids of contexts (chains of calls), and a list of
 * these contexts.
 *
 * Both lie in the recording's file (wire/recording.h). This structure and the
 * memory that it points to are not in the file. The most important part is a
 * note for each entry of the table, with the context's function and depth. One
 * thread owns a tally. Signal handlers of that thread may interrupt any step,
 * so every step leaves the tally consistent:
 *
 *	claim an entry	compare-and-swap 0 -> WIRE_COUNT_CLAIMED
 *	write a note	{function, depth}
 *	write a context	its id last
 *	publish the id	from here on the entry is found and counted
 *
 * When the allocated memory is used up, hot_make_room() (tallies.c) maps more,
 * with signals blocked.
 */
#ifndef CLEW_HOT_TALLY_H
#define CLEW_HOT_TALLY_H

#include <stdint.h>

#include "preload/hot/thread.h"
#include "wire/id.h"
#include "wire/recording.h"

struct event;
struct watched;

/* A mapped chunk of the recording. */
struct chunk {
	/* The chunk's head, which the payload follows. */
	struct wire_chunk *head;
	uint64_t offset; /* offset of the chunk in the file */
	uint64_t bytes;
};

/* The data of a context that the runtime needs without reading its record. */
union note {
	struct {
		uint32_t function;
		uint32_t depth; /* depth of the context; never 0 */
	};
	uint64_t word; /* both members; 0 while the entry has no id */
};
_Static_assert(sizeof(union note) == 8, "written at once");

/* A count table in memory, and its chunk in the recording. */
struct mapping {
	struct wire_count *table;
	union note *notes;
	/* .head is NULL if the table is inside of the tally's own chunk */
	struct chunk chunk;
	unsigned int log2;
	/* number of entries that were copied into it from the table before */
	uint64_t used;
	/* The alias of the table (table_alias.h), or NULL. */
	unsigned char *alias;
	uint64_t alias_bytes;
};

/* Room for the samples of one writer (samples.c). */
struct sample_room {
	struct wire_sample *next;
	uint32_t left;
	/*
	 * the chunk in which samples are written; .head is NULL if there is
	 * none
	 */
	struct chunk chunk;
};

#define TALLY_PATHS_MAX 8
#define TALLY_HELD_MAX  32 /* each has twice the preceding one's size */
#define TALLY_LEFT_MAX  32

/*
 * The notes of a table that no longer exists. They stay mapped, because an
 * interrupted slow path may still read them, and contain zeros.
 */
struct notes_left {
	union note *notes;
	unsigned int log2;
};

/*
 * The memory of a tally (record/tables.c). Changed by the owner with signals
 * blocked, so that no handler sees it half-way.
 */
struct tally_memory {
	uint64_t chunk; /* file offset of the tally's own chunk */
	/*
	 * End of the room for contexts in the present chunk. tally.end_context
	 * may be lower.
	 */
	uintptr_t chunk_end;
	uint64_t context_bytes;
	/*
	 * The retired table is swept (its late counts are moved) when the tally
	 * has this many contexts.
	 */
	uint64_t ripe_contexts;
	/*
	 * 1 after the table was rebuilt. The next hot_reorder() then only
	 * sweeps the retired table.
	 */
	uint32_t is_settling;
	/*
	 * How many bytes from the start of each table on must be readable,
	 * because a stub may use the mask of a larger table.
	 */
	uint64_t reach;
	/*
	 * number of strays (calls that are counted away from the home entry)
	 * until hot_reorder()
	 */
	int32_t patience;
	uint32_t held_count;
	struct mapping active, retired;
	/*
	 * Tables that were replaced before `retired`, while slow paths were
	 * interrupted.
	 */
	struct mapping held[TALLY_HELD_MAX];
	/*
	 * Listed for tally_unmap(). If there are more than TALLY_LEFT_MAX, the
	 * others stay mapped.
	 */
	uint32_t left_count;
	struct notes_left left[TALLY_LEFT_MAX];
};

/*
 * Sampling of the owner (the thread that counts in the tally) by its CPU clock
 * (time/ticks.c, events.c). The owner's handlers of clew's signals write `room`
 * and the times. Any thread may write the timer and the event, with the
 * tallies' lock held.
 */
struct tally_ticks {
	struct sample_room room;
	int32_t timer; /* the kernel's number of the owner's timer */
	uint32_t timer_state;
	/* The owner's CPU time at its timer's latest tick, in microseconds. */
	uint64_t user_us, system_us;
	/* Context switches of the owner until that tick. */
	uint64_t switches;
	struct event *event; /* the owner's event, or NULL */
	/*
	 * Creating an event for the owner was attempted. Reset by events_end(),
	 * and by events_settle() if calm_us is negative.
	 */
	uint32_t has_asked;
	/*
	 * A balance in microseconds: the owner's CPU time raises it, and each
	 * context switch lowers it (time/events.c). An owner whose balance is
	 * full gets an event; one whose balance is negative loses it.
	 */
	int64_t calm_us;
};

/*
 * CPU time of the owner, the part of it that samples stand for, and one sample
 * that was chosen at random, weighted by its time (time/unsampled.c). Stored by
 * the owner; any thread may add to sampled_ns, atomically.
 */
struct tally_unsampled {
	/* CPU time of the owner when it began to count in the tally */
	uint64_t start_ns;
	uint64_t sampled_ns; /* the time that samples stand for */
	uint64_t id, where;
	uint32_t has_sample;
};

/* The watch's data about the owner (time/visits.c, watch.c). */
struct tally_visits {
	/*
	 * When the owner began to count in the tally. The owner stores this
	 * time last. The watch stores 0 when it has registered the owner.
	 */
	_Atomic uint64_t attached_ns;
	struct watched *watched; /* used by the watch only */
};

/*
 * A histogram of a function's calls: of the calls that one Java method makes,
 * or of the calls that no Java method makes. function is 0 in a free slot.
 */
struct histogram_slot {
	uint64_t *bins;
	uint32_t function;
	uint32_t caller; /* 0: callers that are no Java methods */
};

/*
 * Histograms of functions, with exact times (record/histograms.c). Changed by
 * the owner with signals blocked, so that no handler sees a half-done change.
 * Under a system call filter nothing is changed.
 */
struct tally_histograms {
	/*
	 * A hash table by function with open addressing, never full. NULL if
	 * there are no histograms yet.
	 */
	struct histogram_slot *slots;
	uint32_t room; /* number of slots, a power of two */
	uint32_t used;
	uint32_t left; /* free histograms in the newest chunk */
	struct chunk chunk;
	/* the histogram of all functions that have none of their own */
	uint64_t *others;
};

/*
 * For --time=exact (time/presence.c): when the owner began to count in the
 * tally, and the sums of the times of former owners. Written when the owner
 * begins, with the tallies' lock held, start_ns last. Read by slow paths of the
 * owner, and by any thread when recording ends.
 */
struct tally_presence {
	/* start_ns is 0 if there was no owner yet */
	uint64_t start_ns, start_cpu_ns;
	uint64_t former_present_ns, former_cpu_ns;
};

/*
 * The packets of the owner's calls, in a trace (record/trace.c). Changed by the
 * owner with signals blocked; behind a system call filter by a slow path that
 * has set is_turning.
 */
struct past_depths;
struct call_entries;

struct tally_packets {
	struct wire_chunk **chunks; /* sorted by the time of allocation */
	struct wire_chunk *newest;  /* the chunk in use */
	/*
	 * The chunk before `newest`, or NULL if there is none or it was offered
	 * to workers (record/handed_packets.h).
	 */
	struct wire_chunk *left;
	uint32_t count, room;
	uint32_t oldest; /* index of the chunk that is reused next */
	uint32_t cannot_grow;
	uint64_t sequence; /* number of the latest context in a packet */
	/* Set if calls of old packets are counted. */
	struct past_depths *past;
	/* The values of active calls (tracing/call_values.c). */
	struct call_entries *values;
};

/* An element of the cache of notes (recent_notes.h). */
#define HOT_RECENT 64

struct recent_note {
	uint64_t mixed; /* id ^ word */
	uint64_t word;  /* the note; 0 if the entry is unused */
	/*
	 * function of the context that was recorded last below this one, or 0
	 */
	uint32_t last_callee;
};

/* Notes of the functions that are expected next (foresight.h). */
#define HOT_FORESIGHT_LOG2 12

/*
 * The latest context whose callers were searched for a recursive function, and
 * its callers, by depth (recursion.c). Contexts that are searched one after the
 * other have nearly all callers in common. Written by the outermost slow path
 * of the owner.
 */
#define HOT_ANCESTRY_DEPTH 512

struct hot_ancestry {
	/* Depth of the latest context; 0 while the arrays are written. */
	uint32_t depth;
	uint32_t functions[HOT_ANCESTRY_DEPTH];
	uint64_t ids[HOT_ANCESTRY_DEPTH];
};

struct tally {
	/*
	 * The following members, up to paths[], are written by slow paths of
	 * the owner and of its signal handlers, one word at a time
	 * (hot/record.c). When the tally grows they are written with signals
	 * blocked.
	 */
	struct wire_tally *wire;
	struct wire_count *table;
	union note *notes; /* notes[i] belongs to table[i] */
	uint64_t mask;     /* entries - 1 */
	uint64_t used;     /* number of claimed entries */
	/* value of `used` at which hot_make_room() must be called */
	uint64_t limit;
	uintptr_t next_context, end_context;
	/* records that are reserved for "(folded)" */
	uintptr_t next_spare, end_spare;
	uint32_t has_folds; /* whether a context "(folded)" exists */
	/* why the latest context could not be recorded */
	enum wire_fold refusal;
	/* number of active slow paths; 2 or more if signal handlers run */
	uint32_t busy;
	/* Stress builds: set if slow paths have been nested. */
	uint32_t was_reentered;
	/*
	 * Stack addresses of the frames of the active slow paths, outermost
	 * first.
	 */
	uintptr_t paths[TALLY_PATHS_MAX];

	/*
	 * The owner (record/tallies.c). These members are written with the
	 * tallies' lock held when a thread begins to count in the tally; `next`
	 * and `number` when the tally is created.
	 */
	struct tally *next;
	uint32_t number;
	uint32_t tid; /* tid of the owner, or of the last owner */
	/* The owner's record in the recording, or NULL if there was no room. */
	struct wire_thread *thread;
	const struct hot_thread *hot; /* thread-local data of the owner */
	/*
	 * The tally was created for a thread that has not begun to count in it
	 * (time/early_tallies.h). Written with the tallies' lock held.
	 */
	uint32_t is_early;

	struct tally_memory memory;
	struct tally_ticks ticks;
	struct tally_unsampled unsampled;
	struct tally_visits visits;
	struct tally_histograms histograms;
	struct tally_presence presence;
	struct tally_packets packets;
	struct recent_note recent[HOT_RECENT];
	uint32_t foresight[1 << HOT_FORESIGHT_LOG2];
	struct hot_ancestry ancestry;
	/*
	 * hot.aside of the tally's first owner points here. The last member of
	 * this struct is a window of 16 KiB, whose pages most threads never
	 * use.
	 */
	struct hot_aside aside;
};

static inline void tally_place_path(struct tally *tally, uint32_t number,
				    const void *frame)
{
	if (number < TALLY_PATHS_MAX)
		tally->paths[number] = (uintptr_t)frame;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Marks the beginning of a slow path. The result is the argument of
 * tally_leave_path(). A handler that interrupts the slow path restores `busy`
 * when it returns. If a handler jumps out of it, the landing corrects `busy` by
 * the stored stack addresses (landing.c).
 */
static inline uint32_t tally_enter_path(struct tally *tally, const void *frame)
{
	uint32_t busy = tally->busy;

	tally_place_path(tally, busy, frame);
	tally->busy = busy + 1;
	if (CLEW_STRESS && busy)
		tally->was_reentered = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	/* A signal handler may have overwritten the frame's address. */
	tally_place_path(tally, busy, frame);
	return busy;
}

static inline void tally_leave_path(struct tally *tally, uint32_t busy)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tally->busy = busy;
}

/* The table with its notes and its mask, as they were at one moment. */
struct view {
	struct wire_count *table;
	union note *notes;
	uint64_t mask;
};

/*
 * Returns the present table. A signal handler may replace the table between two
 * loads, and has completed the change when it returns, so the loads are
 * repeated until they fit together.
 */
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
 * Returns the entry of id, or the free entry where it belongs. Skips entries
 * that are claimed and not published. Does not read notes, because they lie
 * elsewhere and would cost another cache miss for each new context.
 */
static inline struct wire_count *view_find(const struct view *view, uint64_t id)
{
	uint64_t i = wire_count_home(id, view->mask);

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
 * Returns the note of a context; word is 0 if it is not recorded here. The root
 * is never recorded: the search for its id, 0, ends at a free entry, whose note
 * is 0.
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
