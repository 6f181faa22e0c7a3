/* SPDX-License-Identifier: MIT */
#include "preload/stub.h"

#include <errno.h>
#include <string.h>

#include "disasm/relocate_x86_64.h"
#include "preload/hot/layout.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/stub_template.h"
#include "wire/id.h"

static const struct stub_template *template_of(
	const struct stub_constants *constants)
{
	return constants->guard.end ? stub_template_guarded()
				    : stub_template_plain();
}

int32_t stub_tls_offset(void)
{
	return (int32_t)((intptr_t)&hot - (intptr_t)runtime_thread_block());
}

uint64_t stub_bytes(const struct stub_constants *constants)
{
	return template_of(constants)->bytes;
}

uint64_t stub_entry_at(const struct stub_constants *constants)
{
	return template_of(constants)->entry_at;
}

/* Instructions of nine, and of two or six bytes, that do nothing. */
static void put_nops(uint8_t *at, size_t bytes)
{
	static const uint8_t nine[9] = { 0x66, 0x0f, 0x1f, 0x84 };
	static const uint8_t two[2] = { 0x66, 0x90 };
	static const uint8_t six[6] = { 0x66, 0x0f, 0x1f, 0x44 };

	memcpy(at, nine, sizeof(nine));
	if (bytes == sizeof(nine) + sizeof(two))
		memcpy(at + sizeof(nine), two, sizeof(two));
	else
		memcpy(at + sizeof(nine), six, sizeof(six));
}

static void fill_hole(const struct stub_constants *constants,
		      const struct stub_function *function, unsigned int kind,
		      uint8_t *at)
{
	uint64_t bytes;
	uint32_t word;

	switch (kind) {
	case HOLE_TLS:
		memcpy(&word, at, sizeof(word));
		word += (uint32_t)constants->tls_offset;
		memcpy(at, &word, sizeof(word));
		break;
	case HOLE_KEY:
		word = (uint32_t)id_key(function->number);
		memcpy(at, &word, sizeof(word));
		break;
	case HOLE_LOOPS:
		*at = function->loops;
		break;
	case HOLE_LOOP_TEST:
		if (!function->loops)
			put_nops(at, LOOP_TEST_BYTES);
		break;
	case HOLE_LOOP_TEST_FAR:
		if (!function->loops)
			put_nops(at, LOOP_TEST_FAR_BYTES);
		break;
	case HOLE_GUARD_START:
		memcpy(at, &constants->guard.start, sizeof(uint64_t));
		break;
	case HOLE_GUARD_BYTES:
		bytes = constants->guard.end - constants->guard.start;
		memcpy(at, &bytes, sizeof(bytes));
		break;
	}
}

int stub_write(const struct stub_constants *constants,
	       const struct decoder *decoder,
	       const struct stub_function *function, uint8_t *at)
{
	const struct stub_template *template = template_of(constants);
	uint8_t *displaced = at + template->displaced_at;
	size_t room = template->displaced_end - template->displaced_at;
	int err;

	memcpy(at, template->start, template->bytes);
	for (const struct hole *hole = template->holes;
	     hole < template->holes_end; hole++)
		fill_hole(constants, function, hole->kind, at + hole->at);
	err = relocate(decoder, (const uint8_t *)(uintptr_t)function->pc,
		       function->displaced_bytes, function->pc, displaced, room,
		       (uintptr_t)displaced);
	return err < 0 ? err : 0;
}
