/* SPDX-License-Identifier: MIT */
#include "preload/host/machine.h"

#include <cpuid.h>
#include <errno.h>
#include <string.h>

#include "preload/sys/sys.h"

/* A bit of ecx of CPUID leaf 1. */
#define HYPERVISOR_BIT  (UINT32_C(1) << 31)
#define HYPERVISOR_LEAF 0x40000000

#define EXTENDED_LEAF   0x80000001
/* bit in ecx: lahf exists in 64-bit mode */
#define LAHF_BIT            (UINT32_C(1) << 0)
#define POWER_LEAF          0x80000007
#define INVARIANT_TSC_BIT   (UINT32_C(1) << 8) /* bit in edx */

#define RUNNING_ON_VALGRIND 0x1001

#define ARCH_SHSTK_STATUS   0x5005 /* asm/prctl.h, since Linux 6.6 */

/*
 * Returns whether CPUID shows qemu's code generator ("TCG"). This is also true
 * in a virtual machine that qemu emulates.
 */
static int is_translated(void)
{
	uint32_t eax, ebx, ecx, edx;
	char name[12];

	__cpuid(1, eax, ebx, ecx, edx);
	if (!(ecx & HYPERVISOR_BIT))
		return 0;
	__cpuid(HYPERVISOR_LEAF, eax, ebx, ecx, edx);
	memcpy(name, &ebx, 4);
	memcpy(name + 4, &ecx, 4);
	memcpy(name + 8, &edx, 4);
	return memcmp(name, "TCGTCGTCGTCG", sizeof(name)) == 0;
}

/*
 * Returns whether qemu emulates this program alone. If qemu emulates a whole
 * machine, the kernel in it supports rseq (since Linux 4.18).
 */
static int is_below_qemu(void)
{
	return is_translated() &&
	       sys_call(SYS_rseq, 0, 0, 0, 0, 0, 0) == -ENOSYS;
}

/*
 * Makes a client request to valgrind (valgrind.h): rotations of rdi and an
 * exchange, which together have no effect without valgrind. Returns whether
 * valgrind answers.
 */
static int is_below_valgrind(void)
{
	const uint64_t request[6] = { RUNNING_ON_VALGRIND };
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "rdi", "cc", "memory");
	return answer != 0;
}

int machine_is_emulated(void)
{
	return is_below_valgrind() || is_below_qemu();
}

int machine_has_steady_clock(void)
{
	uint32_t eax, ebx, ecx, edx, extended;

	if (!__get_cpuid(EXTENDED_LEAF, &eax, &ebx, &extended, &edx) ||
	    !__get_cpuid(POWER_LEAF, &eax, &ebx, &ecx, &edx))
		return 0;
	return extended & LAHF_BIT && edx & INVARIANT_TSC_BIT;
}

int machine_has_shadow_stack(void)
{
	uint64_t features = 0;

	return !sys_call(SYS_arch_prctl, ARCH_SHSTK_STATUS, (long)&features, 0,
			 0, 0, 0) &&
	       features & 1;
}
