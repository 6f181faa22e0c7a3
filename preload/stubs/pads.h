/* SPDX-License-Identifier: MIT */
/*
 * Pads: jumps at places that punned jumps lead to.
 *
 * Where only the first n bytes of a 5-byte jump may be written, because what
 * follows is entered by somebody else, the high bytes of its displacement are
 * what stands there. n - 1 low bytes are left to choose: 256, 64 Ki or 16 Mi
 * neighbouring targets, which may be anywhere within 2 GiB. If memory can be
 * had there, a pad leads on to the stub:
 *
 *	f:	e9 xx xx | 48 89	<- unchanged bytes, part of the target
 *			\
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
		uint64_t used[4]; /* a bit for each 16 bytes */
	} pages[PADS_PAGE_MAX];
	_Atomic uint32_t count; /* stored last: any thread reads */
};

/* How many pages there are; NULL has none. */
static inline uint32_t pads_count(const struct pads *pads)
{
	return pads ? atomic_load_explicit(&pads->count, memory_order_acquire)
		    : 0;
}

/*
 * Make a pad that leads to `stub`, at a pc in [low, high]. 0, -ENOMEM where
 * nothing is free there. It can be executed after pads_seal() only.
 */
int pads_place(struct pads *pads, uint64_t low, uint64_t high, uint64_t stub,
	       uint64_t *pad_pc);

/* Executable instead of writable. 0 or -errno. */
int pads_seal(struct pads *pads);

/* Unmap them all; nothing leads to one, and nobody is in one. */
void pads_free(struct pads *pads);

/* Whether that is in a page of pads. Safe in signal handlers. */
int pads_have(const struct pads *pads, uint64_t pc);

#endif
