/* SPDX-License-Identifier: MIT */
/*
 * Estimates the memory that hooking will take in a process to which clew
 * attaches. The estimate is made before clew changes the process.
 *
 * A hooked function needs a stub, its share of a page of code that becomes
 * private, a record of the bytes written over its code, and an entry in the
 * list from which the code is restored.
 *
 * Some programs were measured in a control group of their own, with all
 * functions hooked (Debian 12, 2026-11-28). "rises" is the greatest rise of
 * memory.max_usage_in_bytes, in kB. "mappings" is the number of additional
 * mappings:
 *
 *			functions	rises	estimate mappings estimate
 *	sleep			85	1,420	3,017	32	80
 *	perl			2,311	5,192	5,300	38	103
 *	node			4,476	6,928	7,519	58	124
 *	java -cp . J		5,426	8,840	8,494	86	134
 *	python3			7,220	9,476	10,333	72	152
 *	nginx			14,334	15,132	17,628	127	223
 *	redis-server		26,762	26,924	30,372	226	347
 *	  --time=exact		26,762	40,448	44,746	422	615
 *	java --java=vm		49,122	49,112	53,299	434	571
 *	gdb			77,089	73,788	81,976	606	850
 *	Xvfb (LLVM)		200,723	211,348	208,754	1,516	2,087
 *
 * In these rows stubs are in private memory, and the estimate uses 1,050 bytes
 * for each function. The first process of a session also writes the file of
 * stubs that the other processes share. The page cache contains this file: in
 * redis-server the rise is then 33,300 kB. Therefore the present estimate uses
 * 1,200 bytes for each function.
 *
 * The first process also writes copies of modules with their hooks
 * (preload/hooking/shared_text.h), which the page cache contains as well. In
 * redis-server the rise is then 40,700 kB. Therefore the caller adds
 * HOOK_MEMORY_FILES_BYTES for each function in the first process.
 *
 * 100 more threads take 0.8 MB. Count tables and contexts are not included: the
 * library limits them (preload/record/memory_bound.h).
 */
#ifndef CLEW_WIRE_HOOK_MEMORY_H
#define CLEW_WIRE_HOOK_MEMORY_H

#include <stdint.h>

struct hook_memory {
	uint64_t bytes; /* memory, in bytes */
	/*
	 * Address space in bytes; matters only if the process has a limit of
	 * its address space.
	 */
	uint64_t address_bytes;
	uint64_t mappings;
};

/* Bytes of memory for each hooked function. */
#define HOOK_MEMORY_FUNCTION_BYTES UINT64_C(1200)
/*
 * Additional bytes for each function, if the process writes the shared files.
 */
#define HOOK_MEMORY_FILES_BYTES UINT64_C(300)
/*
 * Additional bytes for each function with --time=exact; then bytes for each
 * thread, and for the library itself.
 */
#define HOOK_MEMORY_TIMED_BYTES   UINT64_C(550)
#define HOOK_MEMORY_THREAD_BYTES  UINT64_C(10000)
#define HOOK_MEMORY_LIBRARY_BYTES UINT64_C(3000000)

/*
 * Address space of the library in bytes (in sleep, 208 MB were measured). Does
 * not include the shadow, which is mapped in pieces if the address space is
 * limited.
 */
#define HOOK_MEMORY_ADDRESS_BYTES (UINT64_C(224) << 20)

#define HOOK_MEMORY_MAPPINGS      80
/*
 * One additional mapping is estimated for each group of hooked functions. These
 * are the sizes of a group, without and with --time=exact.
 */
#define HOOK_MEMORY_MAPPING_EACH 100
#define HOOK_MEMORY_TIMED_EACH   50

/*
 * Returns the estimate for a number of hooked functions and threads, without
 * HOOK_MEMORY_FILES_BYTES. is_timed is not 0 with --time=exact.
 */
static inline struct hook_memory hook_memory(uint64_t functions,
					     uint64_t threads, int is_timed)
{
	const uint64_t each = HOOK_MEMORY_FUNCTION_BYTES +
			      (is_timed ? HOOK_MEMORY_TIMED_BYTES : 0);
	const uint64_t bytes = HOOK_MEMORY_LIBRARY_BYTES + functions * each +
			       threads * HOOK_MEMORY_THREAD_BYTES;

	return (struct hook_memory){
		.bytes = bytes,
		.address_bytes = HOOK_MEMORY_ADDRESS_BYTES + bytes,
		.mappings = HOOK_MEMORY_MAPPINGS +
			    functions / (is_timed ? HOOK_MEMORY_TIMED_EACH
						  : HOOK_MEMORY_MAPPING_EACH),
	};
}

#endif
