/* SPDX-License-Identifier: MIT */
/* Changing the probes of a process that is being recorded: wire/probe_requests.h. */
#ifndef CLEW_CLI_ATTACH_PROBE_ASKING_H
#define CLEW_CLI_ATTACH_PROBE_ASKING_H

#include "cli/attach/attaching.h"
#include "wire/probe_requests.h"

/*
 * Have these lines done in a process that libclew.so is in, and wait for that. 0, or
 * -errno and *why; 0 says nothing about what came of each line.
 */
int probe_ask(struct attaching *attaching, const char *lines,
	      struct wire_live_probes *out, char **why);

/* The same in a process that nothing is done with yet. */
int probe_ask_process(pid_t pid, const char *lines,
		      struct wire_live_probes *out, char **why);

/* What came of a line, in words: NULL if it was done. For free(). */
char *probe_answer_text(const struct wire_live_answer *answer);

/* Remove all, before the process is left. 0, or -errno and *why. */
int probe_remove_all(struct attaching *attaching, char **why);

#endif
