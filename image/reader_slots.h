/* SPDX-License-Identifier: MIT */
/*
 * Places through which a module reaches functions that read return addresses.
 *
 * dlsym() finds out by its return address which module asks. Code that ends with
 *
 *	jmp *slot(%rip)		the entry of a PLT, or -fno-plt
 *
 * lends dlsym() its own return address. If that code is hooked, the address is a
 * stub's, and dlsym() returns something else. mcount(), which programs built with
 * -pg call, goes further: it reads the return address of the function that calls
 * it. The analysis leaves callers of these functions alone, so it has to know which
 * slot the loader fills with the address of which function.
 *
 * Slots of functions that the module itself defines matter, too: a library calls
 * its own exported functions through slots.
 */
#ifndef CLEW_IMAGE_READER_SLOTS_H
#define CLEW_IMAGE_READER_SLOTS_H

#include <stdint.h>

#include "image/arena.h"
#include "image/image.h"

enum reader_kind {
	READER_IS_NONE,
	READER_OF_ITS_OWN,      /* reads its own return address */
	READER_OF_ITS_CALLER_S, /* reads also that of the function calling it */
	READER_IS_LOCAL,        /* a function of this module, at `vaddr` */
};

struct reader_slot {
	uint64_t at; /* of the slot, or of the function; 0 if unused */
	uint64_t vaddr;
	uint32_t kind; /* enum reader_kind */
};

/* A hash table. */
struct reader_slots {
	struct reader_slot *slots;
	uint32_t mask;
};

/* 0 or -ENOMEM. */
int reader_slots_find(const struct image *image, struct arena *arena,
		      struct reader_slots *out);

/*
 * Returns the function that a call of, or a jump to, the address `at` reaches.
 * `at` may be an entry of a PLT, or code that jumps through a slot like one. The
 * kind is READER_IS_NONE for functions that are of no interest here.
 */
struct reader_slot reader_slots_at(const struct reader_slots *slots,
				   const struct image *image, uint64_t at);

/* Returns the function whose address lies in the slot that code accesses. */
struct reader_slot reader_slots_in(const struct reader_slots *slots,
				   const uint8_t *code, unsigned int length,
				   uint64_t next_vaddr);

/* Returns the function that an indirect call or jump through a slot reaches. */
struct reader_slot reader_slots_through(const struct reader_slots *slots,
					const uint8_t *code,
					unsigned int length,
					uint64_t next_vaddr);

#endif
