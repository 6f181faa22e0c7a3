/* SPDX-License-Identifier: MIT */
/*
 * How ELF files and the kernel name x86-64, and the types of the relocations
 * that clew reads, by what the loader stores (S: the symbol's address, A: the
 * addend, B: the load bias).
 */
#ifndef CLEW_MACHINE_ELF_NUMBERS_H
#define CLEW_MACHINE_ELF_NUMBERS_H

#include <elf.h>
#include <linux/audit.h>

#define MACHINE_NAME   "x86-64"
#define MACHINE_ELF    EM_X86_64
#define MACHINE_AUDIT  AUDIT_ARCH_X86_64 /* `arch` of struct seccomp_data */
#define MACHINE_LOADER "ld-linux-x86-64.so.2" /* the name of glibc's loader */

/*
 * musl's loader, which is also the C library: the name by which programs
 * request it, and its DT_SONAME on Alpine.
 */
#define MACHINE_MUSL_LOADER "ld-musl-x86_64.so.1"
#define MACHINE_MUSL_SONAME "libc.musl-x86_64.so.1"

/*
 * The flags of an x86-64 library in /etc/ld.so.cache, and the folders that the
 * loader searches last, Debian's first.
 */
#define MACHINE_CACHE_FLAGS 0x0303
#define MACHINE_LIBRARY_FOLDERS                                                \
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",        \
		"/usr/lib64", "/lib", "/usr/lib"

#define RELOCATION_BASE     R_X86_64_RELATIVE  /* B + A */
#define RELOCATION_RESOLVED R_X86_64_IRELATIVE /* what B + A returns */
#define RELOCATION_ADDRESS  R_X86_64_64        /* S + A */
#define RELOCATION_GOT      R_X86_64_GLOB_DAT  /* S */
#define RELOCATION_PLT      R_X86_64_JUMP_SLOT /* S, now or at the first call */

#endif
