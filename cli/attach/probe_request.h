/* SPDX-License-Identifier: MIT */
/*
 * Changes the probes of a process that is being recorded. See
 * wire/probe_requests.h.
 */
#ifndef CLEW_CLI_ATTACH_PROBE_REQUEST_H
#define CLEW_CLI_ATTACH_PROBE_REQUEST_H

#include "cli/attach/attaching.h"
#include "wire/probe_requests.h"

/*
 * Makes libclew.so in a process execute the lines (wire/probe_requests.h), and
 * waits until the request is done. Returns 0, or -errno and *why. *out then
 * contains the result of each line; that of an action is in the answer for its
 * probe.
 */
int probe_request(struct attaching *attaching, const char *lines,
		  struct wire_live_probes *out, char **why);

/*
 * Like probe_request(), but opens the process before and closes it afterwards.
 */
int probe_request_process(pid_t pid, const char *lines,
			  struct wire_live_probes *out, char **why);

/*
 * Returns a message that says why a line could not be executed, which the
 * caller frees; NULL if it was executed.
 */
char *probe_answer_text(const struct wire_live_answer *answer);

/*
 * Removes all probes of the process, as is necessary before detaching. Returns
 * 0, or -errno and *why.
 */
int probe_remove_all(struct attaching *attaching, char **why);

#endif
