/* SPDX-License-Identifier: MIT */
/*
 * The Java virtual machine: HotSpot, and whatever else is called libjvm.so and has
 * the tool interface JVMTI.
 *
 *	create.c	stands in for JNI_CreateJavaVM() and adds an agent to the
 *			machine's options: libclew.so itself
 *	agent_load.c	the option, and what the machine calls then
 *	agent.c		the agent: is told which native method is bound to which
 *			address, and what code the machine makes
 *			(preload/generated/records.h writes that into the part)
 *	late.c		a machine that runs already, which has no option
 *	bound_natives.c	its natives, that are bound already
 *	from_java.c	what only a caller in Java may do
 *	bridges.c	makes bridges, through which Java calls them
 *	intrinsics.c	which natives it may never call
 *	class_changes.c	when methods are changed while they run
 *	native_relays.c	stubs for natives whose code is not hooked
 *	bridge.c	what a bridge does: the Java caller enters the context
 *	java_callers.c	who that is, by the place of the call or the whole stack
 *	java_stack.c	which stack that is, by the frames of HotSpot
 *	java_recall.c	the walks of these that a thread has made lately
 *	java_scopes.c	which methods these frames are of, and at which bytecodes
 *	java_compose.c	new stacks of frames whose methods are known
 *	java_numbers.c	the numbers of methods, and of stacks of them
 *	line_tables.c	where Java methods are written
 *	inlined_methods.c	which of them are where in compiled code
 *	hotspot.c	what HotSpot tells debuggers of itself
 *	in_place.c	calls of compiled methods, counted where they are made: with
 *			compiled_methods.c (what the machine knows of one),
 *			compiled_shape.c (where its code is entered and left), and
 *			in_place_*.c (its stub, and when that is led to)
 *	stopped_machine.c	what is done while no Java thread runs
 *	jni_env.c	natives' calls of JNI's functions, and with jni_watch.h what
 *			is worth knowing of them
 *
 * Whatever fails, the machine starts as though clew were not there, and the part's
 * header says why (enum wire_java).
 */
#ifndef CLEW_JVM_JVM_H
#define CLEW_JVM_JVM_H

#include "preload/generated/managed.h"

extern const struct managed_runtime jvm_runtime;

#endif
