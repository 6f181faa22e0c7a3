/* SPDX-License-Identifier: MIT */
/*
 * The compiled methods that have a stub (in_place_code.h) or wait for a stub.
 *
 * Code is changed while the JVM has stopped all Java threads. The JVM stops
 * threads only at its safepoints. Entries, exits and stubs contain no
 * safepoint, so no thread is then at a changed instruction or in a stub.
 * Therefore the stub of a method that is unloaded or restored can be reused at
 * once.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_METHODS_H
#define CLEW_JVM_INPLACE_IN_PLACE_METHODS_H

#include <stdint.h>

#include "jvm/inplace/compiled_shape.h"
#include "jvm/natives/compiled_methods.h"

/*
 * Maps memory for stubs, at most 2^31 bytes from all generated code of the JVM.
 * Returns 0 or -errno.
 */
int in_place_methods_begin(void);

/*
 * Adds a method that the JVM has reported, whose calls will count under
 * `number` once its jumps are written. Copies *method and *shape. Returns 0,
 * also if the method was added before or no memory is mapped; -ENOMEM without
 * room. Any thread may call this function.
 */
int in_place_methods_add(const struct compiled_method *method, uint32_t number,
			 const struct compiled_shape *shape);

/* Returns whether the method was added. Any thread may call this function. */
int in_place_methods_have(const struct compiled_method *method);

/*
 * Returns whether there are methods whose jumps are not written yet. Any thread
 * may call this function.
 */
int in_place_methods_wait(void);

/*
 * Called while all Java threads are stopped. in_place_methods_write() writes
 * the stubs and jumps of all waiting methods; in_place_methods_restore()
 * restores the code of all methods and removes them.
 */
void in_place_methods_write(void);
void in_place_methods_restore(void);

/* Unmaps the memory of stubs. Called after in_place_methods_restore(). */
void in_place_methods_end(void);

#endif
