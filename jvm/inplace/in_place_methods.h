/* SPDX-License-Identifier: MIT */
/*
 * The compiled methods that have a stub (in_place_code.h), or will get one.
 *
 * Code is changed while the JVM has stopped all its threads. No thread is then
 * at a location that changes, because threads do not stop there, nor in a stub,
 * because stubs call no Java code. Therefore the stub of a method that is
 * unloaded or restored can be reused at once.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_METHODS_H
#define CLEW_JVM_INPLACE_IN_PLACE_METHODS_H

#include <stdint.h>

#include "jvm/inplace/compiled_shape.h"
#include "jvm/natives/compiled_methods.h"

/*
 * Maps memory for stubs in reach of all code of the JVM. Returns 0 or -errno.
 */
int in_place_methods_begin(void);

/*
 * Adds a method that the JVM has reported, to be counted under a number.
 * Returns 0, also if it was added before, or -ENOMEM. Any thread may call it.
 */
int in_place_methods_add(const struct compiled_method *method, uint32_t number,
			 const struct compiled_shape *shape);

/* True if the method was added. Any thread may call it. */
int in_place_methods_have(const struct compiled_method *method);

/* True if methods wait to be written. Any thread may call it. */
int in_place_methods_wait(void);

/*
 * Called while all Java threads are stopped: write the waiting methods, or
 * restore all.
 */
void in_place_methods_write(void);
void in_place_methods_restore(void);

/* Unmaps the memory of stubs, after all methods were restored. */
void in_place_methods_end(void);

#endif
