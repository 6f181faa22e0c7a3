/* SPDX-License-Identifier: MIT */
/* x86-64: see confinement.h. */
#include "symbolizer/indexer/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * System calls that change nothing except the worker itself and files that it
 * has opened.
 */
static const unsigned int allowed[] = {
	SYS_read,
	SYS_pread64,
	SYS_readv,
	SYS_preadv,
	SYS_write,
	SYS_pwrite64,
	SYS_writev,
	SYS_pwritev,
	SYS_lseek,
	SYS_close,
	SYS_fstat,
	SYS_stat,
	SYS_lstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_fstatfs,
	SYS_statfs,
	SYS_access,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_readlink,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_getcwd,
	SYS_dup,
	SYS_dup2,
	SYS_dup3,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_fsync,
	SYS_fdatasync,
	SYS_flock,
	SYS_fadvise64,
	SYS_brk,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_mincore,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_gettimeofday,
	SYS_time,
	SYS_getrandom,
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_uname,
	SYS_sysinfo,
	SYS_getrusage,
	SYS_times,
	SYS_getcpu,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_futex,
	SYS_set_robust_list,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
};

/*
 * System calls of a worker that opens no files. Sanitizers need sigaltstack().
 */
static const unsigned int allowed_if_closed[] = {
	SYS_sigaltstack,     SYS_pread64,      SYS_brk,
	SYS_munmap,          SYS_mremap,       SYS_madvise,
	SYS_rt_sigprocmask,  SYS_rt_sigreturn, SYS_clock_gettime,
	SYS_getpid,          SYS_gettid,       SYS_futex,
	SYS_restart_syscall, SYS_exit,         SYS_exit_group,
};

/* Additional system calls if Landlock limits the folders. */
static const unsigned int allowed_to_writers[] = {
	SYS_mkdir,  SYS_mkdirat,  SYS_rename, SYS_renameat, SYS_renameat2,
	SYS_unlink, SYS_unlinkat, SYS_rmdir,  SYS_fchmod,   SYS_utimensat,
};

/*
 * Macros for filter instructions, which load a system call's number or
 * arguments.
 */
#define ARGUMENT_AT(i)                                                         \
	((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (i)))
#define LOAD(at)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(at))
#define PERMIT    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define COUNT(of) (sizeof(of) / sizeof(*(of)))

#define X32       0x40000000U /* set in system call numbers of the x32 ABI */

#define WRITES    (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

struct syscall_filter {
	struct sock_filter code[256];
	unsigned short count;
};

static void add(struct syscall_filter *filter, struct sock_filter instruction)
{
	filter->code[filter->count++] = instruction;
}

/* Permits a call. For other calls the number stays loaded. */
static void permit(struct syscall_filter *filter, unsigned int call)
{
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						 call, 0, 1));
	add(filter, (struct sock_filter)PERMIT);
}

static void permit_all(struct syscall_filter *filter, const unsigned int *calls,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		permit(filter, calls[i]);
}

/*
 * Permits a call if a 32-bit argument passes the test, which skips one
 * instruction.
 */
static void permit_if(struct syscall_filter *filter, unsigned int call,
		      unsigned int argument, struct sock_filter test)
{
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						 call, 0, 4));
	add(filter, (struct sock_filter)LOAD(ARGUMENT_AT(argument)));
	add(filter, test);
	add(filter, (struct sock_filter)REFUSE);
	add(filter, (struct sock_filter)PERMIT);
}

static struct sock_filter is(uint32_t value)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1,
					    0);
}

static struct sock_filter has_none_of(uint32_t bits)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0,
					    1);
}

static void begin(struct syscall_filter *filter)
{
	add(filter,
	    (struct sock_filter)LOAD(offsetof(struct seccomp_data, arch)));
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						 AUDIT_ARCH_X86_64, 1, 0));
	add(filter, (struct sock_filter)REFUSE);
	add(filter,
	    (struct sock_filter)LOAD(offsetof(struct seccomp_data, nr)));
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
						 X32, 0, 1));
	add(filter, (struct sock_filter)REFUSE);
}

/*
 * Installs the filter after adding what every worker may do. All other calls
 * fail.
 */
static int install(struct syscall_filter *filter)
{
	struct sock_fprog program = { .filter = filter->code };

	permit_if(filter, SYS_mmap, 2, has_none_of(PROT_EXEC));
	permit_if(filter, SYS_mprotect, 2, has_none_of(PROT_EXEC));
	permit_if(filter, SYS_tgkill, 0, is((uint32_t)getpid())); /* abort() */
	add(filter, (struct sock_filter)REFUSE);
	program.len = filter->count;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno
								    : 0;
}

static int filter_calls(int may_write)
{
	/* Landlock handles truncation only since Linux 6.2 */
	const uint32_t writes = may_write ? O_TRUNC : WRITES;
	struct syscall_filter filter = { .count = 0 };

	begin(&filter);
	permit_all(&filter, allowed, COUNT(allowed));
	if (may_write)
		permit_all(&filter, allowed_to_writers,
			   COUNT(allowed_to_writers));
	permit_if(&filter, SYS_open, 1, has_none_of(writes));
	permit_if(&filter, SYS_openat, 2, has_none_of(writes));
	permit_if(&filter, SYS_fcntl, 1, is(F_GETFL));
	return install(&filter);
}

/* ---- Folders ---- */

#define REMOVES_AND_MAKES                                                      \
	(LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |      \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG)
#define WRITES_FILES (LANDLOCK_ACCESS_FS_WRITE_FILE | REMOVES_AND_MAKES)
#define HANDLED                                                                \
	(LANDLOCK_ACCESS_FS_EXECUTE | WRITES_FILES |                           \
	 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |         \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |        \
	 LANDLOCK_ACCESS_FS_MAKE_SYM)

static int add_folder(int rules, const char *path)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = WRITES_FILES,
		.parent_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	int err = 0;

	if (rule.parent_fd < 0)
		/*
		 * Usually the folder does not exist. Without a rule nothing may
		 * be written in it.
		 */
		return 0;
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
		    &rule, 0) != 0)
		err = -errno;
	close(rule.parent_fd);
	return err;
}

static int limit_folders(const char *const *writable)
{
	const struct landlock_ruleset_attr handled = { .handled_access_fs =
							       HANDLED };
	const int rules = (int)syscall(SYS_landlock_create_ruleset, &handled,
				       sizeof(handled), 0);
	int err = 0;

	if (rules < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -errno;
	for (; *writable && !err; writable++)
		err = add_folder(rules, *writable);
	if (!err && syscall(SYS_landlock_restrict_self, rules, 0) != 0)
		err = -errno;
	close(rules);
	return err;
}

int confinement_enter(const char *const *writable)
{
	int err = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	if (writable)
		err = limit_folders(writable);
	return err ? err : filter_calls(writable != NULL);
}

int confinement_enter_closed(void)
{
	struct syscall_filter filter = { .count = 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	begin(&filter);
	permit_all(&filter, allowed_if_closed, COUNT(allowed_if_closed));
	return install(&filter);
}
