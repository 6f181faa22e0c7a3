/* SPDX-License-Identifier: MIT */
/*
 * Whether the calling thread's Java stack is one that is known, without asking.
 *
 * HotSpot's frames are walked where they lie: of compiled code by the size that
 * its blob in the code heap has, of interpreted methods by their frame pointers,
 * through stubs and calls of the machine's own that led to Java again. Return
 * addresses and interpreted bytecodes are hashed. Two stacks of one generation
 * that have the same hash have the same methods: within it no address becomes
 * another's (java_callers.h). Where things are is what HotSpot's vmStructs say.
 *
 * The walk ends where the stack does, or where native code is whose context is the
 * thread's already: it has been called through a bridge, or has a stub.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_STACK_H
#define CLEW_JVM_NATIVES_JAVA_STACK_H

#include <stdint.h>

struct bridge_frame;

/* Addresses of code: [start, end), `end` stored last, 0 before it is known. */
struct java_code {
	_Atomic uint64_t start, end;
};

/*
 * Code of the machine's, and of its interpreter among that. What calls from
 * elsewhere has frames that nobody knows.
 */
extern struct java_code java_code, java_interpreter;

static inline int java_code_has(const struct java_code *code, uint64_t pc)
{
	return pc < code->end && pc >= code->start;
}

/*
 * Frames that are walked at most, which are more than the methods that are told of
 * a stack: a frame of compiled code is of one method or more.
 */
#define JAVA_STACK_WALK_MAX 1536
#define JAVA_STACK_TOLD_MAX 1000

/*
 * Learn from a machine how its frames are. 0, or -1: it does not say, and nothing
 * is walked.
 */
int java_stack_learn(uint64_t machine_pc);

/*
 * The machine's record of the piece of code that a pc is in (CodeBlob *), or 0; once that
 * is learnt. It is there while the code has a frame on some stack, or while all threads of
 * Java's are stopped, or while the machine tells of it.
 */
uint64_t java_stack_blob(uint64_t pc);

/* Addresses may become others': no stack has the hash that it had. */
void java_stack_forget(void);

/* Where a walk ends. */
enum java_stack_end {
	JAVA_STACK_WHOLE, /* at the stack's end */
	JAVA_STACK_CUT,   /* at a native of a context */
	JAVA_STACK_FROZEN, /* the outer frames of a virtual thread are in the heap */
	JAVA_STACK_LOST, /* it cannot be walked */
};

/* A frame of an interpreted method, or of compiled ones. */
struct java_frame {
	uint64_t code; /* nmethod *; 0: it is interpreted */
	uint64_t pc;   /* in that */
	uint32_t
		is_stub; /* that code calls a native method, and is all of it */
	uint64_t method; /* Method *, if it is interpreted */
	uint64_t bytecode; /* that it is at; 0: it is native */
};

/* The frames that a walk has met, innermost first. */
struct java_frames {
	uint32_t count;
	struct java_frame frames[JAVA_STACK_WALK_MAX];
};

/*
 * The hash of the Java stack below the bridge that this is the frame of, one of
 * 2^47; 0: it cannot be walked. *end: enum java_stack_end. General registers only; a
 * signal may come at any time.
 */
uint64_t java_stack_hash(const struct bridge_frame *frame, uint32_t *end);

/* The same, with the frames that it is of. */
uint64_t java_stack_frames(const struct bridge_frame *frame,
			   struct java_frames *frames);

#endif
