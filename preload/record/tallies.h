/* SPDX-License-Identifier: MIT */
/*
 * The tallies of a process, and the threads that count in them.
 *
 * A tally outlives its thread: once there are TALLY_OWN_MAX of them, a thread
 * that starts takes over one whose owner is gone and counts on in it, so that
 * ten thousand short threads share a few tallies and meet contexts that are
 * already known. Whether an owner is gone is asked of the kernel; no promise
 * of the program's threads to say goodbye is needed.
 */
#ifndef CLEW_RECORD_TALLIES_H
#define CLEW_RECORD_TALLIES_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"

#define TALLY_OWN_MAX 64

struct tallies {
	struct lock lock; /* taken before the part's, never after */
	struct part *part;
	struct tally *first;   /* newest first */
	struct tally *suspect; /* next to be asked whether its owner lives */
	/* By number; the array only grows, and the former ones stay. */
	struct tally **by_number;
	uint32_t room;
	uint32_t count;              /* stored last */
	_Atomic uint32_t histograms; /* of functions, in all (histograms.c) */
	uint64_t reach; /* bytes, of the thread that forked (table_alias.h) */
	struct chunk threads; /* newest chunk of wire_threads */
	uint32_t threads_left;
	struct tally_slab *slabs; /* memory for struct tally; newest first */
	unsigned char *slab;      /* the newest's that is not used yet */
	size_t slab_left;
};

/* The tally of a number, or NULL. Safe in signal handlers. */
struct tally *tallies_find(const struct tallies *tallies, uint32_t number);

/* The calling thread is new; what it has of another thread's is not its own. */
void tallies_begin_thread(void);

/*
 * Makes a tally for another thread, which has none: with signals blocked, under the
 * lock. The thread gets it by hot_early_tally(). NULL: there is no room.
 */
struct tally *tallies_make_early(struct tallies *tallies,
				 const struct hot_thread *thread, uint32_t tid);

/* Room for so many contexts more of the calling thread's. 0 or -errno. */
int tallies_reserve(uint64_t contexts);

/*
 * In the forked child: forget the parent's tallies. The calling thread's own
 * stays readable until tally_leave_to_parent().
 */
void tallies_reset_after_fork(struct tallies *tallies, struct part *part);

/* Unmap what they have beside the part. No thread has a tally of these. */
void tallies_unmap(struct tallies *tallies);

/* The calling thread is about to end the process: give back what it can. */
void tallies_finish_thread(void);

/* The calling thread has a new name. Any thread. */
void tallies_thread_renamed(void);

/* Look up the names of all living threads once more. Any thread. */
void tallies_refresh_names(struct tallies *tallies);

#endif
