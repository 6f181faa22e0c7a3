/* SPDX-License-Identifier: MIT */
/*
 * Calls code that may use vector registers, while these contain values of the
 * program.
 */
#ifndef CLEW_PROBE_VECTOR_CALL_H
#define CLEW_PROBE_VECTOR_CALL_H

#include <stdint.h>

/*
 * arch: finds out once, before any call, which parts of the state must be
 * preserved.
 */
void vector_call_begin(void);

/*
 * arch: calls function(argument) and restores the vector and floating-point
 * state.
 */
void vector_call(void *argument, void (*function)(void *));

#endif
