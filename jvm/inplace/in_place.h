/* SPDX-License-Identifier: MIT */
/*
 * Counts each call of compiled Java methods in place (--java=inplace): code
 * that HotSpot has compiled gets jumps at its entry and its exits
 * (in_place_code.h). Classes are not changed, and nothing is compiled again.
 * Calls that are interpreted or inlined are not counted.
 *
 *	the JVM reports code	the code is read (compiled_shape.h) and waits
 *	a thread of clew's	stops all Java threads from time to time, and
 *				writes the jumps of waiting code
 *				(in_place_methods.h)
 *
 * The mode is refused as a whole in an unknown JVM (compiled_methods.h), and
 * ends once a virtual thread exists, because the frames of virtual threads
 * move.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_H
#define CLEW_JVM_INPLACE_IN_PLACE_H

#include <jni.h>
#include <jvmti.h>

int in_place_is_wanted(void);

/*
 * Prepares a JVM that is being started. The part's header contains the reason
 * of a refusal, here and below.
 */
void in_place_prepare(JavaVM *vm);

/*
 * Starts in a running JVM, on a thread of clew's that is attached to the JVM.
 * On return, calls of methods that were compiled before are counted, as far as
 * these methods are selected and their code is recognized.
 */
void in_place_begin_late(JavaVM *vm, JNIEnv *jni);

/*
 * Stops clew's thread and restores all code. Returns 0, also if nothing was
 * started, or -EBUSY; the caller may then call it again.
 */
int in_place_end(void);

#endif
