/* SPDX-License-Identifier: MIT */
/*
 * Into a running process, and out of it: wire/attachment.h says by which steps.
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
	struct safe_places places; /* for as long as these are mapped */
	/* Functions of libc, and where its signal handlers return to. */
	uint64_t load, load_error, restorer;
	/* Where threads have variables of libc's; load_result: 0, not known. */
	int64_t errno_offset, load_result;
	/* libclew.so's, once it is there; 0 before. */
	uint64_t attachment, prepare, enter, share, runtimes, finish, leave,
		release;
	/*
	 * It has been recorded since its start, and calls that its runtimes run are counted
	 * when that is switched on only: nothing else is done with it.
	 */
	int stands_by;
	/* For how long they were stopped, at most. */
	uint64_t all_ns, one_ns;
};

/* 0; or -errno and *why, and nothing is to be closed. */
int attaching_open(struct attaching *attaching, pid_t pid, char **why);

/*
 * Likewise, of a process that another clew may be attached to: for what needs no more
 * than a thread for a moment. One that does so waits for another.
 */
int attaching_open_beside(struct attaching *attaching, pid_t pid, char **why);
void attaching_close(struct attaching *attaching);

/* Whether there is a thread that calls itself so. */
int attaching_has_thread(const struct attaching *attaching, pid_t own_tid);

/* What is mapped now. 0, or -errno and *why. */
int attaching_look_again(struct attaching *attaching, char **why);

/* Where the library's functions are, by what is mapped: 0 where they are not. */
void attaching_find_library(struct attaching *attaching);

/*
 * Load the library, unless it is there. 0, or -errno and *why; -ELIBACC: its loader
 * does not.
 */
int attaching_load(struct attaching *attaching, const char *library,
		   char **why);

/*
 * Copies what the library reports, checked (cli/target/attachment_copy.h); all zero where there
 * is no library. 0, or -errno and *why.
 */
int attaching_read(const struct attaching *attaching,
		   struct wire_attachment *attachment, char **why);

/*
 * Record into a directory, by its own path, from now on. If that is not where the
 * recording belongs in the end, home is that; else "". 0, or -errno and *why.
 */
int attaching_enter(struct attaching *attaching, const char *directory,
		    const char *home, char **why);

/* Nothing of it is left in the code. 0; -ESRCH; or -errno and *why. */
int attaching_leave(struct attaching *attaching, char **why);

#endif
