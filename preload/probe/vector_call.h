/* SPDX-License-Identifier: MIT */
/* A call of code that may use vector registers, from where they are the program's. */
#ifndef CLEW_PROBE_VECTOR_CALL_H
#define CLEW_PROBE_VECTOR_CALL_H

#include <stdint.h>

/* arch: which parts of the state there are to be kept. Once, before any call. */
void vector_call_begin(void);

/* arch: call function(argument), and put vector and floating-point state back. */
void vector_call(void *argument, void (*function)(void *));

#endif
