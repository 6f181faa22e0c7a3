/* SPDX-License-Identifier: MIT */
/* Native methods and where their code is, on their way into the part. */
#ifndef CLEW_JVM_BINDINGS_H
#define CLEW_JVM_BINDINGS_H

#include <stdint.h>

/*
 * Record that a method's code is at pc from now on. `class` and `signature` as
 * class files have them. What cannot be recorded is counted in the header. Any
 * thread, not in signal handlers. No libc.
 */
void bindings_add(uint64_t pc, const char *class, const char *name,
		  const char *signature);

/* One that has no name, for want of memory or by an error of the machine's. */
void bindings_miss(void);

#endif
