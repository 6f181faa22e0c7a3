/* SPDX-License-Identifier: MIT */
/*
 * The numbers under which Java methods, and stacks of them, count: each has one for
 * as long as the process lives, and the recording says what it is
 * (preload/record/function_names.h). Any thread that may call JNI.
 */
#ifndef CLEW_JVM_JAVA_NUMBERS_H
#define CLEW_JVM_JAVA_NUMBERS_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/* A method's. 0: it has no name, or there is no room. */
uint32_t java_numbers_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method);

/*
 * A stack's, by the numbers of its methods, outermost first, of which there are no
 * more than WIRE_STACK_MAX. 0: there is no room, or there are too many stacks.
 */
uint32_t java_numbers_stack(const uint32_t *numbers, uint32_t count);

#endif
