/* SPDX-License-Identifier: MIT */
/*
 * The functions that ours stand in front of.
 *
 * Looked up before main, because dlsym() may not be called where some of them
 * may: in signal handlers, and between vfork and exec.
 */
#ifndef CLEW_HOST_NEXT_H
#define CLEW_HOST_NEXT_H

#include <stdint.h>

#include "preload/sys/range.h"

#define NEXT_FUNCTIONS(X)                                                      \
	X(clone)                                                               \
	X(execve)                                                              \
	X(execvpe)                                                             \
	X(fexecve)                                                             \
	X(posix_spawn)                                                         \
	X(posix_spawnp)                                                        \
	X(pthread_create)                                                      \
	X(unshare)                                                             \
	X(setns)                                                               \
	X(pthread_setname_np)                                                  \
	X(longjmp)                                                             \
	X(_longjmp)                                                            \
	X(siglongjmp)                                                          \
	X(__longjmp_chk)                                                       \
	X(swapcontext)                                                         \
	X(setcontext)                                                          \
	X(makecontext)                                                         \
	X(sigprocmask)                                                         \
	X(pthread_sigmask)                                                     \
	X(pthread_attr_setsigmask_np)                                          \
	X(sigsuspend)                                                          \
	X(ppoll)                                                               \
	X(__ppoll_chk)                                                         \
	X(pselect)                                                             \
	X(epoll_pwait)                                                         \
	X(epoll_pwait2)                                                        \
	X(sigaction)                                                           \
	X(__sigaction)                                                         \
	X(signal)                                                              \
	X(mmap)                                                                \
	X(mprotect)                                                            \
	X(pkey_mprotect)                                                       \
	X(mremap)                                                              \
	X(shmat)                                                               \
	X(timer_create)                                                        \
	X(siginterrupt)                                                        \
	X(sigset)                                                              \
	X(_Unwind_GetCFA)                                                      \
	X(_Unwind_SetIP)                                                       \
	X(_Unwind_RaiseException)                                              \
	X(_Unwind_GetGR)                                                       \
	X(_dl_find_object)                                                     \
	X(dl_iterate_phdr)                                                     \
	X(backtrace)                                                           \
	X(unw_backtrace)                                                       \
	X(_Unwind_GetIP)                                                       \
	X(_Unwind_Backtrace)                                                   \
	X(_ULx86_64_get_reg)                                                   \
	X(_ULx86_64_step)

struct next_functions {
	struct pc_range unwinder; /* the module of _Unwind_GetCFA */
	struct pc_range libc;
#define X(name) void *name;
	NEXT_FUNCTIONS(X)
#undef X
};

extern struct next_functions next;

/* Where assembly jumps: libc's __libc_start_main, and the next of the others. */
extern void *next_libc_start_main, *next_syscall;
extern void *next_setjmp, *next__setjmp, *next___sigsetjmp, *next_getcontext;

static inline int next_is_inside(const struct pc_range *range, uint64_t pc)
{
	return pc >= range->start && pc < range->end;
}

/*
 * Look all of them up; again if some were missing: those of an unwinder, which
 * libc itself loads when a thread is cancelled.
 */
void next_find(void);

#define NEXT(name)                                                             \
	({                                                                     \
		if (!next.name)                                                \
			next_find();                                           \
		(__typeof__(&name))next.name;                                  \
	})

#define EXPORT __attribute__((visibility("default")))

#endif
