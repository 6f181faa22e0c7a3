/* SPDX-License-Identifier: MIT */
#include "preload/stub.h"

#include <errno.h>
#include <string.h>

#include "disasm/relocate_x86_64.h"
#include "preload/hot/layout.h"
#include "wire/id.h"

#define STUB_ALIGN 16

struct hole {
	uint16_t at; /* offset in the template */
	uint16_t kind;
};

extern const uint8_t hot_stub[], hot_stub_end[];
extern const struct hole hot_stub_holes[], hot_stub_holes_end[];

static size_t template_bytes(void)
{
	return (size_t)(hot_stub_end - hot_stub);
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + STUB_ALIGN - 1) & ~(uint64_t)(STUB_ALIGN - 1);
}

uint64_t stub_max_bytes(void)
{
	return round_up(template_bytes() + RELOCATE_MAX_BYTES);
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
	uint8_t *displaced = at + template_bytes();
	int bytes = relocate(decoder, (const uint8_t *)(uintptr_t)pc,
			     displaced_bytes, pc, displaced, RELOCATE_MAX_BYTES,
			     (uintptr_t)displaced);

	if (bytes < 0)
		return bytes;
	memcpy(at, hot_stub, template_bytes());
	for (const struct hole *hole = hot_stub_holes;
	     hole < hot_stub_holes_end; hole++)
		fill_hole(constants, function, hole->kind, at + hole->at);
	return (int)round_up(template_bytes() + (size_t)bytes);
}
