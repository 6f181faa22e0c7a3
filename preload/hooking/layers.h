/* SPDX-License-Identifier: MIT */
/*
 * The language runtimes that this build of libclew.so knows from within, as it does
 * the Java virtual machine: a table with a row for each (generated/managed.h).
 */
#ifndef CLEW_HOOKING_LAYERS_H
#define CLEW_HOOKING_LAYERS_H

#include "preload/generated/managed.h"

/* Ask each of them. */
void layers_meet_module(struct module *module, struct windows *windows,
			struct wire_function *functions, uint32_t count);

/* As managed.h says. layers_end_late(): 0, or what one of them has returned. */
void layers_forget_numbers(void);
int layers_are_there(void);
void layers_begin_late(void);
int layers_end_late(void);

/* The one that stands by is to count, or not: 0, or -errno if none does. */
int layers_switch(int is_on);

#endif
