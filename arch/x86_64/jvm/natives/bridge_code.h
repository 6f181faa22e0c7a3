/* SPDX-License-Identifier: MIT */
/*
 * The instructions of each bridge (jvm/natives/bridge.h), which jump to
 * bridge.S, and the number of registers in which C passes arguments to natives
 * (System V ABI for x86-64, 3.2.3).
 */
#ifndef CLEW_JVM_NATIVES_BRIDGE_CODE_H
#define CLEW_JVM_NATIVES_BRIDGE_CODE_H

#include <stdint.h>

#include "jvm/natives/bridge.h"
#include "preload/sys/copy_bytes.h"

/* Arguments in registers: integers and pointers, floating point. */
#define ARGUMENTS_GENERAL 6
#define ARGUMENTS_VECTOR  8

#define BRIDGE_CODE_BYTES 32

/*
 *	49 bb imm64	movabs $bridge, %r11
 *	49 ba imm64	movabs $jvm_bridge, %r10
 *	41 ff e2	jmp *%r10
 */
static inline void bridge_code_write(uint8_t *at, const struct bridge *bridge)
{
	static const uint8_t load[] = { 0x49, 0xbb },
			     load_code[] = { 0x49, 0xba },
			     jump[] = { 0x41, 0xff, 0xe2 };
	const uint64_t record = (uintptr_t)bridge, code = (uintptr_t)jvm_bridge;

	copy_bytes(at, load, 2);
	copy_bytes(at + 2, &record, 8);
	copy_bytes(at + 10, load_code, 2);
	copy_bytes(at + 12, &code, 8);
	copy_bytes(at + 20, jump, 3);
}

#endif
