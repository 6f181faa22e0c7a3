/* SPDX-License-Identifier: MIT */
/*
 * Fronts: clew's wrappers of functions of libc, of unwinders and of the loader.
 * libclew.so exports each under the name of the wrapped function, which is
 * called the "next" function.
 *
 *	X(name, import_traits)	a row
 *
 * Everything else follows from this table: the names that the library exports
 * (exports.map.in), where the address of each name's next function is stored
 * (next.h), and what an import of the name shows about a module
 * (front/imports.c). A preloaded library's functions are found first. In an
 * attached process, the wrapped functions are diverted to them
 * (front/entries.h).
 *
 * `import_traits` describes modules that import the function:
 *
 *	JUMPS		jumps to other frames
 *	SWITCHES	switches stacks
 *	MAPS		may make memory executable
 *	NOTHING		nothing that matters
 *
 * The preprocessor also reads this file for the linker: definitions only.
 */
#ifndef CLEW_HOST_FRONTS_H
#define CLEW_HOST_FRONTS_H

#include "preload/host/libunwind.h"

/* The front calls the next function, whose address is a member of `next`. */
#define FRONTS_HELD(X)                                                         \
	X(clone, NOTHING)                                                      \
	X(execve, NOTHING)                                                     \
	X(execvpe, NOTHING)                                                    \
	X(fexecve, NOTHING)                                                    \
	X(posix_spawn, NOTHING)                                                \
	X(posix_spawnp, NOTHING)                                               \
	X(pthread_create, NOTHING)                                             \
	X(unshare, NOTHING)                                                    \
	X(setns, NOTHING)                                                      \
	X(pthread_setname_np, NOTHING)                                         \
	X(longjmp, JUMPS)                                                      \
	X(_longjmp, JUMPS)                                                     \
	X(siglongjmp, JUMPS)                                                   \
	X(__longjmp_chk, JUMPS)                                                \
	X(swapcontext, SWITCHES)                                               \
	X(setcontext, SWITCHES)                                                \
	X(dladdr, NOTHING)                                                     \
	X(dladdr1, NOTHING)                                                    \
	X(sigprocmask, NOTHING)                                                \
	X(pthread_sigmask, NOTHING)                                            \
	X(pthread_attr_setsigmask_np, NOTHING)                                 \
	X(sigsuspend, NOTHING)                                                 \
	X(ppoll, NOTHING)                                                      \
	X(__ppoll_chk, NOTHING)                                                \
	X(pselect, NOTHING)                                                    \
	X(epoll_pwait, NOTHING)                                                \
	X(epoll_pwait2, NOTHING)                                               \
	X(sigaction, NOTHING)                                                  \
	X(__sigaction, NOTHING)                                                \
	X(sigaltstack, NOTHING)                                                \
	X(signal, NOTHING)                                                     \
	X(mmap, MAPS)                                                          \
	X(mprotect, MAPS)                                                      \
	X(pkey_mprotect, MAPS)                                                 \
	X(mremap, NOTHING)                                                     \
	X(munmap, NOTHING)                                                     \
	X(shmat, MAPS)                                                         \
	X(shmdt, NOTHING)                                                      \
	X(timer_create, NOTHING)                                               \
	X(siginterrupt, NOTHING)                                               \
	X(sigset, NOTHING)                                                     \
	X(_Unwind_GetCFA, NOTHING)                                             \
	X(_Unwind_SetIP, NOTHING)                                              \
	X(_Unwind_RaiseException, NOTHING)                                     \
	X(_dl_find_object, NOTHING)                                            \
	X(dl_iterate_phdr, NOTHING)                                            \
	X(backtrace, NOTHING)                                                  \
	X(unw_backtrace, NOTHING)                                              \
	X(_Unwind_Backtrace, NOTHING)                                          \
	LIBUNWIND_FRONTS(X)

/* The next function's address is in next_NAME, through which assembly jumps. */
#define FRONTS_JUMPED(X)                                                       \
	X(__libc_start_main, NOTHING)                                          \
	X(dlopen, NOTHING)                                                     \
	X(dlmopen, NOTHING)                                                    \
	X(syscall, MAPS)                                                       \
	X(setjmp, JUMPS)                                                       \
	X(_setjmp, JUMPS)                                                      \
	X(__sigsetjmp, JUMPS)                                                  \
	X(sigsetjmp, JUMPS)                                                    \
	X(getcontext, SWITCHES)

/* The front makes the system call, or calls another front. */
#define FRONTS_ALONE(X)                                                        \
	X(vfork, NOTHING)                                                      \
	X(execv, NOTHING)                                                      \
	X(execvp, NOTHING)                                                     \
	X(execl, NOTHING)                                                      \
	X(execlp, NOTHING)                                                     \
	X(execle, NOTHING)                                                     \
	X(bsd_signal, NOTHING)                                                 \
	X(ssignal, NOTHING)                                                    \
	X(sysv_signal, NOTHING)                                                \
	X(__sysv_signal, NOTHING)                                              \
	X(sigignore, NOTHING)                                                  \
	X(sigblock, NOTHING)                                                   \
	X(sigsetmask, NOTHING)                                                 \
	X(siggetmask, NOTHING)                                                 \
	X(sighold, NOTHING)                                                    \
	X(sigrelse, NOTHING)                                                   \
	X(mlockall, NOTHING)                                                   \
	X(madvise, NOTHING)                                                    \
	X(mmap64, MAPS)                                                        \
	X(getrlimit, NOTHING)                                                  \
	X(getrlimit64, NOTHING)                                                \
	X(setrlimit, NOTHING)                                                  \
	X(setrlimit64, NOTHING)                                                \
	X(prlimit, NOTHING)                                                    \
	X(prlimit64, NOTHING)                                                  \
	X(prctl, NOTHING)

#define FRONTS(X)                                                              \
	FRONTS_HELD(X)                                                         \
	FRONTS_JUMPED(X)                                                       \
	FRONTS_ALONE(X)

/* Functions without fronts, whose addresses are also members of `next`. */
#define NEXT_ONLY(X)                                                           \
	X(makecontext, SWITCHES)                                               \
	X(dlinfo, NOTHING)                                                     \
	X(_Unwind_GetGR, NOTHING)                                              \
	X(_Unwind_GetIP, NOTHING)                                              \
	X(_Unwind_GetRegionStart, NOTHING)                                     \
	LIBUNWIND_NEXT_ONLY(X)

#endif
