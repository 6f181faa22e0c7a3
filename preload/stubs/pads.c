/* SPDX-License-Identifier: MIT */
/* See pads.h. */
#include "preload/stubs/pads.h"

#include <errno.h>

#include "disasm/jumps.h"
#include "machine/address_space.h"
#include "preload/sys/seal.h"
#include "preload/sys/sys.h"

#define LOWEST      (UINT64_C(1) << 20) /* above vm.mmap_min_addr */
#define PLACE_BYTES 16

/*
 * How many pages to try. The address range of a pad may have 16 MiB; trying all
 * of its pages would take too long.
 */
#define PAGE_TRIES 64

/* Takes a free slot of a page, with an address in [low, high]. */
static int take_place(struct pads_page *page, uint64_t low, uint64_t high,
		      uint64_t *pc)
{
	for (unsigned int i = 0; i < PAGE_BYTES / PLACE_BYTES; i++) {
		uint64_t at = page->start + i * PLACE_BYTES;
		uint64_t bit = UINT64_C(1) << i % 64;

		if (at < low || at > high || page->used[i / 64] & bit)
			continue;
		page->used[i / 64] |= bit;
		*pc = at;
		return 1;
	}
	return 0;
}

static struct pads_page *add_page(struct pads *pads, uint64_t start)
{
	void *hint = (void *)(uintptr_t)start;
	struct pads_page *page = &pads->pages[pads->count];
	void *got;

	if (pads->count == PADS_PAGE_MAX || start < LOWEST ||
	    start >= ADDRESS_END)
		return NULL;
	got = sys_mmap(hint, PAGE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);
	if (got != hint) {
		if (!sys_failed(got)) /* a kernel before 4.17 */
			sys_munmap(got, PAGE_BYTES);
		return NULL;
	}
	*page = (struct pads_page){ .start = start };
	pads->count++;
	return page;
}

int pads_place(struct pads *pads, uint64_t low, uint64_t high, uint64_t stub,
	       uint64_t *pad_pc)
{
	uint64_t first = low & ~(PAGE_BYTES - 1);
	unsigned int tries = 0;

	for (uint32_t i = 0; i < pads->count; i++) {
		if (!pads->pages[i].is_sealed &&
		    take_place(&pads->pages[i], low, high, pad_pc)) {
			jump_encode_far((uint8_t *)*pad_pc, stub);
			return 0;
		}
	}
	for (uint64_t at = first; at <= high && tries < PAGE_TRIES; tries++) {
		struct pads_page *page = add_page(pads, at);

		if (page && take_place(page, low, high, pad_pc)) {
			jump_encode_far((uint8_t *)*pad_pc, stub);
			return 0;
		}
		/* In a large range only some pages are tried. */
		at += (high - first) / PAGE_TRIES / PAGE_BYTES * PAGE_BYTES +
		      PAGE_BYTES;
	}
	return -ENOMEM;
}

int pads_seal(struct pads *pads)
{
	for (uint32_t i = 0; i < pads->count; i++) {
		struct pads_page *page = &pads->pages[i];
		int err;

		if (page->is_sealed)
			continue;
		err = seal_pages((void *)page->start, PAGE_BYTES);
		if (err)
			return err;
		page->is_sealed = 1;
	}
	return 0;
}

void pads_free(struct pads *pads)
{
	const uint32_t count = pads->count;

	pads->count = 0;
	for (uint32_t i = 0; i < count; i++)
		sys_munmap((void *)pads->pages[i].start, PAGE_BYTES);
}

int pads_have(const struct pads *pads, uint64_t pc)
{
	for (uint32_t i = 0; i < pads_count(pads); i++)
		if (pc - pads->pages[i].start < PAGE_BYTES)
			return 1;
	return 0;
}
