/* SPDX-License-Identifier: MIT */
/* See packet_workers.h. */
#include "report/live/packet_workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/new_files.h"
#include "base/now.h"
#include "base/suffix.h"
#include "report/live/handed_process.h"
#include "wire/packet.h"

/* pause while no packet is full; doubled each time */
#define REST_NS      1000000
#define REST_NS_MOST 16000000
/* a file that is no trace after this time is ignored */
#define BEGINNING_NS 1000000000
#define STACK_BYTES  (256 << 10)
#define ROOM_NS      10000000 /* interval between requests for memory */

/* A new file that may not be an initialised trace yet. */
struct young_trace {
	char *path;
	uint64_t since_ns;
};

struct workers_thread {
	struct packet_workers *workers;
	unsigned int number;
	pthread_t thread;
	uint32_t words[PACKET_WORDS_MAX];
};

struct packet_workers {
	char *folder;
	struct new_files *new_files;
	_Atomic int is_ending;
	int (*may_take)(uint64_t bytes);
	/* whether the last request for memory was refused */
	_Atomic int is_short;
	_Atomic uint64_t requested_ns; /* CLOCK_MONOTONIC of the last request */
	/* number of threads that may count packets */
	_Atomic unsigned int counting;
	pthread_mutex_t finding; /* protects the beginnings */
	struct young_trace *beginnings;
	size_t beginning_count, beginning_capacity;
	/* protects the list; its elements do not move */
	pthread_rwlock_t listing;
	struct handed_process **processes;
	size_t count, capacity;
	unsigned int wanted; /* number of threads */
	unsigned int thread_count;
	struct workers_thread threads[];
};

/* ---- Processes ---- */

static void add_beginning(void *context, const char *name)
{
	struct packet_workers *workers = context;

	if (!suffix_stem(name, WIRE_TRACE_SUFFIX))
		return;
	workers->beginnings = memory_grow(
		workers->beginnings, workers->beginning_count,
		&workers->beginning_capacity, sizeof(*workers->beginnings));
	workers->beginnings[workers->beginning_count++] = (struct young_trace){
		.path = memory_printf("%s/%s", workers->folder, name),
		.since_ns = now_ns(CLOCK_MONOTONIC),
	};
}

/*
 * Opens a new trace, and adds its process to the list. Returns whether the file
 * needs no further check: it was opened, cannot be opened, or is not
 * initialised after BEGINNING_NS.
 */
static int begin(struct packet_workers *workers,
		 const struct young_trace *beginning)
{
	struct handed_process *process;
	const int err =
		handed_process_open(&process, beginning->path, workers->wanted);

	if (err == -EAGAIN)
		return now_ns(CLOCK_MONOTONIC) - beginning->since_ns >
		       BEGINNING_NS;
	if (err)
		return 1;
	pthread_rwlock_wrlock(&workers->listing);
	workers->processes = memory_grow(workers->processes, workers->count,
					 &workers->capacity,
					 sizeof(struct handed_process *));
	workers->processes[workers->count++] = process;
	pthread_rwlock_unlock(&workers->listing);
	return 1;
}

/*
 * Finds new traces. Only one thread does this at a time; others continue
 * counting.
 */
static void find_processes(struct packet_workers *workers)
{
	size_t left = 0;

	if (pthread_mutex_trylock(&workers->finding) != 0)
		return;
	new_files_each(workers->new_files, add_beginning, workers);
	for (size_t i = 0; i < workers->beginning_count; i++) {
		struct young_trace *beginning = &workers->beginnings[i];

		if (begin(workers, beginning))
			free(beginning->path);
		else
			workers->beginnings[left++] = *beginning;
	}
	workers->beginning_count = left;
	pthread_mutex_unlock(&workers->finding);
}

static struct handed_process *process_at(struct packet_workers *workers,
					 size_t i)
{
	struct handed_process *process;

	pthread_rwlock_rdlock(&workers->listing);
	process = i < workers->count ? workers->processes[i] : NULL;
	pthread_rwlock_unlock(&workers->listing);
	return process;
}

/* ---- Memory ---- */

/*
 * Requests the memory that all processes' counts may need until the next
 * request.
 */
static void request_memory(struct packet_workers *workers)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);
	uint64_t requested = atomic_load(&workers->requested_ns);
	struct handed_process *process;
	uint64_t bytes = 0;

	if (now - requested < ROOM_NS ||
	    !atomic_compare_exchange_strong(&workers->requested_ns, &requested,
					    now))
		return;
	for (size_t i = 0; (process = process_at(workers, i)); i++)
		bytes += handed_process_growth(process);
	if (!workers->may_take(bytes))
		atomic_store(&workers->is_short, 1);
}

/* Lets the threads of all processes count their calls themselves. */
static void give_up(struct packet_workers *workers)
{
	struct handed_process *process;

	for (size_t i = 0; (process = process_at(workers, i)); i++)
		handed_process_give_up(process, WIRE_WORKERS_SHORT);
}

/* ---- Threads ---- */

/*
 * Counts the packets of a process that are full now. Packets that become full
 * meanwhile are left for the next round, so that other processes get their
 * turn.
 */
static int count_some(struct workers_thread *thread,
		      struct handed_process *process)
{
	uint64_t most = 1, done = 0;

	while (done < most && !atomic_load(&thread->workers->is_short) &&
	       handed_process_count(process, thread->number, thread->words)) {
		done++;
		most = process->places;
		if (handed_process_is_due(process))
			handed_process_write(process, 0);
		request_memory(thread->workers);
	}
	return done > 0;
}

/*
 * Counts the full packets of all processes. *latest is the last process that
 * had full packets.
 */
static int count_all(struct workers_thread *thread,
		     struct handed_process **latest)
{
	struct handed_process *process;
	int has_some = 0;

	for (size_t i = 0; (process = process_at(thread->workers, i)); i++)
		if (count_some(thread, process)) {
			*latest = process;
			has_some = 1;
		}
	return has_some;
}

static void rest(struct handed_process *process, uint64_t ns)
{
	const struct timespec most = { .tv_nsec = (long)ns };

	if (process)
		handed_trace_sleep(&process->trace, ns);
	else
		nanosleep(&most, NULL);
}

/*
 * Calls give_up() again and again, because processes that begin later must
 * count their calls themselves, too.
 */
static void give_up_until_the_end(struct packet_workers *workers)
{
	while (!atomic_load(&workers->is_ending)) {
		find_processes(workers);
		give_up(workers);
		rest(NULL, REST_NS_MOST);
	}
	find_processes(workers);
	give_up(workers);
}

static void *run(void *argument)
{
	struct workers_thread *thread = argument;
	struct packet_workers *workers = thread->workers;
	struct handed_process *latest = NULL, *process;
	uint64_t rest_ns = REST_NS;
	int is_ending;

	do {
		is_ending = atomic_load(&workers->is_ending);
		find_processes(workers);
		if (atomic_load(&workers->is_short))
			break;
		if (count_all(thread, &latest)) {
			rest_ns = REST_NS;
			continue;
		}
		for (size_t i = 0; (process = process_at(workers, i)); i++)
			handed_process_write(process, 0);
		if (!is_ending)
			rest(latest ? latest : process_at(workers, 0), rest_ns);
		if (rest_ns < REST_NS_MOST)
			rest_ns *= 2;
	} while (!is_ending);
	/* The last counting thread ends the counting of processes. */
	if (atomic_fetch_sub(&workers->counting, 1) == 1 &&
	    atomic_load(&workers->is_short))
		give_up_until_the_end(workers);
	return NULL;
}

/* ---- Beginning and end ---- */

static int start_threads(struct packet_workers *workers, unsigned int count)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int err = 0;

	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned int i = 0; i < count && !err; i++) {
		struct workers_thread *thread = &workers->threads[i];

		thread->workers = workers;
		thread->number = i;
		err = -pthread_create(&thread->thread, &attributes, run,
				      thread);
		workers->thread_count += !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return err;
}

int packet_workers_start(struct packet_workers **workers, const char *folder,
			 unsigned int count, int (*may_take)(uint64_t bytes),
			 char **why)
{
	struct packet_workers *made = memory_zeroed(
		1, sizeof(*made) + count * sizeof(*made->threads));
	int err;

	made->wanted = count;
	made->counting = count;
	made->may_take = may_take;
	made->folder = memory_printf("%s", folder);
	pthread_mutex_init(&made->finding, NULL);
	pthread_rwlock_init(&made->listing, NULL);
	made->new_files = new_files_begin(folder);
	err = made->new_files ? start_threads(made, count) : -errno;
	if (err) {
		packet_workers_stop(made, why);
		return fail(why, err, "%u workers: %s", count, strerror(-err));
	}
	*workers = made;
	return 0;
}

int packet_workers_stop(struct packet_workers *workers, char **why)
{
	int err = 0;

	atomic_store(&workers->is_ending, 1);
	for (unsigned int i = 0; i < workers->thread_count; i++)
		pthread_join(workers->threads[i].thread, NULL);
	for (size_t i = 0; i < workers->count; i++) {
		struct handed_process *process = workers->processes[i];

		handed_process_give_up(process, WIRE_WORKERS_ENDED);
		if (process->err && !err)
			err = fail(why, process->err, "%s: %s", process->path,
				   strerror(-process->err));
		handed_process_close(process);
	}
	for (size_t i = 0; i < workers->beginning_count; i++)
		free(workers->beginnings[i].path);
	new_files_end(workers->new_files);
	free(workers->beginnings);
	free(workers->processes);
	free(workers->folder);
	pthread_mutex_destroy(&workers->finding);
	pthread_rwlock_destroy(&workers->listing);
	free(workers);
	return err;
}
