/* SPDX-License-Identifier: MIT */
/*
 * The functions that capstone calls to open a decoder for another architecture.
 * capstone refers to these functions of all architectures in one table, so a
 * static link includes them all: 5 MB, 77,000 relocations at the start of every
 * process, and the functions of libc that they use. The definitions here
 * precede capstone's archive in the link (CMakeLists.txt) and keep all that
 * out; cs_open() for another architecture fails with CS_ERR_ARCH. Some exist in
 * later versions of capstone only.
 */
#include <capstone/capstone.h>

#define OTHER_MACHINES(X)                                                      \
	X(AArch64)                                                             \
	X(ARM)                                                                 \
	X(BPF)                                                                 \
	X(EVM)                                                                 \
	X(M680X)                                                               \
	X(M68K)                                                                \
	X(MOS65XX)                                                             \
	X(Mips)                                                                \
	X(PPC)                                                                 \
	X(RISCV)                                                               \
	X(SH)                                                                  \
	X(Sparc)                                                               \
	X(SystemZ)                                                             \
	X(TMS320C64x)                                                          \
	X(TriCore)                                                             \
	X(TRICORE)                                                             \
	X(WASM)                                                                \
	X(XCore)

#define X(machine)                                                             \
	cs_err machine##_global_init(void *handle);                            \
	cs_err machine##_option(void *handle, cs_opt_type type, size_t value); \
                                                                               \
	cs_err machine##_global_init(void *handle)                             \
	{                                                                      \
		return CS_ERR_ARCH;                                            \
	}                                                                      \
                                                                               \
	cs_err machine##_option(void *handle, cs_opt_type type, size_t value)  \
	{                                                                      \
		return CS_ERR_ARCH;                                            \
	}
OTHER_MACHINES(X)
#undef X
