/* SPDX-License-Identifier: MIT */
/*
 * Slots through which a module calls functions that read return addresses.
 *
 * dlsym() finds the calling module by its own return address. Code that ends
 * with
 *
 *	jmp *slot(%rip)		an entry of the PLT, or -fno-plt
 *
 * lends dlsym() its return address. If that code is hooked, the address is a
 * stub's, and dlsym() returns another symbol. mcount(), which programs built
 * with -pg call, also reads the return address of the function that calls it.
 * The analysis does not hook callers of these functions, so it must know in
 * which slot the loader stores the address of which function.
 *
 * Slots of functions of the module itself also matter: a library calls its own
 * exported functions through slots.
 */
#ifndef CLEW_IMAGE_READER_SLOTS_H
#define CLEW_IMAGE_READER_SLOTS_H

#include <stdint.h>

#include "image/arena.h"
#include "image/image.h"

enum reader_kind {
	READER_IS_NONE,
	READER_OF_ITS_OWN, /* the function reads its own return address */
	/* the function reads its own return address and that of its caller */
	READER_OF_ITS_CALLER_S,
	READER_IS_LOCAL, /* a function of this module, at `vaddr` */
};

struct reader_slot {
	/* address of the slot or function; 0 if the entry is unused */
	uint64_t at;
	uint64_t vaddr;
	uint32_t kind; /* enum reader_kind */
};

/* A hash table of slots by their address. */
struct reader_slots {
	struct reader_slot *slots;
	uint32_t mask;
};

/* Finds the slots of a module. Returns 0 or -ENOMEM. */
int reader_slots_find(const struct image *image, struct arena *arena,
		      struct reader_slots *out);

/*
 * Returns the function that a call of, or a jump to, the address `at` reaches.
 * `at` may be an entry of a PLT, or other code that jumps through a slot. The
 * kind is READER_IS_NONE if the slot is unknown, or the function is in another
 * module and does not read return addresses.
 */
struct reader_slot reader_slots_at(const struct reader_slots *slots,
				   const struct image *image, uint64_t at);

/* Returns the function whose address is in the slot that the code accesses. */
struct reader_slot reader_slots_in(const struct reader_slots *slots,
				   const uint8_t *code, unsigned int length,
				   uint64_t next_vaddr);

/* Returns the function that an indirect call or jump through a slot reaches. */
struct reader_slot reader_slots_through(const struct reader_slots *slots,
					const uint8_t *code,
					unsigned int length,
					uint64_t next_vaddr);

#endif
