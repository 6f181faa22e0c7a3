/* SPDX-License-Identifier: MIT */
/*
 * Native methods for which HotSpot has code of its own (intrinsics). Compiled
 * code, and sometimes the interpreter, may execute that code instead of the
 * call, so that not all calls can be counted.
 */
#ifndef CLEW_JVM_NATIVES_INTRINSICS_H
#define CLEW_JVM_NATIVES_INTRINSICS_H

#include <stdint.h>

/*
 * Learns where this JVM's Method contains the number of its intrinsic.
 * machine_pc is the address of any function of the JVM. Returns 0, or -1 if
 * this is unknown.
 */
int intrinsics_learn(uint64_t machine_pc);

/*
 * Returns whether the JVM may execute code of its own instead of the method
 * with this identifier; 0 also if this is unknown. Any thread may call it once
 * the JVM has loaded the method.
 */
int intrinsics_have(const void *method);

#endif
