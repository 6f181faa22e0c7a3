/* SPDX-License-Identifier: MIT */
/*
 * A process that is being recorded, from its start or since clew was attached to
 * it: nothing of it is stopped, or written to, to find that out.
 */
#ifndef CLEW_CLI_TARGET_LIVE_PROCESS_H
#define CLEW_CLI_TARGET_LIVE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

struct live_process {
	pid_t pid;
	char *command;     /* printable */
	char *recording;   /* its directory */
	char *part;        /* the file that it counts in */
	int is_attached;   /* clew came while it ran */
	pid_t attached_by; /* then: the clew that did, */
	pid_t controller;  /* if that is there still; else 0 */
};

/*
 * 0; -ESRCH: there is none; -ENOENT: nobody records it; -ESTALE: what it counts in is there no more; or
 * what else the system says. *why says it in words. live_process_fini() it if 0.
 */
int live_process_init(struct live_process *process, pid_t pid, char **why);
void live_process_fini(struct live_process *process);

/* Its command line, printable; free() it. */
char *live_process_command(pid_t pid);

/* All that can be seen, by pid. *count of them; free() them after fini. */
struct live_process *live_processes(size_t *count);

#endif
