/* SPDX-License-Identifier: MIT */
/*
 * What capstone would call to begin with another machine's code. It names these
 * functions of all its machines in one table, so that a static link takes them
 * all in: 5 MB, 77,000 relocations at the start of every process, and whatever
 * of libc they use. Defined here, before the linker comes to capstone's archive
 * (CMakeLists.txt), they keep all that out; cs_open() for another machine is
 * answered with CS_ERR_ARCH. Some are of later versions of capstone only.
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
