/* SPDX-License-Identifier: MIT */
/* The object of a probe's handler (agent/clew_handler.h), looked at before it is loaded. */
#ifndef CLEW_CLI_PROBES_HANDLER_OBJECT_H
#define CLEW_CLI_PROBES_HANDLER_OBJECT_H

/*
 * A line of an action that calls one, as the library takes it: what was said, and
 * behind PROBE_ACTION_MARK the same with the object's whole path. NULL in *out: the line
 * calls nobody. What the object imports and handlers may not call is named on standard
 * error. 0, or -EINVAL and *why: there is no such function, or it cannot be what it
 * says. For free().
 */
int handler_object_settle(const char *line, char **out, char **why);

#endif
