/* SPDX-License-Identifier: MIT */
/*
 * The numbers under which Java methods, and stacks of them, count. A number is
 * valid until java_numbers_forget(), also if the method is unloaded. The
 * recording describes each number (preload/record/function_names.h). Any thread
 * that may call JNI may use these functions.
 */
#ifndef CLEW_JVM_HOTSPOT_JAVA_NUMBERS_H
#define CLEW_JVM_HOTSPOT_JAVA_NUMBERS_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

#include "wire/recording.h"

/*
 * Forgets all numbers. No other thread may call functions of this header
 * meanwhile.
 */
void java_numbers_forget(void);

/*
 * Returns a method's number; 0 if the JVM does not return its names, or there
 * is no room.
 */
uint32_t java_numbers_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method);

/* A stack of Java methods, outermost first; each method calls the next. */
struct java_stack_numbers {
	uint32_t count; /* at least one, at most WIRE_STACK_MAX */
	uint32_t numbers[WIRE_STACK_MAX];
	/* Indices of the calling bytecodes, or WIRE_BYTECODE_NONE. */
	uint16_t calls[WIRE_STACK_MAX];
};

/*
 * Returns a stack's number; 0 if there is no room or there are too many stacks.
 * The key of a stack consists of its methods and the calling bytecode of the
 * innermost one. Stacks with the same key have one number; the recording has
 * the other bytecodes of the first of them only.
 */
uint32_t java_numbers_stack(const struct java_stack_numbers *stack);

#endif
