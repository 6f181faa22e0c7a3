/* SPDX-License-Identifier: MIT */
/*
 * Checks a probe's handler object (agent/clew_handler.h) before it is loaded.
 */
#ifndef CLEW_CLI_PROBES_HANDLER_OBJECT_H
#define CLEW_CLI_PROBES_HANDLER_OBJECT_H

/*
 * Rewrites an action's line that calls a handler for the library: the user's
 * text, and behind PROBE_ACTION_MARK the same with the object's absolute path.
 * *out is NULL if the line calls no handler or cannot be parsed; otherwise the
 * caller frees it. Prints a warning on stderr for imports that handlers must
 * not call. Returns 0; or -EINVAL and *why if the object cannot be read, the
 * function does not exist, or its traits are invalid.
 */
int handler_object_settle(const char *line, char **out, char **why);

#endif
