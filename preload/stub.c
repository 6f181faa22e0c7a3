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

static void fill_hole(const struct stub_constants *constants, uint32_t function,
		      unsigned int kind, uint8_t *at)
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
		word = (uint32_t)id_key(function);
		memcpy(at, &word, sizeof(word));
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
	       const struct decoder *decoder, uint32_t function, uint64_t pc,
	       uint8_t displaced_bytes, uint8_t *at)
{
	const struct stub_template *template = template_of(constants);
	uint8_t *displaced = at + template->displaced_at;
	size_t room = template->displaced_end - template->displaced_at;
	int err;

	memcpy(at, template->start, template->bytes);
	for (const struct hole *hole = template->holes;
	     hole < template->holes_end; hole++)
		fill_hole(constants, function, hole->kind, at + hole->at);
	err = relocate(decoder, (const uint8_t *)(uintptr_t)pc, displaced_bytes,
		       pc, displaced, room, (uintptr_t)displaced);
	return err < 0 ? err : 0;
}
