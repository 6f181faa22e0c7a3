/* SPDX-License-Identifier: MIT */
/*
 * The table of layers. A layer is a folder of code that knows the internals of
 * one language runtime, such as the JVM (generated/managed.h).
 */
#ifndef CLEW_HOOKING_LAYERS_H
#define CLEW_HOOKING_LAYERS_H

#include "preload/generated/managed.h"

/* Passes a new module to each layer, in case it is the layer's runtime. */
void layers_meet_module(struct module *module, struct windows *windows,
			struct wire_function *functions, uint32_t count);

/*
 * Each function calls the operation of the same name (managed.h) of all layers;
 * the last three skip layers whose runtime does not exist. layers_are_there()
 * returns whether any runtime exists. layers_end_late() returns 0, or the first
 * error, after which it calls no further layer.
 */
void layers_forget_numbers(void);
int layers_are_there(void);
void layers_begin_late(void);
int layers_end_late(void);
void layers_abandon(void);

/*
 * Switches counting on or off in the runtime that was prepared for it at start
 * (--java=standby). Returns 0, or -errno if there is no such runtime or it
 * failed.
 */
int layers_switch(int is_on);

#endif
