/* SPDX-License-Identifier: MIT */
/*
 * Where in the code of a module a user's probe can be put, and how it is reached:
 *
 *	JUMP	a jump of 5 bytes over the instruction, or over it and the next
 *		ones, which run elsewhere
 *	TRAP	a breakpoint over its first byte
 *
 * A jump over more than one instruction needs all places to be known that are jumped
 * to in its function: a byte of it must not be entered. One function decides, for
 * `clew probe` and for the runtime.
 */
#ifndef CLEW_IMAGE_PROBE_SITE_H
#define CLEW_IMAGE_PROBE_SITE_H

#include "image/inquiry.h"
#include "wire/user_probe.h"

/* Of one module. */
struct probe_map {
	const struct inquiry *inquiry;
	/* Bytes that no jump may be written over: other probes' places, and
	 * jumps of clew's own. The caller's to mark. */
	struct marks taken;
	int has_traps; /* whether breakpoints are survived in this module */
};

struct probe_site {
	uint64_t vaddr;       /* of the instruction */
	uint64_t patch_vaddr; /* of what is written over: behind an endbr64 */
	uint8_t insn_bytes;
	uint8_t displaced_bytes; /* 0 unless there is a tier */
	uint8_t tier;            /* enum probe_tier */
	uint8_t reason; /* enum probe_reason: why not a jump, or why none */
	uint8_t leaves; /* enum probe_leaving */
};

/* Whether the function is left behind the instruction, to its caller or by a jump. */
enum probe_leaving { PROBE_STAYS, PROBE_LEAVES, PROBE_LEAVES_IF };

typedef void (*probe_site_visit)(void *context, const struct probe_site *site);

/* 0 or -ENOMEM. */
int probe_map_init(struct probe_map *map, const struct inquiry *inquiry,
		   struct arena *arena);

/* Visit each instruction of a function, in order. */
void probe_sites_walk(const struct probe_map *map, uint32_t function,
		      probe_site_visit visit, void *context);

/* The same of the function and of the parts that were moved out of it. */
void probe_exits_walk(const struct probe_map *map, uint32_t function,
		      probe_site_visit visit, void *context);

/*
 * The instruction of a site as text, written by vsnprintf() or what is like it: valid
 * until the next one is asked for. 0 or -EILSEQ.
 */
int probe_site_text(const struct probe_map *map, const struct probe_site *site,
		    decoder_format format, const char **mnemonic,
		    const char **operands);

/* What a probe at an address would be. */
struct probe_site probe_site_at(const struct probe_map *map, uint64_t vaddr);

#endif
