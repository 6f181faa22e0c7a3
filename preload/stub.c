/* SPDX-License-Identifier: MIT */
#include "preload/stub.h"

#include <errno.h>
#include <string.h>

#include "disasm/relocate_x86_64.h"
#include "preload/hot/layout.h"
#include "wire/id.h"

struct hole {
	uint16_t at; /* offset in the template */
	uint16_t kind;
};

extern const uint8_t hot_stub[], hot_stub_displaced[], hot_stub_cold[],
	hot_stub_end[];
extern const struct hole hot_stub_holes[], hot_stub_holes_end[];

uint64_t stub_bytes(void)
{
	return STUB_BYTES;
}

/* Stubs stand in rows from the starts of pages that they divide. */
uint64_t stub_key(uint64_t pc)
{
	const uint8_t *stub = (const uint8_t *)(pc & ~(stub_bytes() - 1));
	const struct hole *hole = hot_stub_holes;
	int32_t key;

	while (hole->kind != HOLE_KEY)
		hole++;
	memcpy(&key, stub + hole->at, sizeof(key));
	return (uint64_t)(int64_t)key;
}

static void fill_hole(const struct stub_constants *constants, uint32_t function,
		      unsigned int kind, uint8_t *at)
{
	uint32_t word;

	switch (kind) {
	case HOLE_TLS:
		memcpy(&word, at, sizeof(word));
		word += (uint32_t)constants->tls_offset;
		memcpy(at, &word, sizeof(word));
		break;
	case HOLE_KEY:
		word = (uint32_t)id_key(function);
		memcpy(at, &word, sizeof(word));
		break;
	case HOLE_ZONE_CC:
		*at = constants->zone->condition;
		break;
	case HOLE_ZONE_IMM:
		*at = constants->zone->compare;
		break;
	case HOLE_WINDOWS:
		memcpy(at, &constants->windows, sizeof(constants->windows));
		break;
	}
}

int stub_write(const struct stub_constants *constants,
	       const struct decoder *decoder, uint32_t function, uint64_t pc,
	       uint8_t displaced_bytes, uint8_t *at)
{
	uint8_t *displaced = at + (hot_stub_displaced - hot_stub);
	size_t room = (size_t)(hot_stub_cold - hot_stub_displaced);
	int err;

	memcpy(at, hot_stub, (size_t)(hot_stub_end - hot_stub));
	for (const struct hole *hole = hot_stub_holes;
	     hole < hot_stub_holes_end; hole++)
		fill_hole(constants, function, hole->kind, at + hole->at);
	err = relocate(decoder, (const uint8_t *)(uintptr_t)pc, displaced_bytes,
		       pc, displaced, room, (uintptr_t)displaced);
	return err < 0 ? err : 0;
}
