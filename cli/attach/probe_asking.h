/* SPDX-License-Identifier: MIT */
/*
 * Changes the probes of a process that is being recorded. See
 * wire/probe_requests.h.
 */
#ifndef CLEW_CLI_ATTACH_PROBE_ASKING_H
#define CLEW_CLI_ATTACH_PROBE_ASKING_H

#include "cli/attach/attaching.h"
#include "wire/probe_requests.h"

/*
 * Makes a process with libclew.so carry out these lines, and waits for that.
 * Returns 0, or -errno and *why. The result of each line is in *out.
 */
int probe_ask(struct attaching *attaching, const char *lines,
	      struct wire_live_probes *out, char **why);

/* Does the same in a process that is not open yet. */
int probe_ask_process(pid_t pid, const char *lines,
		      struct wire_live_probes *out, char **why);

/*
 * Returns the text of a line's result, or NULL if the line was carried out. The
 * caller frees it.
 */
char *probe_answer_text(const struct wire_live_answer *answer);

/* Removes all probes before detaching. Returns 0, or -errno and *why. */
int probe_remove_all(struct attaching *attaching, char **why);

#endif
