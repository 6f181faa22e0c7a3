/* SPDX-License-Identifier: MIT */
/*
 * What a process has of addresses on x86-64: 47 bits, of which the kernel keeps
 * the last page, in pages of 4 KiB. Addresses of more bits are given only to who
 * asks for them (5-level paging), which clew does not.
 *
 * Included by .S files: preprocessor definitions only.
 */
#ifndef CLEW_MACHINE_ADDRESS_SPACE_H
#define CLEW_MACHINE_ADDRESS_SPACE_H

#define PAGE_BYTES      4096UL
#define HUGE_PAGE_BYTES (512 * PAGE_BYTES)
#define ADDRESS_BITS    47
#define ADDRESS_END     (1UL << ADDRESS_BITS)
#define STACK_END       (ADDRESS_END - PAGE_BYTES) /* no stack ends above it */

#endif
