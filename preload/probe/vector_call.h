/* SPDX-License-Identifier: MIT */
/*
 * Calls code that may use vector registers, while these contain values of the
 * program.
 */
#ifndef CLEW_PROBE_VECTOR_CALL_H
#define CLEW_PROBE_VECTOR_CALL_H

#include <stdint.h>

/*
 * Defined in arch/. Finds out which parts of the vector state must be
 * preserved. Called before vector_call(), any number of times.
 */
void vector_call_begin(void);

/*
 * Defined in arch/. Calls function(argument), and restores the vector and
 * floating-point state afterwards.
 */
void vector_call(void *argument, void (*function)(void *));

#endif
