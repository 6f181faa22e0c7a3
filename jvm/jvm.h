/* SPDX-License-Identifier: MIT */
/*
 * The JVM layer: HotSpot, and any other library with the name libjvm.so and the
 * tool interface JVMTI.
 *
 *	create.c	replaces JNI_CreateJavaVM() and adds an agent to the
 *			JVM's options: libclew.so itself
 *	agent_load.c	the option, and the function that the JVM then calls
 *	agent.c		the agent: receives events about native methods and
 *			generated code (preload/generated/records.h writes
 *			these into the part)
 *	late.c		a JVM that runs already and has no such option
 *	class_changes.c	notices changes of methods while they run
 *
 *	jvmti/		helpers for JVMTI and JNI: names, line numbers, loaded
 *			classes, work while no Java thread runs
 *	hotspot/	HotSpot's descriptions of itself for debuggers, inlined
 *			methods, the numbers of methods and of Java stacks
 *	natives/	bridges, through which Java calls native methods, and
 *			the Java callers of these methods
 *	exact/		rewritten classes, whose methods count their calls
 *	inplace/	compiled methods, whose calls are counted in place
 *	jni/		calls of JNI functions by native methods
 *
 * If clew cannot observe a JVM, the JVM runs as without clew. The part's header
 * contains the reason (enum wire_java), unless memory was short.
 */
#ifndef CLEW_JVM_JVM_H
#define CLEW_JVM_JVM_H

#include "preload/generated/managed.h"

extern const struct managed_runtime jvm_runtime;

#endif
