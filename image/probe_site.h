/* SPDX-License-Identifier: MIT */
/*
 * Decides where in a module's code a user's probe can be set, and how it is
 * reached:
 *
 *	JUMP	a 5-byte jump over the instruction, or over it and the next
 *		ones, which are executed elsewhere
 *	TRAP	a breakpoint over its first byte
 *
 * A jump over more than one instruction requires that all jump targets in its
 * function are known, because no jump may lead into it. `clew probe` and the
 * library share this decision.
 */
#ifndef CLEW_IMAGE_PROBE_SITE_H
#define CLEW_IMAGE_PROBE_SITE_H

#include "image/inquiry.h"
#include "wire/user_probe.h"

/* The data about one module. */
struct probe_map {
	const struct inquiry *inquiry;
	/*
	 * Bytes that no jump may overwrite: other probes' locations, and clew's
	 * own jumps. The caller marks them.
	 */
	struct marks taken;
	int has_traps; /* whether breakpoints work in this module */
};

struct probe_site {
	uint64_t vaddr; /* address of the instruction */
	/*
	 * Address of the overwritten bytes: vaddr, or the end of the
	 * instruction if it is an endbr64.
	 */
	uint64_t patch_vaddr;
	uint8_t insn_bytes;
	uint8_t displaced_bytes; /* 0 if the site has no tier */
	uint8_t tier;            /* enum probe_tier */
	/* enum probe_reason: why there is no jump, or no probe */
	uint8_t reason;
	uint8_t leaves; /* enum probe_leaving */
};

/* Whether the instruction may leave the function, by a return or a jump. */
enum probe_leaving { PROBE_STAYS, PROBE_LEAVES, PROBE_LEAVES_IF };

typedef void (*probe_site_visit)(void *context, const struct probe_site *site);

/* Initialises the data about a module. Returns 0 or -ENOMEM. */
int probe_map_init(struct probe_map *map, const struct inquiry *inquiry,
		   struct arena *arena);

/*
 * Visits each instruction of a function, in order, up to the first that cannot
 * be decoded.
 */
void probe_sites_walk(const struct probe_map *map, uint32_t function,
		      probe_site_visit visit, void *context);

/*
 * Like probe_sites_walk(), for the function and the parts that were moved out
 * of it.
 */
void probe_exits_walk(const struct probe_map *map, uint32_t function,
		      probe_site_visit visit, void *context);

/*
 * Writes the instruction of a site as text, with vsnprintf() or a replacement;
 * valid until the next call. Returns 0 or -EILSEQ.
 */
int probe_site_text(const struct probe_map *map, const struct probe_site *site,
		    decoder_format format, const char **mnemonic,
		    const char **operands);

/* Returns the site of a probe at an address. */
struct probe_site probe_site_at(const struct probe_map *map, uint64_t vaddr);

#endif
