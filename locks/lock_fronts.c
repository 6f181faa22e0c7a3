/* SPDX-License-Identifier: MIT */
/*
 * clew-locks: counts waits for locks and holds of locks by calling context.
 * Preloaded after libclew.so, it has fronts of the functions of pthread's
 * mutexes, read-write locks and conditions; they call the C library's functions
 * and count the results. std::mutex and similar classes call these functions,
 * and so do most other locks. In a process that clew attaches to, libc's
 * functions are diverted to the fronts (agent/agent_fronts.h).
 *
 * Each lock is tried first: if that fails, it is contended, and the wait is
 * measured. A hold begins when the lock is acquired and ends before it is
 * released; held_locks.c stores it meanwhile. A critical section gets longer by
 * two readings of the clock, by counting the acquisition, and by storing and
 * finding the hold.
 *
 * clew-locks is an example of an agent that uses agent/clew.h: lock_sites.c
 * contains all of that. Without clew, or before clew has begun, calls are
 * passed on.
 */
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/agent_fronts.h"
#include "agent/value_sites.h"
#include "libc/libc.h"
#include "loaded/loaded_symbols.h"
#include "locks/held_locks.h"
#include "locks/lock_sites.h"

#define EXPORT             __attribute__((visibility("default")))

#define SYSTEM_MODULES_MAX 8

/*
 * Functions that take a lock: X(function, the type of lock, whether it is
 * shared, the function that tries it, parameters, arguments).
 */
#define TAKERS(X)                                                              \
	X(pthread_mutex_lock, pthread_mutex_t, 0, pthread_mutex_trylock,       \
	  (pthread_mutex_t * lock), (lock))                                    \
	X(pthread_mutex_timedlock, pthread_mutex_t, 0, pthread_mutex_trylock,  \
	  (pthread_mutex_t * lock, const struct timespec *until),              \
	  (lock, until))                                                       \
	X(pthread_mutex_clocklock, pthread_mutex_t, 0, pthread_mutex_trylock,  \
	  (pthread_mutex_t * lock, clockid_t clock,                            \
	   const struct timespec *until),                                      \
	  (lock, clock, until))                                                \
	X(pthread_rwlock_wrlock, pthread_rwlock_t, 0,                          \
	  pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))         \
	X(pthread_rwlock_timedwrlock, pthread_rwlock_t, 0,                     \
	  pthread_rwlock_trywrlock,                                            \
	  (pthread_rwlock_t * lock, const struct timespec *until),             \
	  (lock, until))                                                       \
	X(pthread_rwlock_clockwrlock, pthread_rwlock_t, 0,                     \
	  pthread_rwlock_trywrlock,                                            \
	  (pthread_rwlock_t * lock, clockid_t clock,                           \
	   const struct timespec *until),                                      \
	  (lock, clock, until))                                                \
	X(pthread_rwlock_rdlock, pthread_rwlock_t, 1,                          \
	  pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))         \
	X(pthread_rwlock_timedrdlock, pthread_rwlock_t, 1,                     \
	  pthread_rwlock_tryrdlock,                                            \
	  (pthread_rwlock_t * lock, const struct timespec *until),             \
	  (lock, until))                                                       \
	X(pthread_rwlock_clockrdlock, pthread_rwlock_t, 1,                     \
	  pthread_rwlock_tryrdlock,                                            \
	  (pthread_rwlock_t * lock, clockid_t clock,                           \
	   const struct timespec *until),                                      \
	  (lock, clock, until))

/*
 * Functions that try a lock: X(function, the type of lock, whether it is
 * shared).
 */
#define TRIERS(X)                                                              \
	X(pthread_mutex_trylock, pthread_mutex_t, 0)                           \
	X(pthread_rwlock_trywrlock, pthread_rwlock_t, 0)                       \
	X(pthread_rwlock_tryrdlock, pthread_rwlock_t, 1)

/* Functions that wait for a condition: X(function, parameters, arguments). */
#define WAITERS(X)                                                             \
	X(pthread_cond_wait,                                                   \
	  (pthread_cond_t * condition, pthread_mutex_t * lock),                \
	  (condition, lock))                                                   \
	X(pthread_cond_timedwait,                                              \
	  (pthread_cond_t * condition, pthread_mutex_t * lock,                 \
	   const struct timespec *until),                                      \
	  (condition, lock, until))                                            \
	X(pthread_cond_clockwait,                                              \
	  (pthread_cond_t * condition, pthread_mutex_t * lock,                 \
	   clockid_t clock, const struct timespec *until),                     \
	  (condition, lock, clock, until))

#define TAKER_FIELD(name, type, is_shared, try, parameters, arguments)         \
	int(*name) parameters;
#define TRIER_FIELD(name, type, is_shared)        int (*name)(type * lock);
#define WAITER_FIELD(name, parameters, arguments) int(*name) parameters;

static struct {
	TAKERS(TAKER_FIELD)
	TRIERS(TRIER_FIELD)
	WAITERS(WAITER_FIELD)
	int (*pthread_mutex_unlock)(pthread_mutex_t *lock);
	int (*pthread_rwlock_unlock)(pthread_rwlock_t *lock);
	void (*_pthread_cleanup_push)(struct _pthread_cleanup_buffer *buffer,
				      void (*function)(void *), void *argument);
	void (*_pthread_cleanup_pop)(struct _pthread_cleanup_buffer *buffer,
				     int is_called);
} next;

static struct value_start start;
static int watches_forks;
static int is_contended_only;
/* Used if only contended holds are counted. */
static _Atomic long contended_holds;
static _Atomic int is_found;

/* ---- The next functions ---- */

/* clang-format off */
#define FIND(name) \
	next.name = loaded_symbol_next(#name);
/* clang-format on */
#define FIND_TAKER(name, type, is_shared, try, parameters, arguments) FIND(name)
#define FIND_TRIER(name, type, is_shared)                             FIND(name)
#define FIND_WAITER(name, parameters, arguments)                      FIND(name)

/* Several threads may do this at once, with the same result. */
static int find_all(struct dl_phdr_info *info, size_t bytes, void *context)
{
	TAKERS(FIND_TAKER)
	TRIERS(FIND_TRIER)
	WAITERS(FIND_WAITER)
	FIND(pthread_mutex_unlock)
	FIND(pthread_rwlock_unlock)
	FIND(_pthread_cleanup_push)
	FIND(_pthread_cleanup_pop)
	is_found = 1;
	return 1;
}

/*
 * Finds the next functions within a callback of the loader, which unloads no
 * module meanwhile.
 */
static __attribute__((noinline)) void find_next(void)
{
	dl_iterate_phdr(find_all, NULL);
}

static int is_missing(void)
{
	return ENOSYS;
}

/*
 * A next function. Before glibc 2.34, most of them are in libpthread, which a
 * program may load later. Functions with "clock" in their names are new in
 * glibc 2.30.
 */
#define NEXT(name)                                                             \
	({                                                                     \
		if (!next.name)                                                \
			find_next();                                           \
		next.name ? next.name                                          \
			  : (__typeof__(next.name))(void *)is_missing;         \
	})

/* ---- Whether calls are counted ---- */

static void choose(const char *which)
{
	is_contended_only = which && strcmp(which, "contended") == 0;
}

extern struct agent_fronts libclew_agent_fronts;

/* In an attached process, begin_session() has chosen. */
static int begin_sites(int is_last)
{
	if (!libclew_agent_fronts.enter)
		choose(secure_getenv("CLEW_LOCKS_WHICH"));
	return lock_sites_begin(is_last);
}

static __attribute__((noinline)) int begin(int is_last)
{
	return value_start_try(&start, begin_sites, is_last);
}

static void after_fork_in_child(void)
{
	held_locks_clear();
	contended_holds = 0;
}

static void watch_forks(void)
{
	if (!watches_forks)
		watches_forks =
			!libc_watch_forks(NULL, NULL, after_fork_in_child);
}

static __attribute__((constructor)) void begin_at_last(void)
{
	if (!is_found)
		find_next();
	if (start.state == VALUES_NOT_YET)
		begin(1);
	if (start.state != VALUES_ARE_OFF)
		watch_forks();
}

static int is_counting(void)
{
	if (!is_found)
		find_next();
	return start.state == VALUES_ARE_ON ||
	       (start.state == VALUES_NOT_YET && begin(0));
}

/* ---- In a process that clew attaches to ---- */

/*
 * The code of libc and the loader. Calls that lock their internal locks also
 * reach the fronts if libc's functions are diverted, and are not counted.
 */
static struct {
	uintptr_t start, end;
} system_code[SYSTEM_MODULES_MAX];
static int system_modules;

static int is_of_system(const char *path)
{
	static const char *const names[] = { "ld-", "libc.so", "libc-2.",
					     "libpthread" };
	const char *name = strrchr(path, '/');

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name + 1, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

static int add_system(struct dl_phdr_info *info, size_t bytes, void *context)
{
	if (!is_of_system(info->dlpi_name) ||
	    system_modules == SYSTEM_MODULES_MAX)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		system_code[system_modules].start =
			info->dlpi_addr + segment->p_vaddr;
		system_code[system_modules].end =
			system_code[system_modules].start + segment->p_memsz;
		system_modules++;
		break;
	}
	return 0;
}

/* Returns whether libc or the loader takes a lock of its own. */
static int is_system(const void *caller)
{
	for (int i = 0; i < system_modules; i++)
		if ((uintptr_t)caller >= system_code[i].start &&
		    (uintptr_t)caller < system_code[i].end)
			return 1;
	return 0;
}

static void begin_session(const char *option)
{
	held_locks_clear();
	contended_holds = 0;
	system_modules = 0;
	dl_iterate_phdr(add_system, NULL);
	choose(option);
	watch_forks();
	start.late_calls = 0;
	start.state = VALUES_NOT_YET;
	begin(0);
}

static void end_session(void)
{
	start.state = VALUES_ARE_OFF;
	held_locks_clear();
}

#define FRONT(name)  { #name, (void **)&next.name, 0, 0 },
#define CALLED(name) { #name, (void **)&next.name, 1, 0 },
#define TRIED(name)  { #name, (void **)&next.name, 0, 1 },
#define TAKER_FRONT(name, type, is_shared, try, parameters, arguments)         \
	FRONT(name)
#define TRIER_FRONT(name, type, is_shared)        TRIED(name)
#define WAITER_FRONT(name, parameters, arguments) FRONT(name)

static const struct agent_front fronts[] = {
	TAKERS(TAKER_FRONT) TRIERS(TRIER_FRONT) WAITERS(WAITER_FRONT)
		FRONT(pthread_mutex_unlock) FRONT(pthread_rwlock_unlock)
			CALLED(_pthread_cleanup_push)
				CALLED(_pthread_cleanup_pop)
};

EXPORT struct agent_fronts libclew_agent_fronts = {
	.version = AGENT_FRONTS_VERSION,
	.count = sizeof(fronts) / sizeof(*fronts),
	.name = "libclew-locks.so",
	.of = fronts,
	.begin = begin_session,
	.end = end_session,
};

static uint64_t now_ns(void)
{
	const int saved = errno;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	errno = saved;
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* ---- Holds ---- */

static void hold(const struct held_lock *held)
{
	if (!held_locks_add(held))
		lock_sites_miss();
	else if (is_contended_only)
		contended_holds++;
}

/* Ends a hold of this lock. Returns whether it was recorded. */
static int end_hold(const void *lock, int is_shared, int is_own,
		    struct held_lock *held)
{
	if (is_contended_only && contended_holds == 0)
		return 0;
	if (!held_locks_take(lock, is_shared, is_own, held))
		return 0;
	if (is_contended_only)
		contended_holds--;
	return 1;
}

static int kind_of(const pthread_mutex_t *lock)
{
	return lock->__data.__kind & 3;
}

/*
 * Returns whether the calling thread holds the lock more than once, so that the
 * same hold continues.
 */
static int is_nested(const pthread_mutex_t *lock)
{
	return kind_of(lock) == PTHREAD_MUTEX_RECURSIVE &&
	       lock->__data.__count > 1;
}

/* Returns whether unlocking fails in a thread that has not locked it. */
static int knows_owner(const pthread_mutex_t *lock)
{
	return kind_of(lock) == PTHREAD_MUTEX_RECURSIVE ||
	       kind_of(lock) == PTHREAD_MUTEX_ERRORCHECK;
}

/* ---- Taking ---- */

/* An attempt to take a lock. */
struct taking {
	uint64_t row;
	uint64_t since_ns; /* start of the wait; 0 if the thread did not wait */
};

static struct taking taking_begin(void)
{
	return (struct taking){ is_contended_only ? 0 : lock_sites_here(), 0 };
}

static void taking_wait(struct taking *taking)
{
	if (is_contended_only)
		taking->row = lock_sites_here();
	taking->since_ns = now_ns();
}

static void taken(const struct taking *taking, const void *lock, int is_shared,
		  int is_again)
{
	struct held_lock held = { lock, is_shared, taking->row, 0 };

	if (is_contended_only && !taking->since_ns)
		return;
	held.since_ns = now_ns();
	lock_sites_take(taking->row, taking->since_ns != 0,
			taking->since_ns ? held.since_ns - taking->since_ns
					 : 0);
	if (!is_again)
		hold(&held);
}

static int taking_end(struct taking *taking, const void *lock, int is_shared,
		      int is_again, int result)
{
	if (result == 0 || result == EOWNERDEAD)
		taken(taking, lock, is_shared, is_again);
	else if (result == ETIMEDOUT)
		lock_sites_refuse(taking->row,
				  taking->since_ns ? now_ns() - taking->since_ns
						   : 0);
	else if (result == EBUSY)
		lock_sites_refuse(
			is_contended_only ? lock_sites_here() : taking->row, 0);
	return result;
}

/* Whether the thread already held the lock. */
#define IS_AGAIN(lock)                                                         \
	_Generic((lock), pthread_mutex_t *                                     \
		 : is_nested((const void *)(lock)), pthread_rwlock_t * : 0)

#define DEFINE_TAKER(name, type, is_shared, try, parameters, arguments)        \
	EXPORT int name parameters                                             \
	{                                                                      \
		struct taking taking;                                          \
		int result;                                                    \
                                                                               \
		if (!is_counting() || !next.try ||                             \
		    is_system(__builtin_return_address(0)))                    \
			return NEXT(name) arguments;                           \
		taking = taking_begin();                                       \
		result = next.try(lock);                                       \
		if (result == EBUSY) {                                         \
			taking_wait(&taking);                                  \
			result = NEXT(name) arguments;                         \
		}                                                              \
		return taking_end(&taking, lock, is_shared,                    \
				  result == 0 && IS_AGAIN(lock), result);      \
	}
TAKERS(DEFINE_TAKER)

#define DEFINE_TRIER(name, type, is_shared)                                    \
	EXPORT int name(type *lock)                                            \
	{                                                                      \
		struct taking taking;                                          \
		int result;                                                    \
                                                                               \
		if (!is_counting() || is_system(__builtin_return_address(0)))  \
			return NEXT(name)(lock);                               \
		taking = taking_begin();                                       \
		result = NEXT(name)(lock);                                     \
		return taking_end(&taking, lock, is_shared,                    \
				  result == 0 && IS_AGAIN(lock), result);      \
	}
TRIERS(DEFINE_TRIER)

/* ---- Releasing ---- */

/* Counts the end of a hold, given the result of the release. */
static int released(const struct held_lock *held, uint64_t end_ns, int result)
{
	if (result == 0)
		lock_sites_release(held->row, end_ns - held->since_ns);
	else
		hold(held); /* the lock is still held */
	return result;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *lock)
{
	struct held_lock held;
	uint64_t end_ns;

	if (!is_counting() || is_nested(lock) ||
	    !end_hold(lock, 0, knows_owner(lock), &held))
		return NEXT(pthread_mutex_unlock)(lock);
	end_ns = now_ns();
	return released(&held, end_ns, NEXT(pthread_mutex_unlock)(lock));
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	struct held_lock held;
	uint64_t end_ns;

	if (!is_counting() ||
	    (!end_hold(lock, 0, 0, &held) && !end_hold(lock, 1, 0, &held)))
		return NEXT(pthread_rwlock_unlock)(lock);
	end_ns = now_ns();
	return released(&held, end_ns, NEXT(pthread_rwlock_unlock)(lock));
}

/* ---- Conditions ---- */

/* A wait for a condition, which releases its mutex and takes it again. */
struct condition_wait {
	struct held_lock held;
	/* whether the mutex was held, as far as this is recorded */
	int was_held;
	uint64_t row;
	uint64_t since_ns;
	int result;
};

static void condition_begin(struct condition_wait *wait, pthread_mutex_t *lock)
{
	*wait = (struct condition_wait){ 0 };
	wait->was_held = !is_nested(lock) &&
			 end_hold(lock, 0, knows_owner(lock), &wait->held);
	wait->row = lock_sites_here();
	wait->since_ns = now_ns();
}

/* The thread holds the mutex again, even if it is cancelled. */
static void condition_end(void *argument)
{
	struct condition_wait *wait = argument;
	const int is_refused = wait->result == EPERM || wait->result == EINVAL;
	const struct held_lock again = { wait->held.lock, 0, wait->row,
					 now_ns() };

	if (!is_refused)
		lock_sites_wake(wait->row, again.since_ns - wait->since_ns);
	if (!wait->was_held)
		return;
	if (!is_refused)
		lock_sites_release(wait->held.row,
				   wait->since_ns - wait->held.since_ns);
	hold(is_refused ? &wait->held : &again);
}

/*
 * Like pthread_cleanup_push() and pthread_cleanup_pop(1), which call functions
 * that moved from libpthread to libc in glibc 2.34. A process without
 * libpthread lacks them, and no thread of it can be cancelled.
 */
static void cleanup_push(struct _pthread_cleanup_buffer *buffer,
			 struct condition_wait *wait)
{
	*buffer = (struct _pthread_cleanup_buffer){ 0 };
	if (next._pthread_cleanup_push && next._pthread_cleanup_pop)
		next._pthread_cleanup_push(buffer, condition_end, wait);
}

static void cleanup_pop(struct _pthread_cleanup_buffer *buffer,
			struct condition_wait *wait)
{
	if (buffer->__routine)
		next._pthread_cleanup_pop(buffer, 1);
	else
		condition_end(wait);
}

#define DEFINE_WAITER(name, parameters, arguments)                             \
	EXPORT int name parameters                                             \
	{                                                                      \
		struct _pthread_cleanup_buffer cleanup;                        \
		struct condition_wait wait;                                    \
                                                                               \
		if (!is_counting())                                            \
			return NEXT(name) arguments;                           \
		condition_begin(&wait, lock);                                  \
		cleanup_push(&cleanup, &wait);                                 \
		wait.result = NEXT(name) arguments;                            \
		cleanup_pop(&cleanup, &wait);                                  \
		return wait.result;                                            \
	}
WAITERS(DEFINE_WAITER)
