/* SPDX-License-Identifier: MIT */
/*
 * A running process whose packets are counted by workers, each in its own
 * table, and the file that stores their counts (wire/taken.h). Workers may run
 * concurrently.
 */
#ifndef CLEW_LIVE_HANDED_PROCESS_H
#define CLEW_LIVE_HANDED_PROCESS_H

#include <pthread.h>

#include "report/live/handed_trace.h"
#include "report/merge/packet_counter.h"

/*
 * A counted packet. `sequence` distinguishes it from later packets at the same
 * location.
 */
struct handed_done {
	struct handed_packet *packet;
	uint64_t sequence;
};

struct handed_list {
	struct handed_done *items;
	size_t count, capacity;
};

/* Counts of one worker. */
struct handed_share {
	/*
	 * Protects the following members, which the worker and the writer use.
	 */
	pthread_mutex_t lock;
	struct packet_counter counter;
	struct handed_list done; /* packets that are not yet in the file */
};

struct handed_process {
	pthread_mutex_t taking; /* protects the trace */
	struct handed_trace trace;
	pthread_mutex_t writing; /* protects the following members */
	char *path, *new_path; /* path of the file, and of the temporary file */
	uint64_t taken;        /* number of packets in the file */
	uint64_t written_ns;   /* CLOCK_MONOTONIC of the last write */
	int err;               /* result of the last write: 0 or -errno */
	/* whether the tables are freed and nothing more is written */
	int is_given_up;
	/* number of counted packets that are not in the file */
	_Atomic uint64_t pending;
	/* number of contexts, the sum over all workers */
	_Atomic uint64_t contexts;
	/* number of chunks for packets in the trace */
	_Atomic uint64_t places;
	unsigned int workers;
	struct handed_share shares[];
};

/*
 * Opens the process of the trace at `path`. Returns 0, -EAGAIN if the trace is
 * not yet initialised, or another -errno.
 */
int handed_process_open(struct handed_process **process, const char *path,
			unsigned int workers);
void handed_process_close(struct handed_process *process);

/*
 * Counts one full packet as worker number `worker`. Returns whether there was
 * one. words[] has room for PACKET_WORDS_MAX and belongs to the worker.
 */
int handed_process_count(struct handed_process *process, unsigned int worker,
			 uint32_t *words);

/*
 * Writes the counts to the file and returns their packets to the process, if
 * is_urgent is set, a thread waits for a packet or soon will, or the last write
 * was some time ago. Does nothing while another thread writes, unless is_urgent
 * is set. After an error, which `err` then contains, the packets remain
 * pending.
 */
void handed_process_write(struct handed_process *process, int is_urgent);

/*
 * Returns how many bytes are allocated if the table of each worker grows once
 * and the counts are then written. Any thread may call this function.
 */
uint64_t handed_process_growth(struct handed_process *process);

/*
 * Writes the rest, frees the tables, and announces that no worker counts any
 * more. No worker may be counting. Does nothing the second time.
 */
void handed_process_give_up(struct handed_process *process,
			    enum wire_given_up reason);

/*
 * Returns whether the counts should be written: a thread waits for a packet or
 * soon will, and enough packets are pending to be worth a write.
 */
int handed_process_is_due(const struct handed_process *process);

#endif
