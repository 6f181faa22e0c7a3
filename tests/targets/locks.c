/* SPDX-License-Identifier: MIT */
/*
 * locks HOW: takes locks of all kinds in known functions. The program counts
 * its operations and measures their durations, from just outside and from just
 * inside. For each function it writes to LOCKS_TRUTH/PID: "NAME ACQUISITIONS
 * CONTENDED REFUSED CONDITION_WAITS", and the minimum and maximum of hold, wait
 * and condition_wait in ns. HOW is its end: "exit", "_exit" or "abort". Prints
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLACE        __attribute__((noinline, visibility("default")))
#define RACERS       4
#define RACES        5000
#define TIMEOUT_NS   20000000
#define SYSTEM_FUTEX 202

struct interval {
	_Atomic uint64_t least, most;
};

/* The truth of one function. */
struct lock_place {
	const char *name;
	_Atomic uint64_t acquisitions, contended, refused, conditions;
	struct interval hold, wait, condition;
	struct lock_place *next;
};

static struct lock_place *_Atomic places;
static _Atomic int errors;

/* Registers the current function. */
#define HERE()                                                                 \
	static struct lock_place here_is = { .name = __func__ };               \
	struct lock_place *const here = known(&here_is)

static struct lock_place *known(struct lock_place *place)
{
	static int is_busy;

	while (__atomic_exchange_n(&is_busy, 1, __ATOMIC_ACQUIRE))
		;
	if (!place->next) {
		place->next = places ? places : (struct lock_place *)&places;
		places = place;
	}
	__atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
	return place;
}

static void check(int is_true)
{
	if (!is_true)
		errors++;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* A hold, measured from inside and from outside. */
struct seen {
	uint64_t before, since;
};

#define TAKE(seen, taking)                                                     \
	do {                                                                   \
		(seen)->before = now();                                        \
		check((taking) == 0);                                          \
		(seen)->since = now();                                         \
		here->acquisitions++;                                          \
	} while (0)

#define RELEASE(seen, releasing)                                               \
	do {                                                                   \
		const uint64_t end = now();                                    \
                                                                               \
		check((releasing) == 0);                                       \
		here->hold.least += end - (seen)->since;                       \
		here->hold.most += now() - (seen)->before;                     \
	} while (0)

static pthread_mutex_t early_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) PLACE void early(void)
{
	struct seen seen;

	HERE();
	TAKE(&seen, pthread_mutex_lock(&early_lock));
	RELEASE(&seen, pthread_mutex_unlock(&early_lock));
}

PLACE void plain(int times)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct seen seen;

	HERE();
	for (int i = 0; i < times; i++) {
		TAKE(&seen, pthread_mutex_lock(&lock));
		RELEASE(&seen, pthread_mutex_unlock(&lock));
	}
}

static void init(pthread_mutex_t *lock, int kind, int is_robust)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, kind);
	if (is_robust)
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(lock, &attributes);
}

PLACE void recursive(void)
{
	pthread_mutex_t lock;
	struct seen seen, inner;

	HERE();
	init(&lock, PTHREAD_MUTEX_RECURSIVE, 0);
	for (int i = 0; i < 100; i++) {
		TAKE(&seen, pthread_mutex_lock(&lock));
		TAKE(&inner, pthread_mutex_lock(&lock));
		TAKE(&inner, pthread_mutex_trylock(&lock));
		check(pthread_mutex_unlock(&lock) == 0);
		check(pthread_mutex_unlock(&lock) == 0);
		RELEASE(&seen, pthread_mutex_unlock(&lock));
	}
	pthread_mutex_destroy(&lock);
}

static void *misuses(void *lock)
{
	check(pthread_mutex_unlock(lock) == EPERM);
	return NULL;
}

static void in_thread(void *(*what)(void *), void *argument)
{
	pthread_t thread;

	check(pthread_create(&thread, NULL, what, argument) == 0);
	check(pthread_join(thread, NULL) == 0);
}

PLACE void error_checking(void)
{
	pthread_mutex_t lock;
	struct seen seen;

	HERE();
	init(&lock, PTHREAD_MUTEX_ERRORCHECK, 0);
	check(pthread_mutex_unlock(&lock) == EPERM);
	TAKE(&seen, pthread_mutex_lock(&lock));
	check(pthread_mutex_lock(&lock) == EDEADLK);
	in_thread(misuses, &lock);
	RELEASE(&seen, pthread_mutex_unlock(&lock));
	check(pthread_mutex_unlock(&lock) == EPERM);
	pthread_mutex_destroy(&lock);
}

PLACE void *dies_with_it(void *lock)
{
	HERE();
	check(pthread_mutex_lock(lock) == 0);
	here->acquisitions++;
	return NULL;
}

PLACE void robust(void)
{
	pthread_mutex_t lock;
	struct seen seen;
	int result = 0;

	HERE();
	init(&lock, PTHREAD_MUTEX_NORMAL, 1);
	in_thread(dies_with_it, &lock);
	TAKE(&seen,
	     (result = pthread_mutex_lock(&lock)) == EOWNERDEAD ? 0 : result);
	check(result == EOWNERDEAD);
	check(pthread_mutex_consistent(&lock) == 0);
	RELEASE(&seen, pthread_mutex_unlock(&lock));
	TAKE(&seen, pthread_mutex_lock(&lock));
	RELEASE(&seen, pthread_mutex_unlock(&lock));
	pthread_mutex_destroy(&lock);
}

/* ---- Released by another thread ---- */

static pthread_mutex_t handed = PTHREAD_MUTEX_INITIALIZER;
static struct seen handed_seen;

PLACE void *hands_over(void *argument)
{
	HERE();
	TAKE(&handed_seen, pthread_mutex_lock(&handed));
	return argument;
}

PLACE void takes_over(void)
{
	struct lock_place *here;

	in_thread(hands_over, NULL);
	here = places; /* the function that the hold is counted for */
	while (strcmp(here->name, "hands_over") != 0)
		here = here->next;
	RELEASE(&handed_seen, pthread_mutex_unlock(&handed));
}

/* ---- Refused ---- */

static struct timespec soon(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += TIMEOUT_NS;
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return time;
}

PLACE void *gives_up(void *lock)
{
	struct timespec until = soon(CLOCK_REALTIME);
	uint64_t before;

	HERE();
	for (int i = 0; i < 3; i++)
		check(pthread_mutex_trylock(lock) == EBUSY);
	before = now();
	check(pthread_mutex_timedlock(lock, &until) == ETIMEDOUT);
	here->wait.most += now() - before;
	here->refused += 4;
	return NULL;
}

PLACE void *gives_up_reading(void *lock)
{
	struct timespec until = soon(CLOCK_MONOTONIC);
	uint64_t before;

	HERE();
	check(pthread_rwlock_tryrdlock(lock) == EBUSY);
	check(pthread_rwlock_trywrlock(lock) == EBUSY);
	before = now();
	check(pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &until) ==
	      ETIMEDOUT);
	here->wait.most += now() - before;
	here->refused += 3;
	return NULL;
}

PLACE void keeps(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
	struct seen seen;

	HERE();
	TAKE(&seen, pthread_mutex_lock(&lock));
	in_thread(gives_up, &lock);
	RELEASE(&seen, pthread_mutex_unlock(&lock));
	TAKE(&seen, pthread_rwlock_wrlock(&both));
	in_thread(gives_up_reading, &both);
	RELEASE(&seen, pthread_rwlock_unlock(&both));
}

/* ---- Contended ---- */

static pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int waiter;

/* Waits until the thread `waiter` waits for the lock, according to /proc. */
static void until_it_waits(const void *lock)
{
	char path[64], text[64];
	unsigned long number, at;

	for (;;) {
		int file, is_it;
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall",
			 waiter);
		file = waiter ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		if (file < 0)
			continue;
		length = read(file, text, sizeof(text) - 1);
		close(file);
		text[length > 0 ? length : 0] = 0;
		is_it = sscanf(text, "%lu 0x%lx", &number, &at) == 2 &&
			number == SYSTEM_FUTEX && at >= (uintptr_t)lock &&
			at < (uintptr_t)lock + sizeof(pthread_cond_t);
		if (is_it)
			return;
	}
}

PLACE void *wants(void *least)
{
	struct seen seen;

	HERE();
	waiter = (int)syscall(SYS_gettid);
	TAKE(&seen, pthread_mutex_lock(&wanted));
	here->contended++;
	here->wait.least += *(_Atomic uint64_t *)least;
	here->wait.most += seen.since - seen.before;
	RELEASE(&seen, pthread_mutex_unlock(&wanted));
	return NULL;
}

PLACE void contends(void)
{
	_Atomic uint64_t least = 0;
	struct seen seen;
	pthread_t thread;
	uint64_t begin;

	HERE();
	waiter = 0;
	TAKE(&seen, pthread_mutex_lock(&wanted));
	check(pthread_create(&thread, NULL, wants, &least) == 0);
	until_it_waits(&wanted);
	begin = now();
	while (now() - begin < TIMEOUT_NS)
		;
	least = now() - begin;
	RELEASE(&seen, pthread_mutex_unlock(&wanted));
	check(pthread_join(thread, NULL) == 0);
}

PLACE void *races(void *lock)
{
	struct seen seen;

	HERE();
	for (int i = 0; i < RACES; i++) {
		TAKE(&seen, pthread_mutex_lock(lock));
		here->wait.most += seen.since - seen.before;
		RELEASE(&seen, pthread_mutex_unlock(lock));
	}
	return NULL;
}

PLACE void *reads(void *lock)
{
	struct seen seen, again;

	HERE();
	for (int i = 0; i < RACES; i++) {
		TAKE(&seen, pthread_rwlock_rdlock(lock));
		TAKE(&again, pthread_rwlock_tryrdlock(lock));
		here->wait.most += seen.since - seen.before;
		RELEASE(&again, pthread_rwlock_unlock(lock));
		RELEASE(&seen, pthread_rwlock_unlock(lock));
	}
	return NULL;
}

PLACE void *writes(void *lock)
{
	struct seen seen;

	HERE();
	for (int i = 0; i < RACES; i++) {
		TAKE(&seen, pthread_rwlock_wrlock(lock));
		here->wait.most += seen.since - seen.before;
		RELEASE(&seen, pthread_rwlock_unlock(lock));
	}
	return NULL;
}

static void in_threads(void *(*what)(void *), void *argument)
{
	pthread_t threads[RACERS];

	for (int i = 0; i < RACERS; i++)
		check(pthread_create(&threads[i], NULL, what, argument) == 0);
	for (int i = 0; i < RACERS; i++)
		check(pthread_join(threads[i], NULL) == 0);
}

/* ---- Conditions ---- */

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t of_condition = PTHREAD_MUTEX_INITIALIZER;
static int is_woken;

PLACE void *sleeps(void *least)
{
	struct seen seen;

	HERE();
	waiter = (int)syscall(SYS_gettid);
	TAKE(&seen, pthread_mutex_lock(&of_condition));
	while (!is_woken) {
		const uint64_t before = now();

		here->hold.least += before - seen.since;
		check(pthread_cond_wait(&condition, &of_condition) == 0);
		here->conditions++;
		here->hold.most += now() - seen.before;
		seen.since = now();
		here->condition.most += seen.since - before;
		seen.before = before;
	}
	here->condition.least += *(uint64_t *)least;
	RELEASE(&seen, pthread_mutex_unlock(&of_condition));
	return NULL;
}

PLACE void wakes(void)
{
	uint64_t least = 0, begin;
	struct seen seen;
	pthread_t thread;

	HERE();
	waiter = 0;
	is_woken = 0;
	check(pthread_create(&thread, NULL, sleeps, &least) == 0);
	until_it_waits(&condition);
	begin = now();
	while (now() - begin < TIMEOUT_NS)
		;
	TAKE(&seen, pthread_mutex_lock(&of_condition));
	is_woken = 1;
	least = now() - begin;
	RELEASE(&seen, pthread_mutex_unlock(&of_condition));
	check(pthread_cond_signal(&condition) == 0);
	check(pthread_join(thread, NULL) == 0);
}

PLACE void times_out(void)
{
	struct timespec until = soon(CLOCK_REALTIME);
	struct seen seen;
	uint64_t before;
	int result;

	HERE();
	TAKE(&seen, pthread_mutex_lock(&of_condition));
	do {
		before = now();
		here->hold.least += before - seen.since;
		result = pthread_cond_timedwait(&condition, &of_condition,
						&until);
		here->conditions++;
		here->hold.most += now() - seen.before;
		seen.since = now();
		here->condition.most += seen.since - before;
		seen.before = before;
	} while (result == 0);
	check(result == ETIMEDOUT);
	RELEASE(&seen, pthread_mutex_unlock(&of_condition));
}

/*
 * Runs when a thread is cancelled in a condition wait: the lock is held again
 * and is released.
 */
static void gives_back(void *lock)
{
	check(pthread_mutex_unlock(lock) == 0);
}

PLACE void *is_cancelled(void *lock)
{
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	HERE();
	check(pthread_mutex_lock(lock) == 0);
	here->acquisitions++;
	here->hold.most += UINT64_MAX >> 2; /* not measured */
	here->condition.most += UINT64_MAX >> 2;
	waiter = (int)syscall(SYS_gettid);
	pthread_cleanup_push(gives_back, lock);
	for (;;) {
		here->conditions++;
		pthread_cond_wait(&never, lock);
	}
	pthread_cleanup_pop(0);
	return NULL;
}

PLACE void cancels(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct seen seen;
	pthread_t thread;
	void *result;

	HERE();
	waiter = 0;
	check(pthread_create(&thread, NULL, is_cancelled, &lock) == 0);
	while (!waiter)
		;
	check(pthread_cancel(thread) == 0);
	check(pthread_join(thread, &result) == 0);
	check(result == PTHREAD_CANCELED);
	TAKE(&seen, pthread_mutex_lock(&lock));
	RELEASE(&seen, pthread_mutex_unlock(&lock));
}

/* ---- Ends ---- */

static void write_truth(void)
{
	const char *folder = getenv("LOCKS_TRUTH");
	struct lock_place *place = places;
	char path[4096];
	int file;

	snprintf(path, sizeof(path), "%s/%d", folder ? folder : "/nowhere",
		 getpid());
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (; file >= 0 && place != (struct lock_place *)&places;
	     place = place->next)
		dprintf(file, "%s %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu\n",
			place->name, place->acquisitions, place->contended,
			place->refused, place->conditions, place->hold.least,
			place->hold.most, place->wait.least, place->wait.most,
			place->condition.least, place->condition.most);
	if (file >= 0)
		close(file);
}

/* Runs after the truth was written, which does not contain this function. */
PLACE void late(void)
{
	pthread_mutex_lock(&early_lock);
	pthread_mutex_unlock(&early_lock);
}

static void forget(void)
{
	for (struct lock_place *place = places;
	     place != (struct lock_place *)&places; place = place->next) {
		place->acquisitions = place->contended = place->refused = 0;
		place->conditions = 0;
		memset(&place->hold, 0, sizeof(place->hold));
		memset(&place->wait, 0, sizeof(place->wait));
		memset(&place->condition, 0, sizeof(place->condition));
	}
}

PLACE void forks(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct seen seen;
	int status;
	pid_t child;

	HERE();
	TAKE(&seen, pthread_mutex_lock(&lock));
	child = fork();
	if (child == 0) {
		forget();
		pthread_mutex_unlock(&lock); /* held by the parent */
		TAKE(&seen, pthread_mutex_lock(&lock));
		RELEASE(&seen, pthread_mutex_unlock(&lock));
		plain(7);
		contends();
		write_truth();
		_exit(errors != 0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	check(status == 0);
	RELEASE(&seen, pthread_mutex_unlock(&lock));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	pthread_mutex_t race = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
	pthread_t writer;

	plain(1000);
	recursive();
	error_checking();
	robust();
	takes_over();
	keeps();
	contends();
	in_threads(races, &race);
	check(pthread_create(&writer, NULL, writes, &both) == 0);
	in_thread(reads, &both);
	check(pthread_join(writer, NULL) == 0);
	wakes();
	times_out();
	cancels();
	forks();
	if (errors)
		return errors;
	write_truth();
	atexit(late);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	return 0;
}
