/* SPDX-License-Identifier: MIT */
/*
 * The tallies of a process, and the threads that count in them.
 *
 * A tally outlives its thread. Once there are TALLY_OWN_MAX tallies, a new
 * thread continues to count in a tally whose owner has exited. Therefore ten
 * thousand short threads share a few tallies, in which most contexts are
 * recorded already. A system call shows whether an owner has exited, so threads
 * need not announce their end.
 */
#ifndef CLEW_RECORD_TALLIES_H
#define CLEW_RECORD_TALLIES_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"

#define TALLY_OWN_MAX 64

struct tallies {
	struct lock lock; /* taken before the part's lock, never after it */
	struct part *part;
	struct tally *first;   /* the newest tally */
	struct tally *suspect; /* the tally whose owner is checked next */
	/*
	 * All tallies, indexed by number. When the array grows, the former one
	 * stays readable.
	 */
	struct tally **by_number;
	uint32_t room;  /* capacity of by_number */
	uint32_t count; /* number of tallies; stored after by_number */
	/* Number of histograms in all tallies (histograms.c). */
	_Atomic uint32_t histograms;
	/*
	 * In a forked child: how many bytes must be readable from the start of
	 * the thread's table (table_alias.h).
	 */
	uint64_t reach;
	struct chunk threads; /* newest chunk of wire_threads */
	uint32_t threads_left;
	struct tally_slab *slabs; /* memory for struct tally; newest first */
	unsigned char *slab;      /* unused memory of the newest slab */
	size_t slab_left;
};

/* Returns the tally with this number, or NULL. Safe in signal handlers. */
struct tally *tallies_find(const struct tallies *tallies, uint32_t number);

/*
 * Resets the state of the calling thread when the thread begins: its block may
 * still have the state of another thread.
 */
void tallies_begin_thread(void);

/*
 * Creates a tally for another thread, which has none and will get it by
 * hot_early_tally(). Returns NULL if there is no room. Called with signals
 * blocked and the lock held.
 */
struct tally *tallies_make_early(struct tallies *tallies,
				 const struct hot_thread *thread, uint32_t tid);

/*
 * Makes room for this many more contexts of the calling thread. Returns 0 or
 * -errno.
 */
int tallies_reserve(uint64_t contexts);

/*
 * In a forked child: forgets the parent's tallies. The calling thread's own
 * tally stays readable until tally_separate_from_parent().
 */
void tallies_reset_after_fork(struct tallies *tallies, struct part *part);

/*
 * Unmaps the structs of tallies and what tally_unmap() unmaps, which are not in
 * the recording's file. No thread may use a tally any more.
 */
void tallies_unmap(struct tallies *tallies);

/*
 * Moves late counts out of the calling thread's retired table, before the
 * recording ends.
 */
void tallies_finish_thread(void);

/*
 * Records the new name of the calling thread. Any thread may call this
 * function.
 */
void tallies_thread_renamed(void);

/*
 * Records the present names of all existing threads. Any thread may call this
 * function.
 */
void tallies_refresh_names(struct tallies *tallies);

#endif
