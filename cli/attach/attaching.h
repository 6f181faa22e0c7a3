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
	struct safe_places places; /* Valid while these mappings are. */
	/*
	 * Functions of libc, and the code to which its signal handlers return.
	 */
	uint64_t load, load_error, restorer;
	/* Offsets of libc's thread variables; load_result is 0 if unknown. */
	int64_t errno_offset, load_result;
	/* Addresses in libclew.so; 0 before it is loaded. */
	uint64_t attachment, prepare, enter, share, runtimes, finish, leave,
		release;
	/*
	 * The process was started with --java=standby: attaching only switches
	 * its language runtime on and off.
	 */
	int stands_by;
	/* The longest pauses of all threads, and of one. */
	uint64_t all_ns, one_ns;
};

/* Returns 0; or -errno and *why, and there is nothing to close. */
int attaching_open(struct attaching *attaching, pid_t pid, char **why);

/*
 * Does the same for a process that another clew may be attached to. The
 * caller may only borrow one thread for a moment. Callers of this function wait
 * for each other.
 */
int attaching_open_beside(struct attaching *attaching, pid_t pid, char **why);
void attaching_close(struct attaching *attaching);

/*
 * Returns whether the process has a thread with this id in its own namespace.
 */
int attaching_has_thread(const struct attaching *attaching, pid_t own_tid);

/* Reads the mappings again. Returns 0, or -errno and *why. */
int attaching_look_again(struct attaching *attaching, char **why);

/* Finds the library's functions in the mappings, or sets them to 0. */
void attaching_find_library(struct attaching *attaching);

/*
 * Loads the library unless it is loaded. Returns 0, or -errno and *why;
 * -ELIBACC if the process's loader refuses it.
 */
int attaching_load(struct attaching *attaching, const char *library,
		   char **why);

/*
 * Copies the library's report, checked (cli/target/attachment_copy.h). All
 * values are 0 if the library is not loaded. Returns 0, or -errno and *why.
 */
int attaching_read(const struct attaching *attaching,
		   struct wire_attachment *attachment, char **why);

/*
 * Begins recording into a directory, named as the process sees it. If the
 * recording belongs to another directory in the end, `home` names that one;
 * otherwise it is "". Returns 0, or -errno and *why.
 */
int attaching_enter(struct attaching *attaching, const char *directory,
		    const char *home, char **why);

/* Removes all of clew from the code. Returns 0; -ESRCH; or -errno and *why. */
int attaching_leave(struct attaching *attaching, char **why);

#endif
