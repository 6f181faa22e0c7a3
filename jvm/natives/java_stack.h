/* SPDX-License-Identifier: MIT */
/*
 * Recognizes the calling thread's Java stack without a request to the JVM.
 *
 * This module walks HotSpot's frames: those of compiled code by the frame size
 * in the code's blob, those of interpreted methods by frame pointers. The walk
 * crosses stubs and calls by which the JVM called Java again. Return addresses
 * and interpreted bytecodes are hashed. Two stacks with the same hash have the
 * same methods, if they belong to one generation, in which no address gets
 * another meaning (java_callers.h). HotSpot's vmStructs describe the layouts.
 *
 * The walk ends at the stack's end, or at native code whose context is already
 * the thread's: it was called through a bridge, or has a stub.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_STACK_H
#define CLEW_JVM_NATIVES_JAVA_STACK_H

#include <stdint.h>

struct bridge_frame;

/*
 * A range of code: [start, end). `end` is stored last, and 0 before the range
 * is known.
 */
struct java_code {
	_Atomic uint64_t start, end;
};

/*
 * The JVM's code, and the interpreter, which is part of it. Frames of other
 * callers cannot be walked.
 */
extern struct java_code java_code, java_interpreter;

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
 * Learns the layout of frames. Returns 0, or -1 if the JVM does not describe
 * it; then no stack is walked.
 */
int java_stack_learn(uint64_t machine_pc);

/*
 * Returns the JVM's record of the code that contains a pc (CodeBlob *), or 0.
 * Used after java_stack_learn(). The record exists while the code has a frame
 * on a stack, while all Java threads are stopped, or while the JVM reports it.
 */
uint64_t java_stack_blob(uint64_t pc);

/*
 * Begins a new generation, because addresses may get another meaning. All
 * stacks get other hashes.
 */
void java_stack_forget(void);

/* The end of a walk. */
enum java_stack_end {
	JAVA_STACK_WHOLE, /* the stack's end */
	JAVA_STACK_CUT,   /* a native with a context */
	/* The outer frames of a virtual thread are in the heap. */
	JAVA_STACK_FROZEN,
	JAVA_STACK_LOST, /* the stack cannot be walked */
};

/* A frame of an interpreted method, or of compiled methods. */
struct java_frame {
	uint64_t code;     /* nmethod *; 0: interpreted */
	uint64_t pc;       /* in that code */
	uint32_t is_stub;  /* the whole code calls a native method */
	uint64_t method;   /* Method *, if interpreted */
	uint64_t bytecode; /* current bytecode; 0: native */
};

/* The frames of a walk, innermost first. */
struct java_frames {
	uint32_t count;
	struct java_frame frames[JAVA_STACK_WALK_MAX];
};

/*
 * Returns the hash of the Java stack below this bridge's frame, one of 2^47; 0
 * if the stack cannot be walked. *end becomes an enum java_stack_end. Uses
 * general registers only; a signal may arrive at any time.
 */
uint64_t java_stack_hash(const struct bridge_frame *frame, uint32_t *end);

/* Does the same and stores the frames. */
uint64_t java_stack_frames(const struct bridge_frame *frame,
			   struct java_frames *frames);

#endif
