/* SPDX-License-Identifier: MIT */
/* What a recording has, in a line, for whoever has just made it. */
#ifndef CLEW_CLI_RECORDED_LINE_H
#define CLEW_CLI_RECORDED_LINE_H

/*
 * On stderr; named as it was asked for. Nothing if it cannot be read. Returns 0 if
 * functions were to be hooked and none could be.
 */
int recorded_line_print(const char *path, const char *named);

#endif
