/* SPDX-License-Identifier: MIT */
/*
 * Determines the methods and bytecodes of frames by the scopes that HotSpot's
 * compilers generate with their code, without a request to the JVM. A return
 * address in compiled code has one scope for each of the methods that are
 * inlined into each other there.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_SCOPES_H
#define CLEW_JVM_NATIVES_JAVA_SCOPES_H

#include <stdint.h>

struct java_frames;

#define SCOPES_NATIVE (-1) /* the bytecode of a native method */

struct java_call {
	uint64_t method;  /* address of the JVM's Method */
	int32_t bytecode; /* index of the bytecode in the method */
};

/*
 * Learns the layout of scopes in this JVM. If the JVM does not describe it, no
 * frames can be read.
 */
void java_scopes_learn(uint64_t machine_pc);

/*
 * Reads the calls in frames of the calling thread's stack, innermost first.
 * Stores at most `room` calls. Returns the number of stored calls; 0 if they
 * cannot be determined.
 */
uint32_t java_scopes_read(const struct java_frames *frames,
			  struct java_call *calls, uint32_t room);

#endif
