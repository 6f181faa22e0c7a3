/* SPDX-License-Identifier: MIT */
/*
 * Observations that the program makes of its own calls: return addresses in
 * functions that are called or jumped to, the names of a backtrace, results of
 * the loader that depend on the caller, and state that no hook may change.
 * Addresses are printed as names, so the output must be the same natively and
 * recorded.
 *
 * clew does not hook a function that reads its return address, nor one that
 * jumps to such a function. The comparison leaves these out.
 */
#ifndef CLEW_TESTS_RANDOM_SEES_H
#define CLEW_TESTS_RANDOM_SEES_H

#include <errno.h>
#include <execinfo.h>

#define SEES_FRAMES 64

static PLAYED const char *sees_name(const void *pc)
{
	Dl_info info;

	if (!dladdr(pc, &info) || !info.dli_sname)
		return "-";
	return info.dli_sname;
}

TRUTH_INLINE int sees_may(void)
{
	return play.sights > 0 && play.sights-- > 0;
}

static PLAYED long sees_caller(long n)
{
	printf(" called by %s\n", sees_name(__builtin_return_address(0)));
	return n + 1;
}

static PLAYED long sees_by_jump(long n)
{
	return sees_caller(n + 1);
}

static PLAYED long sees_by_two_jumps(long n)
{
	return sees_by_jump(n + 1);
}

/* Functions of program.py end with a jump to this one. */
static PLAYED long sees_last(long n)
{
	const char *name = sees_name(__builtin_return_address(0));

	truth_by_tail = 0;
	if (sees_may())
		printf(" jumped to from a callee of %s\n", name);
	return n + 1;
}

TRUTH_INLINE long move_see_caller(function body, long n)
{
	n += body(n);
	if (sees_may())
		n += sees_caller(n) + sees_by_jump(n) + sees_by_two_jumps(n);
	return n % 1000;
}

static PLAYED long sees_frames(long n)
{
	void *frames[SEES_FRAMES];
	int count = backtrace(frames, SEES_FRAMES);

	printf(" %d frames:", count);
	for (int i = 0; i < count; i++)
		printf(" %s", sees_name(frames[i]));
	printf("\n");
	return n + count;
}

static PLAYED long sees_frames_by_jump(long n)
{
	return sees_frames(n + 1);
}

TRUTH_INLINE long move_see_frames(function body, long n)
{
	n += body(n);
	if (sees_may())
		n += sees_frames(n) + sees_frames_by_jump(n);
	return n % 1000;
}

static PLAYED void *sees_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static PLAYED void *sees_next_version(const char *name, const char *version)
{
	return dlvsym(RTLD_NEXT, name, version);
}

static PLAYED void *sees_library(const char *name)
{
	return dlopen(name, RTLD_NOW);
}

TRUTH_INLINE long move_see_next(function body, long n)
{
	const char *name;

	n += body(n);
	if (!sees_may())
		return n;
	name = (const char *)sees_next("play_name");
	printf(" next %s %d\n", name ? name : "-",
	       sees_next_version("getenv", "GLIBC_2.2.5") != NULL);
	return n;
}

/* Only one module has the path on which the library is. */
TRUTH_INLINE long move_see_library(function body, long n)
{
	void *library;

	n += body(n);
	if (!sees_may())
		return n;
	library = sees_library("libsought.so");
	printf(" library %d\n", library != NULL);
	if (library)
		dlclose(library);
	return n;
}

/* errno, control words of both kinds of floating point, and blocked signals. */
static PLAYED long sees_state(function body, long n)
{
	unsigned int mxcsr;
	unsigned short x87;
	sigset_t blocked;
	int error;

	ENTER(sees_state);
	errno = 77;
	n += body(n);
	error = errno;
	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	__asm__ volatile("fnstcw %0" : "=m"(x87));
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	if (sees_may()) {
		printf(" errno %d, control %x %x, blocked", error, mxcsr & ~63U,
		       x87);
		for (int i = 1; i < SIGRTMIN; i++)
			if (sigismember(&blocked, i))
				printf(" %d", i);
		printf("\n");
	}
	LEAVE();
	return n % 1000;
}

TRUTH_INLINE long move_see_state(function body, long n)
{
	return sees_state(body, n);
}

TRUTH_INLINE void sees_list(void)
{
	LEAVE_OUT(sees_name);
	LEAVE_OUT(sees_caller);
	LEAVE_OUT(sees_last);
	LEAVE_OUT(sees_by_jump);
	LEAVE_OUT(sees_by_two_jumps);
	LEAVE_OUT(sees_frames);
	LEAVE_OUT(sees_frames_by_jump);
	LEAVE_OUT(sees_next);
	LEAVE_OUT(sees_next_version);
	LEAVE_OUT(sees_library);
}

#endif
