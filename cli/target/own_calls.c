/* SPDX-License-Identifier: MIT */
/* See own_calls.h. */
#include "cli/target/own_calls.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "machine/own_system_calls.h"
#include "wire/avoidable.h"

/* clang-format off */
#define CALL(name)               WITH(name, FILTER_NONE, 0)
#define WITH(name, index, value) #name, { SYS_##name, index, value, 0 }
#define BITS(name, index, bits)  #name, { SYS_##name, index, 0, bits }
#define ROW(name)                { CALL(name), 0 },
/* clang-format on */

/* as in preload/sys/task.c; a test compares them */
#define TASK                                                                   \
	(CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |  \
	 CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

static const struct own_call rows[] = {
	{ CALL(brk), 0 },
	{ CALL(clock_getres), 0 },
	{ CALL(clock_gettime), 0 },
	{ WITH(clone, 0, TASK), 0 },
	{ WITH(clone, 0, TASK | CLONE_FILES), 0 },
	{ CALL(close), 0 },
	{ CALL(close_range), 0 },
	{ CALL(exit), 0 },
	{ CALL(faccessat), 0 },
	{ CALL(fallocate), WIRE_AVOIDS(fallocate) },
	{ BITS(fchmod, 1, 0777), WIRE_AVOIDS(fchmod) },
	{ CALL(fcntl), 0 },
	{ CALL(flock), WIRE_AVOIDS(flock) },
	{ CALL(fstat), 0 },
	{ CALL(fstatfs), 0 },
	{ CALL(ftruncate), 0 },
	{ CALL(futex), 0 },
	{ CALL(getcwd), 0 },
	{ CALL(getdents64), 0 },
	{ CALL(getegid), 0 },
	{ CALL(geteuid), 0 },
	{ CALL(getgid), 0 },
	{ CALL(getpid), 0 },
	{ CALL(getppid), 0 },
	{ CALL(getrandom), 0 },
	{ CALL(getrusage), 0 },
	{ CALL(gettid), 0 },
	{ CALL(getuid), 0 },
	{ CALL(ioctl), 0 },
	{ CALL(lseek), 0 },
	{ CALL(madvise), 0 },
	{ CALL(membarrier), WIRE_AVOIDS(membarrier) },
	{ CALL(memfd_create), WIRE_AVOIDS(memfd_create) },
	{ CALL(mincore), WIRE_AVOIDS(mincore) },
	{ BITS(mkdirat, 2, 0777), 0 },
	{ WITH(mmap, 2, PROT_NONE), 0 },
	{ WITH(mmap, 2, PROT_READ), 0 },
	{ WITH(mmap, 2, PROT_WRITE), 0 },
	{ WITH(mmap, 2, PROT_READ | PROT_WRITE), 0 },
	{ WITH(mmap, 2, PROT_READ | PROT_EXEC), 0 },
	{ WITH(mprotect, 2, PROT_NONE), 0 },
	{ WITH(mprotect, 2, PROT_READ), 0 },
	{ WITH(mprotect, 2, PROT_WRITE), 0 },
	{ WITH(mprotect, 2, PROT_READ | PROT_WRITE), 0 },
	{ WITH(mprotect, 2, PROT_READ | PROT_EXEC), WIRE_AVOIDS(executable) },
	{ WITH(mprotect, 2, PROT_READ | PROT_WRITE | PROT_EXEC),
	  WIRE_AVOIDS(writable_executable) },
	{ CALL(mremap), 0 },
	{ CALL(msync), 0 },
	{ CALL(munmap), 0 },
	{ CALL(nanosleep), 0 },
	{ CALL(newfstatat), 0 },
	{ BITS(openat, 3, 0777), 0 },
	{ CALL(perf_event_open), WIRE_AVOIDS(perf_event_open) },
	{ CALL(prctl), 0 },
	{ CALL(pread64), 0 },
	{ CALL(prlimit64), 0 },
	{ CALL(process_vm_readv), 0 },
	{ CALL(pwrite64), 0 },
	{ CALL(pwritev), 0 },
	{ CALL(read), 0 },
	{ CALL(readlinkat), 0 },
	{ CALL(renameat), 0 },
	{ CALL(renameat2), 0 },
	{ CALL(rseq), 0 },
	{ CALL(rt_sigaction), 0 },
	{ CALL(rt_sigpending), 0 },
	{ CALL(rt_sigprocmask), 0 },
	{ CALL(rt_sigqueueinfo), 0 },
	{ CALL(rt_sigreturn), 0 },
	{ CALL(rt_sigtimedwait), 0 },
	{ CALL(rt_tgsigqueueinfo), 0 },
	{ CALL(sched_getaffinity), 0 },
	{ CALL(sched_yield), 0 },
	{ CALL(sigaltstack), 0 },
	{ CALL(symlinkat), 0 },
	{ CALL(tgkill), 0 },
	{ CALL(timer_create), WIRE_AVOIDS(timer_create) },
	{ CALL(timer_delete), 0 },
	{ CALL(timer_settime), 0 },
	{ CALL(tkill), 0 },
	{ CALL(truncate), 0 },
	{ CALL(uname), WIRE_AVOIDS(uname) },
	{ CALL(unlinkat), 0 },
	{ CALL(utimensat), WIRE_AVOIDS(utimensat) },
	{ CALL(write), 0 },
	MACHINE_OWN_CALLS(ROW)
};

_Static_assert(sizeof(rows) / sizeof(*rows) <= OWN_CALLS_MAX, "own_calls.h");

size_t own_calls(const struct own_call **calls)
{
	*calls = rows;
	return sizeof(rows) / sizeof(*rows);
}
