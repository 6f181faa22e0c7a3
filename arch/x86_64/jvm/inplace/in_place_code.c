/* SPDX-License-Identifier: MIT */
/* See in_place_code.h. */
#include "jvm/inplace/in_place_code.h"

#include <string.h>

#include "jvm/inplace/in_place_holes.h"
#include "preload/stubs/stub_write.h"
#include "preload/sys/copy_bytes.h"
#include "wire/id.h"

struct in_place_hole {
	uint16_t at; /* offset of the hole in the template */
	uint16_t kind;
};

/* ---- in_place.S ---- */

extern const uint8_t in_place_entry[], in_place_entry_end[];
extern const uint8_t in_place_exit[], in_place_exit_end[];
extern const struct in_place_hole in_place_entry_holes[],
	in_place_entry_holes_end[];
extern const struct in_place_hole in_place_exit_holes[],
	in_place_exit_holes_end[];

struct in_place_template {
	const uint8_t *start, *end;
	const struct in_place_hole *holes, *holes_end;
};

static const struct in_place_template entry_template = {
	in_place_entry,
	in_place_entry_end,
	in_place_entry_holes,
	in_place_entry_holes_end,
};

static const struct in_place_template exit_template = {
	in_place_exit,
	in_place_exit_end,
	in_place_exit_holes,
	in_place_exit_holes_end,
};

/* Returns the size of a piece, rounded up to a multiple of 16. */
static uint32_t bytes_of(const struct in_place_template *template)
{
	return (uint32_t)(template->end - template->start + 15) & ~UINT32_C(15);
}

uint32_t in_place_code_bytes(const struct compiled_shape *shape)
{
	const uint32_t bytes = bytes_of(&entry_template) +
			       shape->exit_count * bytes_of(&exit_template);

	return (bytes + IN_PLACE_STUB_UNIT - 1) / IN_PLACE_STUB_UNIT *
	       IN_PLACE_STUB_UNIT;
}

/* e9 rel32	jmp `to` */
static void put_jump(uint8_t *bytes, uint64_t at, uint64_t to)
{
	const uint32_t distance = (uint32_t)(to - at - SHAPE_JUMP_BYTES);

	bytes[0] = 0xe9;
	copy_bytes(bytes + 1, &distance, 4);
}

/* A part of a stub: the code for the entry or for one exit of the method. */
struct in_place_piece {
	const struct in_place_stub *stub;
	const struct compiled_site *site;
	uint32_t rise;
};

static void put_displaced(const struct in_place_piece *piece, uint8_t *at)
{
	const struct compiled_site *site = piece->site;

	copy_bytes(at, site->code, site->bytes);
	put_jump(at + site->bytes, (uintptr_t)(at + site->bytes),
		 piece->stub->code + site->at + site->bytes);
}

static uint32_t word_of(const struct in_place_piece *piece, unsigned int kind,
			const uint8_t *at)
{
	const struct in_place_stub *stub = piece->stub;
	uint32_t word;

	copy_bytes(&word, at, sizeof(word));
	switch (kind) {
	case IN_PLACE_TLS:
		return word + (uint32_t)stub_tls_offset();
	case IN_PLACE_RISE:
		return piece->rise;
	case IN_PLACE_SERIAL:
		return stub->serial;
	case IN_PLACE_NUMBER:
		return stub->number;
	case IN_PLACE_KEY:
		return (uint32_t)id_key(stub->number);
	default: /* IN_PLACE_WAYS: relative to the end of the instruction */
		return word + (uint32_t)((uintptr_t)stub->ways -
					 (uintptr_t)(at + sizeof(word)));
	}
}

/* Writes a piece and returns the address behind it. */
static uint8_t *put_piece(const struct in_place_template *template,
			  const struct in_place_piece *piece, uint8_t *at)
{
	const struct in_place_hole *hole = template->holes;

	copy_bytes(at, template->start,
		   (size_t)(template->end - template->start));
	for (; hole < template->holes_end; hole++) {
		uint32_t word;

		if (hole->kind == IN_PLACE_GO_ON) {
			put_displaced(piece, at + hole->at);
			continue;
		}
		word = word_of(piece, hole->kind, at + hole->at);
		copy_bytes(at + hole->at, &word, sizeof(word));
	}
	return at + bytes_of(template);
}

void in_place_code_write(const struct in_place_stub *stub, uint8_t *at)
{
	const struct compiled_shape *shape = stub->shape;
	struct in_place_piece piece = { stub, &shape->entry,
					shape->entry_rise };

	at = put_piece(&entry_template, &piece, at);
	piece.rise = shape->exit_rise;
	for (uint32_t i = 0; i < shape->exit_count; i++) {
		piece.site = &shape->exits[i];
		at = put_piece(&exit_template, &piece, at);
	}
}

void in_place_code_jump(const struct in_place_stub *stub, const uint8_t *at,
			uint32_t site, uint8_t jump[SHAPE_JUMP_BYTES])
{
	const struct compiled_shape *shape = stub->shape;
	uint64_t to = (uintptr_t)at;
	uint32_t from = shape->entry.at;

	if (site > 0) {
		from = shape->exits[site - 1].at;
		to += bytes_of(&entry_template) +
		      (uint64_t)(site - 1) * bytes_of(&exit_template);
	}
	put_jump(jump, stub->code + from, to);
}
