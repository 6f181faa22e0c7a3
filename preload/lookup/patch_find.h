/* SPDX-License-Identifier: MIT */
/*
 * A patch: the hooks of a module as bytes, original and replaced.
 *
 * Each hooked function has a site, where its first bytes are replaced:
 *
 *	JUMP, JUMP_PADDED	a jump to the stub
 *	JUMP_SHORT		a short jump to an island: a jump to the stub,
 *				in padding, or behind the jump of a host
 *	JUMP_PUNNED		the first bytes of a jump; its other bytes are
 *				the unchanged following ones. Leads to a pad
 *	TRAP			a breakpoint (trap.h)
 *	LEAP, LANDS, RAISES	a jump to a probe (probe.h)
 *
 * Islands in padding, which no thread executes, may be written at any time and
 * stay. A host's site has two jumps, its own and the guest's. patch_commit()
 * writes sites while no thread executes the module's code; live.h writes and
 * restores them while threads do.
 */
#ifndef CLEW_LOOKUP_PATCH_FIND_H
#define CLEW_LOOKUP_PATCH_FIND_H

#include "disasm/jumps.h"
#include "preload/modules/modules.h"

#define PATCH_BYTES_MAX (2 * JUMP_BYTES)

/* Value of `probe` for a patch that was never written and will not be. */
#define PROBE_FORGOTTEN UINT32_MAX

/* A run of code bytes with their former and their new values. */
struct patch_text {
	uint64_t pc;   /* address relative to the patch's base */
	uint8_t bytes; /* number of bytes, 1 to PATCH_BYTES_MAX */
	uint8_t before[PATCH_BYTES_MAX];
	uint8_t after[PATCH_BYTES_MAX];
};

struct patch_site {
	struct patch_text text;
	uint8_t verdict; /* enum verdict; verdict_is_written() holds for it */
	uint8_t is_host;
	/* its jump to the stub is behind the jump of a host */
	uint8_t is_guest;
	uint8_t displaced_bytes;
	uint8_t loops; /* result of wire_loops() */
	/* The stub leads to a user's probe (probe_patch.h). */
	uint8_t has_probe;
	/*
	 * The site is in a stub and not in the module's code. It is written
	 * before the stub becomes executable, or live.
	 */
	uint8_t is_in_stub;
	/*
	 * A front of clew's is diverted to at the site, and calls the stub
	 * (front/entries.h). The site is never written.
	 */
	uint8_t has_front;
	/*
	 * At the latest change, the code had neither the former nor the new
	 * bytes, so something else has overwritten it (live.h).
	 */
	uint8_t is_overwritten;
	uint32_t function; /* number of the function */
	/*
	 * If the function is a leaf, its size from text.pc on; else 0
	 * (leaves.h).
	 */
	uint32_t leaf_bytes;
	uint64_t stub; /* start of the stub, relative to the patch's base */
	/*
	 * Address in the stub to which the patch leads, relative to the base.
	 */
	uint64_t entry;
};

struct prelinked_text;

/* A patch of a module. The memory lives until patch_destroy(). */
struct patch {
	/* the next patch in the list of all patches (patches.h) */
	struct patch *next;
	struct patch *next_of_module;
	struct module *module;
	/*
	 * Added to the addresses in sites and islands. The module's load bias
	 * if both arrays come from a file (prelinked_text.h), else 0.
	 */
	uint64_t base;
	struct patch_site *sites; /* sorted by pc */
	uint32_t site_count;
	/* range that contains all hooked leaves (leaf_ids.h) */
	struct pc_range functions;
	struct patch_text *islands;
	uint32_t island_count;
	uint32_t trap_count;   /* number of sites with VERDICT_IS_TRAP */
	int lands;             /* a site has VERDICT_IS_LANDS */
	uint64_t memory_bytes; /* size of both arrays */
	/*
	 * If not NULL, the patch takes effect by mapping this file of hooked
	 * code over the module, instead of by writing. NULL once that is done.
	 */
	const struct prelinked_text *text;
	uint64_t stub_bytes; /* size of each stub */
	int is_written;
	uint32_t probe;  /* 1 + number of the user's probe; 0: hooks */
	int is_disabled; /* a user's probe that is disabled at present */
	int is_guarded;  /* its stubs are guarded (guard.h) */
	/*
	 * The stubs need no guards, because the module's runtime resolves
	 * return addresses that stubs have replaced by calling clew.
	 */
	int resolves_returns;
	/*
	 * The module imports functions that make memory executable, so it may
	 * generate code.
	 */
	int may_generate;
};

/*
 * Returns the first site at or after pc, or the end of the array. pc is
 * relative to the patch's base.
 */
struct patch_site *patch_from(const struct patch *patch, uint64_t pc);

/* Returns the site at a pc, or NULL. Safe in signal handlers. */
const struct patch_site *patch_find(const struct patch *patch, uint64_t pc);

/*
 * Returns whether pc is inside a site, after its first byte. Safe in signal
 * handlers.
 */
int patch_covers(const struct patch *patch, uint64_t pc);

#endif
