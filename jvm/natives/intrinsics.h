/* SPDX-License-Identifier: MIT */
/*
 * Native methods for which HotSpot has code of its own (intrinsics): what it compiles,
 * and in part what it interprets, has that code in place of the call, so that the
 * native is not called, and nobody can count it.
 */
#ifndef CLEW_JVM_NATIVES_INTRINSICS_H
#define CLEW_JVM_NATIVES_INTRINSICS_H

#include <stdint.h>

/* Learn from a machine where its methods say that. */
void intrinsics_learn(uint64_t machine_pc);

/*
 * Whether the machine may use its own code for a method, by its identifier. 0 also
 * where that is not known. Any thread, once the machine has loaded the method.
 */
int intrinsics_have(const void *method);

#endif
