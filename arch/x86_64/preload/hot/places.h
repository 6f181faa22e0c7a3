/* SPDX-License-Identifier: MIT */
/*
 * The map of the 47-bit address space, and the addresses that clew uses. These
 * programs and runtimes need fixed ranges, and may map them after clew starts:
 *
 *	0x000000000000	programs, AddressSanitizer's shadow (up to 0x1000...),
 *			heaps of Go, OCaml, GHC, SBCL, V8
 *	0x010000000000	MemorySanitizer and DataFlowSanitizer, up to 0x5100...;
 *			the heap of ZGC, mapped three times (JDK 17), at
 *			0x0400..., 0x0800..., 0x1000... (8 TiB each) or at
 *			0x1000..., 0x2000..., 0x4000... (16 TiB each);
 *			ThreadSanitizer (Go's: at 0x2000... and
 *			0x3000...0x3200...)
 *	0x555500000000	the program, if it is position-independent, and its heap
 *	0x600000000000	the sanitizers again, except programs and libraries
 *	0x7c0000000000	libraries, stacks
 *
 * This file is included by .S files, so it contains preprocessor definitions
 * only. Each list begins with the best candidate.
 */
#ifndef CLEW_HOT_PLACES_H
#define CLEW_HOT_PLACES_H

/* The lowest address of ordinary stacks. */
#define SHADOW_STACK_LOW 0x7c0000000000

/*
 * Half of the shadow's preferred address (shadow.h), and a third of the
 * preferred address of call times (timing.h).
 */
#define SHADOW_HALF 0x2c0000000000
#define TIME_THIRD  0x110000000000

#define SHADOW_PLACES                                                          \
	2UL * SHADOW_HALF, 0x450000000000, 0x200000000000, 0x300000000000,     \
		0x100000000000
#define TIME_PLACES 3UL * TIME_THIRD, 3 * 0x170000000000, 3 * 0x060000000000

/*
 * Addresses for all other mappings of clew (preload/sys/place.h), a TiB each.
 */
#define OWN_PLACES 0x570000000000, 0x4e0000000000, 0x3f0000000000

#endif
