/* SPDX-License-Identifier: MIT */
/*
 * Reports why recorded processes start slowly: "analysing libLLVM.so.14, which
 * takes longer the first time". Analysing a module for the first time takes up
 * to some seconds; later starts find the result in the cache.
 *
 * Each report is a line on stderr without cursor movements, so output of the
 * programs is not overwritten.
 */
#ifndef CLEW_CLI_RECORDING_READING_LINES_H
#define CLEW_CLI_RECORDING_READING_LINES_H

struct reading_lines;

/*
 * Watches the recording in this folder. Returns NULL if the kernel does not
 * report new files.
 */
struct reading_lines *reading_lines_create(const char *folder);
void reading_lines_destroy(struct reading_lines *lines);

/*
 * Reports modules whose analysis takes long; `context` is a struct
 * reading_lines. Each name of a module is reported once.
 */
void reading_lines_poll(void *context);

#endif
