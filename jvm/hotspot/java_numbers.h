/* SPDX-License-Identifier: MIT */
/*
 * The numbers under which Java methods, and stacks of them, count: each has one for
 * as long as the process lives, and the recording says what it is
 * (preload/record/function_names.h). Any thread that may call JNI.
 */
#ifndef CLEW_JVM_HOTSPOT_JAVA_NUMBERS_H
#define CLEW_JVM_HOTSPOT_JAVA_NUMBERS_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

#include "wire/recording.h"

/* None has one any more. Nobody asks meanwhile. */
void java_numbers_forget(void);

/* A method's. 0: it has no name, or there is no room. */
uint32_t java_numbers_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method);

/* Methods that call each other, outermost first. */
struct java_stack_numbers {
	uint32_t count; /* at least one, at most WIRE_STACK_MAX */
	uint32_t numbers[WIRE_STACK_MAX];
	/* Indices of bytecodes that call, or WIRE_BYTECODE_NONE */
	uint16_t calls[WIRE_STACK_MAX];
};

/*
 * A stack's: it is known by its methods and the bytecode of the innermost that calls;
 * of the others those count that it was met with first. 0: there is no room, or there
 * are too many stacks.
 */
uint32_t java_numbers_stack(const struct java_stack_numbers *stack);

#endif
