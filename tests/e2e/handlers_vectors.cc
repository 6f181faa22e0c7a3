/* SPDX-License-Identifier: MIT */
/* Handlers in C++, which use all vector registers, libc's errno, and the program. */
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "clew_handler.h"

#if __SSE2__ != 1
#error "these are to use vector registers"
#endif

extern "C" long helper(long n) __attribute__((weak));
extern "C" void signalled(void) __attribute__((weak));

/* On any processor: registers that AVX has are overwritten where there is AVX. */
static void spoil()
{
	uint64_t ones = ~UINT64_C(0);

	errno = ENOTTY;
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vmovq %0, %%xmm0; vmovddup %%ymm0, %%ymm1;"
				 "vmovaps %%ymm1, %%ymm2; vmovaps %%ymm1, %%ymm7;"
				 "vmovaps %%ymm1, %%ymm12; vmovaps %%ymm1, %%ymm15"
				 : : "r"(ones)
				 : "xmm0", "xmm1", "xmm2", "xmm7", "xmm12",
				   "xmm15");
	else
		__asm__ volatile("movq %0, %%xmm0; movaps %%xmm0, %%xmm7;"
				 "movaps %%xmm0, %%xmm15"
				 : : "r"(ones) : "xmm0", "xmm7", "xmm15");
	__asm__ volatile("fld1; faddp %%st, %%st(0)" : : : "st", "st(1)");
}

CLEW_HANDLER(spoil_all)
{
	alignas(32) double sums[4] = { 1, 2, 3, 4 };

	std::memset(sums, static_cast<int>(hit->probe), sizeof(sums));
	spoil();
}

/* Calls back into the program, which is not to be counted, and another probe. */
CLEW_HANDLER(calls_back)
{
	const auto arg = static_cast<long>(hit->registers->rdi);

	if (helper)
		hit->registers->rax = static_cast<uint64_t>(helper(arg));
}

/* A signal's handler jumps out of it. */
CLEW_HANDLER(signals)
{
	if (hit->registers->rdi % 5 == 0)
		std::raise(SIGUSR1);
}

extern "C" __attribute__((visibility("default"))) void
undeclared(struct clew_hit *hit)
{
	spoil();
	hit->registers->rdi *= 2;
}
