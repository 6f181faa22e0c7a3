/* SPDX-License-Identifier: MIT */
/*
 * A module's hooks as bytes: what stands in its code, and what shall.
 *
 * Each hooked function has a site, where its first bytes are replaced:
 *
 *	JUMP, JUMP_PADDED	a jump to the stub
 *	JUMP_SHORT		a short jump to an island: a jump to the stub, in
 *				padding, or behind the jump of a host
 *	JUMP_PUNNED		the first bytes of a jump whose last are the bytes
 *				that follow anyway: to a pad where that leads
 *	TRAP			a breakpoint (trap.h)
 *	LEAP, LANDS, RAISES	a jump to a probe (probe.h)
 *
 * Islands in padding, which nothing executes, may be written at any time and
 * stay. A host's site is two jumps, its own and the guest's.
 * Sites are written (commit) here while nothing runs in the module's code; by
 * live.h, which restores them as well, while everything does.
 */
#ifndef CLEW_PATCH_PATCH_H
#define CLEW_PATCH_PATCH_H

#include "disasm/jumps.h"
#include "preload/modules/modules.h"
#include "preload/stubs/window.h"

#define PATCH_BYTES_MAX (2 * JUMP_BYTES)

/* In place of a probe's number and 1: it was never written, nor will be. */
#define PROBE_FORGOTTEN UINT32_MAX

/* Bytes of the module's code, before and after. */
struct patch_text {
	uint64_t pc;   /* less the patch's base */
	uint8_t bytes; /* 1 to PATCH_BYTES_MAX */
	uint8_t before[PATCH_BYTES_MAX];
	uint8_t after[PATCH_BYTES_MAX];
};

struct patch_site {
	struct patch_text text;
	uint8_t verdict; /* enum verdict, verdict_is_written() */
	uint8_t is_host;
	uint8_t is_guest; /* its island is a host's */
	uint8_t displaced_bytes;
	uint8_t loops;     /* wire_loops() */
	uint8_t has_probe; /* a user's: its stub leads there (probe_patch.h) */
	/* In a stub, not in code: written before that was sealed, or live. */
	uint8_t is_in_stub;
	uint8_t is_overwritten; /* by others, when it was last to change (live.h) */
	uint32_t function;      /* its number */
	uint32_t leaf_bytes; /* of a leaf, from its pc on; or 0 (leaves.h) */
	uint64_t stub;       /* where it begins, less the patch's base */
	uint64_t entry;      /* where in it the patch leads, likewise */
};

struct prelinked_text;

/* One of a module's. Its memory lives until patch_destroy(). */
struct patch {
	struct patch *next; /* of all that are known (patches.h) */
	struct patch *next_of_module;
	struct module *module;
	/*
	 * What addresses in sites and islands are counted from: the module's load bias
	 * where these are mapped (prelinked_text.h), or 0.
	 */
	uint64_t base;
	struct patch_site *sites; /* in order of pc */
	uint32_t site_count;
	struct pc_range functions; /* they begin in there (leaf_ids.h) */
	struct patch_text *islands;
	uint32_t island_count;
	uint32_t trap_count;   /* of the sites, VERDICT_IS_TRAP */
	int lands;             /* one is VERDICT_IS_LANDS */
	uint64_t memory_bytes; /* of both arrays */
	/* Its text is mapped, not written, when it is committed; NULL from then on. */
	const struct prelinked_text *text;
	uint64_t stub_bytes; /* of each stub */
	int is_written;
	uint32_t probe;   /* the user's, whose it is, and 1; 0: hooks */
	int is_disabled;  /* the user's probe is, until it is enabled */
	int is_guarded;   /* its stubs are (guard.h) */
	int is_told;      /* ... need not be: its runtime knows where to look */
	int may_generate; /* else: it imports what makes memory executable */
};

/*
 * Write the sites of a chain of patches (next_of_module) of one module, but of those
 * that are disabled, once the windows are sealed. For code that nothing runs in: CODE_IS_IDLE (code.h). Calls
 * nothing outside of libclew.so. 0, or -errno when nothing was written.
 */
int patch_commit(struct patch *chain);

/* Whether all that patch_commit() would replace is there still. */
int patch_fits(const struct patch *patch);

/* Whether both change the same byte somewhere. */
int patch_meets(const struct patch *patch, const struct patch *other);

/* The first site that is not before pc, less the base; or the end. */
struct patch_site *patch_from(const struct patch *patch, uint64_t pc);

/* The site at a pc, or NULL. Safe in signal handlers. */
const struct patch_site *patch_find(const struct patch *patch, uint64_t pc);

/* Whether pc is inside of a site, behind its first byte. Likewise. */
int patch_covers(const struct patch *patch, uint64_t pc);

/* Give the memory back, but not the stubs: something may return into them. */
void patch_destroy(struct patch *patch);

/* And those, once nothing does. */
void patch_free_stubs(const struct patch *patch, struct windows *windows);

#endif
