/* SPDX-License-Identifier: MIT */
/* Prints the summary of a new recording in one line. */
#ifndef CLEW_CLI_RECORDING_RECORDED_LINE_H
#define CLEW_CLI_RECORDING_RECORDED_LINE_H

/*
 * Prints the line on stderr. `named` is the path as the user named it. Further
 * lines report snapshots and code that is not hooked. Prints nothing if the
 * recording cannot be read. Returns 0 if functions were to be hooked and clew
 * could hook no function; otherwise 1.
 */
int recorded_line_print(const char *path, const char *named);

/*
 * Prints the number of calls and contexts, and the command to try next, for a
 * user at a terminal. Further lines report snapshots, and that no function
 * could be hooked. Prints nothing if the recording cannot be read.
 */
void recorded_line_suggest(const char *path, const char *named);

/*
 * Prints only the line that no function could be hooked, if that is so. Returns
 * the same as recorded_line_print().
 */
int recorded_line_warn(const char *path);

#endif
