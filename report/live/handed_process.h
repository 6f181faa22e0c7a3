/* SPDX-License-Identifier: MIT */
/*
 * A process that runs, whose packets workers count, each in a table of its own; and the file
 * in which their counts are kept (wire/taken.h). Any number of workers at a time.
 */
#ifndef CLEW_LIVE_HANDED_PROCESS_H
#define CLEW_LIVE_HANDED_PROCESS_H

#include <pthread.h>

#include "report/live/handed_trace.h"
#include "report/merge/packet_counter.h"

/* A packet that was counted, and which one it was of those that come to its place. */
struct handed_done {
	struct handed_packet *packet;
	uint64_t sequence;
};

/* Of these, so many. */
struct handed_list {
	struct handed_done *items;
	size_t count, capacity;
};

/* What one worker has counted. */
struct handed_share {
	pthread_mutex_t
		lock; /* of what follows: its worker's or the writer's */
	struct packet_counter counter;
	struct handed_list done; /* not in the file yet */
};

struct handed_process {
	pthread_mutex_t taking; /* of the trace */
	struct handed_trace trace;
	pthread_mutex_t writing; /* of what follows */
	char *path, *new_path;   /* of the file, and before it is renamed */
	uint64_t taken;          /* packets that are in it */
	uint64_t written_ns;     /* CLOCK_MONOTONIC, the last time */
	int err;                 /* of that: 0, or -errno */
	int is_given_up;         /* tables are freed; nothing more is written */
	_Atomic uint64_t pending;  /* packets that are not */
	_Atomic uint64_t contexts; /* of all workers */
	_Atomic uint64_t places;   /* for packets, in the trace */
	unsigned int workers;
	struct handed_share shares[];
};

/* Of the trace at a path. 0, -EAGAIN if that has only begun, or other -errno. */
int handed_process_open(struct handed_process **process, const char *path,
			unsigned int workers);
void handed_process_close(struct handed_process *process);

/*
 * A worker, by its number, counts a packet if one is full. Whether one was. words[] has
 * PACKET_WORDS_MAX, and is the worker's.
 */
int handed_process_count(struct handed_process *process, unsigned int worker,
			 uint32_t *words);

/*
 * Writes what was counted since the last time, if it is time for that or `is_urgent`, and
 * gives the packets back.
 */
void handed_process_write(struct handed_process *process, int is_urgent);

/*
 * Returns how many bytes the tables and the next write may take until they have
 * grown once more. Any thread.
 */
uint64_t handed_process_growth(struct handed_process *process);

/*
 * Writes the rest, frees the tables, and announces that no worker counts any
 * more. No worker may be counting. Does nothing the second time.
 */
void handed_process_give_up(struct handed_process *process,
			    enum wire_given_up reason);

/* Whether it is time for that: a thread waits, or much was counted. */
int handed_process_is_due(const struct handed_process *process);

#endif
