/* SPDX-License-Identifier: MIT */
/*
 * The steps of a recording's beginning and end that are the same whether the
 * runtime was preloaded (init.h) or loaded into a running process (attach.c).
 */
#ifndef CLEW_SESSION_BEGIN_H
#define CLEW_SESSION_BEGIN_H

#include <stddef.h>

#include "preload/hooking/cold.h"

/* Not below an emulator, which is noted in the recording. */
int begin_is_possible(const char *dir);

/* What a coroutine's first function returns to. Calls libc; nothing is hooked. */
void begin_learn_starts(void);

/*
 * Read the configuration, make the part, and fill `rt`. 0 and *made; or -errno
 * if there can be no part, which is noted in the recording if that can be: -EAGAIN
 * where that takes a task, and none can be had. why[bytes] says what of the
 * configuration was not understood, or nothing.
 */
int begin_part(const char *dir, char *why, size_t bytes, struct cold **made);

/* 0; or -errno and why, if stubs or clocks cannot work here. */
int begin_check_machine(char *why, size_t bytes);

/* Samples, or the cost of measuring, as configured. */
void begin_time(const struct cold *cold);

/* The last steps of the recording but the state, in any thread. */
void begin_end(void);

#endif
