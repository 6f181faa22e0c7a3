/* SPDX-License-Identifier: MIT */
/*
 * Each call of compiled Java methods, counted exactly where it is made (--java=inplace): code
 * that HotSpot has compiled gets jumps at its entry and its exits (in_place_code.h). Classes
 * are as they were, nothing is compiled anew; what is interpreted is not seen, nor what the
 * compiler has made part of its caller.
 *
 *	the machine tells of code	it is read (compiled_shape.h), and waits
 *	a thread of ours		has all of Java's stopped now and then, and those
 *					that wait get their jumps (in_place_methods.h)
 *
 * Refused as a whole where the machine is none that is known (compiled_methods.h), and over
 * once a virtual thread is there, whose frames move.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_H
#define CLEW_JVM_INPLACE_IN_PLACE_H

#include <jni.h>
#include <jvmti.h>

int in_place_is_wanted(void);

/*
 * In a machine that is being started. That it is refused is in the part's header, here and
 * below.
 */
void in_place_prepare(JavaVM *vm);

/*
 * In one that runs, on a thread of ours that is attached: when this returns calls of what
 * is compiled count.
 */
void in_place_begin_late(JavaVM *vm, JNIEnv *jni);

/* All code is as it was: 0 or -errno. */
int in_place_end(void);

#endif
