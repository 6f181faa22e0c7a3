/* SPDX-License-Identifier: MIT */
/*
 * Pads: jumps at the targets of punned jumps.
 *
 * A punned jump has only its first n bytes written, because the bytes after
 * them are also a branch target or another function. The displacement therefore
 * has fixed high bytes and n - 1 free low bytes: 256, 64 Ki or 16 Mi
 * neighbouring targets, anywhere within 2 GiB. If memory can be mapped there, a
 * pad leads from the target to the stub:
 *
 *	f:	e9 xx xx | 48 89	<- unchanged bytes, part of the target
 *		\
 *	pad:	a far jump (disasm/jumps.h) to the stub
 */
#ifndef CLEW_STUBS_PADS_H
#define CLEW_STUBS_PADS_H

#include <stdatomic.h>
#include <stdint.h>

#define PADS_PAGE_MAX 256

struct pads {
	struct pads_page {
		uint64_t start;
		uint8_t is_sealed;
		uint64_t used[4]; /* one bit for each 16 bytes */
	} pages[PADS_PAGE_MAX];
	_Atomic uint32_t count; /* stored last; read by any thread */
};

/* Returns the number of pages; 0 for NULL. */
static inline uint32_t pads_count(const struct pads *pads)
{
	return pads ? atomic_load_explicit(&pads->count, memory_order_acquire)
		    : 0;
}

/*
 * Creates a pad that leads to `stub`, at a pc in [low, high]. Returns 0, or
 * -ENOMEM if no free address was found there. The pad is executable after
 * pads_seal().
 */
int pads_place(struct pads *pads, uint64_t low, uint64_t high, uint64_t stub,
	       uint64_t *pad_pc);

/* Makes all pads executable instead of writable. Returns 0 or -errno. */
int pads_seal(struct pads *pads);

/* Unmaps all pads. No jump may lead to one, and no thread may be in one. */
void pads_free(struct pads *pads);

/* Returns whether pc is in a page of pads. Safe in signal handlers. */
int pads_have(const struct pads *pads, uint64_t pc);

#endif
