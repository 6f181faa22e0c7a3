/* SPDX-License-Identifier: MIT */
/*
 * Recognizes the calling thread's Java stack without a request to the JVM.
 *
 * This module walks HotSpot's frames: those of compiled code by the frame size
 * in the code's blob, those of interpreted methods by frame pointers. The walk
 * crosses the JVM's stubs, and calls by which the JVM called Java again. Return
 * addresses and interpreted bytecodes are hashed. Two stacks with the same hash
 * have the same methods, except by chance, if both hashes are of one
 * generation: a period in which no address gets another meaning
 * (java_callers.h). HotSpot's descriptions for debuggers (hotspot.h) contain
 * the layouts.
 *
 * The walk ends at the stack's end, or at native code whose Java callers are
 * already in the thread's context, because Java has called it through a bridge
 * or it has a stub.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_STACK_H
#define CLEW_JVM_NATIVES_JAVA_STACK_H

#include <stdint.h>

struct bridge_frame;

/*
 * A range of code: [start, end). `end` is stored last, and is 0 until the range
 * is known.
 */
struct java_code {
	_Atomic uint64_t start, end;
};

/*
 * All generated code of the JVM, and the part of it that is the interpreter.
 * The walk crosses frames of this code only.
 */
extern struct java_code java_code, java_interpreter;

/*
 * Offset of the address of the current bytecode in the frame of an interpreted
 * method, in words from the frame pointer.
 */
extern int64_t java_bytecode_words;

static inline int java_code_has(const struct java_code *code, uint64_t pc)
{
	return pc < code->end && pc >= code->start;
}

/*
 * Maximum number of frames in a walk, and of methods in a recorded stack. A
 * frame of compiled code belongs to one or more methods.
 */
#define JAVA_STACK_WALK_MAX 1536
#define JAVA_STACK_TOLD_MAX 1000

/*
 * Learns the layout of frames. machine_pc is the address of any function of the
 * JVM. Returns 0, or -1 if the JVM does not describe the layout; then no stack
 * can be walked.
 */
int java_stack_learn(uint64_t machine_pc);

/*
 * Stores the range of addresses in which the JVM generates code; 0 and 0 if it
 * is unknown.
 */
void java_stack_code(uint64_t machine_pc, uint64_t *start, uint64_t *end);

/*
 * Returns the JVM's record of the code that contains a pc (CodeBlob *), or 0.
 * Used after java_stack_learn(). The record exists while the code has a frame
 * on a stack, while all Java threads are stopped, or while the JVM reports it.
 */
uint64_t java_stack_blob(uint64_t pc);

/*
 * Begins a new generation, because addresses may get another meaning.
 * Afterwards all stacks have other hashes. Any thread may call this function.
 */
void java_stack_forget(void);

/* Where a walk has ended. */
enum java_stack_end {
	/*
	 * The walk has reached the outermost Java frame of the thread or of the
	 * virtual thread, or JAVA_STACK_WALK_MAX frames.
	 */
	JAVA_STACK_WHOLE,
	/*
	 * The walk has reached a native whose Java callers are in the context.
	 */
	JAVA_STACK_CUT,
	/* The outer frames of a virtual thread are in the heap. */
	JAVA_STACK_FROZEN,
	JAVA_STACK_LOST, /* the stack cannot be walked */
};

/* A frame of an interpreted method, or of compiled methods. */
struct java_frame {
	uint64_t code; /* address of the nmethod; 0 for an interpreted method */
	uint64_t pc;   /* address in that code */
	/* Whether the code is the JVM's wrapper of a native method. */
	uint32_t is_stub;
	/* address of the Method, if the method is interpreted */
	uint64_t method;
	/* address of the current bytecode; 0 in a native method */
	uint64_t bytecode;
};

/* The frames of a walk, innermost first. */
struct java_frames {
	uint32_t count;
	int is_short; /* the walk has ended after JAVA_STACK_WALK_MAX frames */
	struct java_frame frames[JAVA_STACK_WALK_MAX];
};

/*
 * Returns the hash of the Java stack that has called the bridge with this
 * frame: a number from 1 to 2^47 - 1, or 0 if the stack cannot be walked. *end
 * becomes an enum java_stack_end; if it is JAVA_STACK_FROZEN or
 * JAVA_STACK_LOST, the result is 0. Uses general registers only; a signal may
 * arrive at any time.
 */
uint64_t java_stack_hash(const struct bridge_frame *frame, uint32_t *end);

/*
 * Returns the same hash as java_stack_hash(), and stores the frames of the
 * walk.
 */
uint64_t java_stack_frames(const struct bridge_frame *frame,
			   struct java_frames *frames);

#endif
