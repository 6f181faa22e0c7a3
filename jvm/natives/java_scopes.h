/* SPDX-License-Identifier: MIT */
/*
 * Which methods the frames of a stack are of, and which bytecodes they are at, as
 * HotSpot's compilers write it beside their code (its scopes), for every return
 * address one chain of methods, inlined into each other. Nothing is asked.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_SCOPES_H
#define CLEW_JVM_NATIVES_JAVA_SCOPES_H

#include <stdint.h>

struct java_frames;

#define SCOPES_NATIVE (-1) /* the bytecode of a native method */

struct java_call {
	uint64_t method;  /* Method * */
	int32_t bytecode; /* its index in the method */
};

/*
 * Learn from a machine how it writes them; where it does not say, no frames can be
 * told.
 */
void java_scopes_learn(uint64_t machine_pc);

/*
 * The calls that frames on the calling thread's stack are of, innermost first, as
 * many as there is room for; 0: it cannot be told.
 */
uint32_t java_scopes_read(const struct java_frames *frames,
			  struct java_call *calls, uint32_t room);

#endif
