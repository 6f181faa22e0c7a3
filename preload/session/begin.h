/* SPDX-License-Identifier: MIT */
/*
 * The first and last steps of a recording, which are the same whether the
 * runtime was preloaded (init.h) or loaded into a running process (attach.c).
 */
#ifndef CLEW_SESSION_BEGIN_H
#define CLEW_SESSION_BEGIN_H

#include <stddef.h>

#include "preload/hooking/cold.h"

/* Returns 0 below an emulator, and records that reason in the directory. */
int begin_is_possible(const char *dir);

/*
 * Learns the address to which a coroutine's first function returns. Calls libc,
 * so it must run while nothing is hooked.
 */
void begin_learn_starts(void);

/*
 * Reads the configuration, creates the part, and fills `rt`. Returns 0 and
 * stores *made. Returns -errno if the part cannot be created, and records the
 * reason if possible; -EAGAIN if the part needs a task and none can be started.
 * why[bytes] describes the part of the configuration that is invalid, or is not
 * changed.
 */
int begin_part(const char *dir, char *why, size_t bytes, struct cold **made);

/*
 * Returns 0, or -errno with the reason in why if stubs or clocks cannot work on
 * this machine.
 */
int begin_check_machine(char *why, size_t bytes);

/* Starts sampling, or measures the cost of time measurement, as configured. */
void begin_time(const struct cold *cold);

/*
 * Does all last steps of a recording except that it does not change the state.
 * Any thread may call it.
 */
void begin_end(void);

#endif
