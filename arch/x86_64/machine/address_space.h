/* SPDX-License-Identifier: MIT */
/*
 * The addresses of a process on x86-64: 47 bits, in pages of 4 KiB. The kernel
 * reserves the last page. A process gets addresses of more bits (5-level
 * paging) only if it requests them, and clew does not.
 *
 * Included by .S files: preprocessor definitions only.
 */
#ifndef CLEW_MACHINE_ADDRESS_SPACE_H
#define CLEW_MACHINE_ADDRESS_SPACE_H

#define PAGE_BYTES      4096UL
#define HUGE_PAGE_BYTES (512 * PAGE_BYTES)
#define ADDRESS_BITS    47
#define ADDRESS_END     (1UL << ADDRESS_BITS)
/* no stack ends above this address */
#define STACK_END (ADDRESS_END - PAGE_BYTES)

#endif
