/* SPDX-License-Identifier: MIT */
/*
 * The compiled methods that have a stub (in_place_code.h), or are to get one.
 *
 * Code is changed while the machine has stopped all its threads: none of them is then at a
 * place that changes, as that is none where they stop, nor in a stub, which calls nothing
 * of Java's. So a stub whose method is gone or has its bytes again may be another's at once.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_METHODS_H
#define CLEW_JVM_INPLACE_IN_PLACE_METHODS_H

#include <stdint.h>

#include "jvm/inplace/compiled_shape.h"
#include "jvm/natives/compiled_methods.h"

/* Room for stubs, in reach of all code of the machine's. 0 or -errno. */
int in_place_methods_begin(void);

/*
 * This is to count as that number; the machine tells of it. 0, also if it is known already,
 * or -ENOMEM. Any thread.
 */
int in_place_methods_add(const struct compiled_method *method, uint32_t number,
			 const struct compiled_shape *shape);

/* Whether it is known. Any thread. */
int in_place_methods_have(const struct compiled_method *method);

/* Whether some wait to be written. Any thread. */
int in_place_methods_wait(void);

/* While all threads of Java's are stopped: those that wait count; or none does any more. */
void in_place_methods_write(void);
void in_place_methods_restore(void);

/* The room goes; once they have been restored. */
void in_place_methods_end(void);

#endif
