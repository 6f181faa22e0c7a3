/* SPDX-License-Identifier: MIT */
/*
 * The language runtimes whose internals this build of libclew.so knows, such as
 * the JVM. A table has a row for each (generated/managed.h).
 */
#ifndef CLEW_HOOKING_LAYERS_H
#define CLEW_HOOKING_LAYERS_H

#include "preload/generated/managed.h"

/* Passes the module to each runtime. */
void layers_meet_module(struct module *module, struct windows *windows,
			struct wire_function *functions, uint32_t count);

/* See managed.h. layers_end_late() returns 0 or the first runtime's error. */
void layers_forget_numbers(void);
int layers_are_there(void);
void layers_begin_late(void);
int layers_end_late(void);

/*
 * Switches counting of the runtime that stands by. Returns 0, or -errno if no
 * runtime does.
 */
int layers_switch(int is_on);

#endif
