/* SPDX-License-Identifier: MIT */
/*
 * Attaches to a running process and detaches from it. wire/attachment.h
 * describes the steps.
 */
#ifndef CLEW_CLI_ATTACH_ATTACHING_H
#define CLEW_CLI_ATTACH_ATTACHING_H

#include "cli/attach/attach_lock.h"
#include "cli/attach/safe_thread.h"
#include "cli/attach/tracer.h"
#include "cli/target/target.h"
#include "wire/attachment.h"

struct attaching {
	pid_t pid;
	struct attach_lock lock;
	struct tracer tracer;
	struct target_maps maps;
	/* Valid until the mappings are read again. */
	struct safe_places places;
	/*
	 * Addresses in the process: dlopen(), dlerror() (0 if not found), and
	 * libc's code to which signal handlers return.
	 */
	uint64_t load, load_error, restorer;
	/*
	 * Offsets from a thread's control block: of errno, and of dlerror()'s
	 * result (0 if unknown).
	 */
	int64_t errno_offset, load_result;
	/* Addresses in libclew.so; 0 before it is loaded. */
	uint64_t attachment, prepare, enter, share, runtimes, finish, detach,
		release;
	/*
	 * The process was started with --java=standby: attaching only switches
	 * the counting of Java methods on and off.
	 */
	int stands_by;
	/*
	 * The longest time in nanoseconds for which all threads were stopped,
	 * and the longest for which only one thread was stopped.
	 */
	uint64_t all_ns, one_ns;
	/* A message about what the process does not record, or NULL. */
	char *notice;
	/* System calls that the filters forbid (wire/avoidable.h). */
	uint64_t avoided;
};

/*
 * Opens a process for attaching and takes its lock. Returns 0, and the caller
 * calls attaching_close(); or -errno and *why.
 */
int attaching_open(struct attaching *attaching, pid_t pid, char **why);

/*
 * Like attaching_open(), for a process that another command of clew may be
 * attached to. The caller may only stop one thread at a time, for a call.
 * Callers of this function exclude each other by a lock of their own.
 */
int attaching_open_beside(struct attaching *attaching, pid_t pid, char **why);
void attaching_close(struct attaching *attaching);

/*
 * Returns whether the process has a thread that has not exited and has this id
 * in the process's own pid namespace.
 */
int attaching_has_thread(const struct attaching *attaching, pid_t own_tid);

/*
 * Returns 0 if the process still runs the program to which clew has attached;
 * -ESRCH if it has exited, or -EIO if it has executed another program, and
 * *why.
 */
int attaching_check_program(const struct attaching *attaching, char **why);

/* Reads the mappings again. Returns 0, or -errno and *why. */
int attaching_read_again(struct attaching *attaching, char **why);

/*
 * Finds the addresses of the library's functions, or sets them to 0 if the
 * library is not in the mappings.
 */
void attaching_find_library(struct attaching *attaching);

/*
 * Loads the library from the path `library`, as the process sees it, unless it
 * is loaded. Returns 0, or -errno and *why; -ELIBACC if the process's loader
 * refuses the library.
 */
int attaching_load(struct attaching *attaching, const char *library,
		   char **why);

/*
 * Loads an agent library, another library than libclew.so, in the same way
 * (agent_library.h). `path` is the process's path of it.
 */
int attaching_load_agent(struct attaching *attaching, const char *path,
			 const char *library, char **why);

/*
 * Copies the variable clew_attachment of the process and checks its values
 * (cli/target/attachment_copy.h). All values are 0 if the library is not
 * loaded. Returns 0; -EEXIST and *why if the process has been recorded since
 * its start and attaching->stands_by is 0; or another -errno and *why.
 */
int attaching_read(const struct attaching *attaching,
		   struct wire_attachment *attachment, char **why);

/*
 * Begins recording into a directory, a path as the process sees it. `home` is
 * the directory to which the recording will be moved after detaching, or "" if
 * it stays. Returns 0, or -errno and *why.
 */
int attaching_enter(struct attaching *attaching, const char *directory,
		    const char *home, char **why);

/*
 * Detaches: restores all code and stacks of the process. Returns 0; -ESRCH if
 * the process has exited; or another -errno and *why.
 */
int attaching_detach(struct attaching *attaching, char **why);

#endif
