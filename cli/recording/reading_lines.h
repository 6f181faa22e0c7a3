/* SPDX-License-Identifier: MIT */
/*
 * What the processes of a recording that is under way keep their users waiting for,
 * before their programs begin: "reading libLLVM.so.14, once". A module that clew meets for
 * the first time is read for up to some seconds, and later starts find what came of it.
 *
 * A line each, on stderr: lines of the programs' own are not disturbed, and a cursor
 * that one of them has placed is not moved back.
 */
#ifndef CLEW_CLI_RECORDING_READING_LINES_H
#define CLEW_CLI_RECORDING_READING_LINES_H

struct reading_lines;

/* Of the recording in this folder; NULL where the kernel does not tell of new files. */
struct reading_lines *reading_lines_create(const char *folder);
void reading_lines_destroy(struct reading_lines *lines);

/* Now and then: a struct reading_lines. Each module is told once. */
void reading_lines_look(void *context);

#endif
