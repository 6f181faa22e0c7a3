/* SPDX-License-Identifier: MIT */
/*
 * The first and last steps of a recording, which are the same whether the
 * runtime was preloaded (init.h) or loaded into a running process (attach.c).
 */
#ifndef CLEW_SESSION_BEGIN_H
#define CLEW_SESSION_BEGIN_H

#include <stddef.h>

#include "preload/hooking/cold.h"

/*
 * Returns 0 if an emulator such as QEMU or valgrind executes the program, and
 * stores this reason in the directory. Otherwise returns 1.
 */
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
 * If the configuration is invalid, `why` says where.
 */
int begin_part(const char *dir, char *why, size_t bytes, struct cold **made);

/*
 * Returns 0, or -errno with a reason in `why` if this CPU or kernel cannot run
 * stubs or read clocks as needed.
 */
int begin_check_machine(char *why, size_t bytes);

/* Starts sampling, or measures the cost of time measurement, as configured. */
void begin_time(const struct cold *cold);

/*
 * Does the last steps of a recording, except setting its state in the
 * recording's header. Any thread may call this function.
 */
void begin_end(void);

#endif
