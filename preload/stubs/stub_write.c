/* SPDX-License-Identifier: MIT */
/* See stub_write.h. */
#include "preload/stubs/stub_write.h"

#include <errno.h>
#include <string.h>

#include "disasm/relocate.h"
#include "preload/hot/layout.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tails.h"
#include "preload/hot/thread.h"
#include "preload/stubs/stub_edits.h"
#include "preload/stubs/stub_template.h"
#include "wire/id.h"

int32_t stub_tls_offset(void)
{
	return (int32_t)((intptr_t)&hot - (intptr_t)thread_block());
}

uint64_t stub_bytes(void)
{
	return stub_template()->bytes;
}

uint64_t stub_entry_at(void)
{
	return stub_template()->entry_at;
}

static void fill_hole(const struct stub_constants *constants,
		      const struct stub_function *function, unsigned int kind,
		      uint8_t *at)
{
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
	case HOLE_INDEX:
		word = rt.sink->index(function->number);
		memcpy(at, &word, sizeof(word));
		break;
	case HOLE_NESTS:
		if (!hot_tails_nest)
			*at = STUB_JUMPS_ALWAYS;
		break;
	case HOLE_LOOPS:
		*at = function->loops;
		break;
	}
}

unsigned int stub_guard(uint8_t counted,
			struct stub_change changes[STUB_CHANGES_MAX])
{
	const struct stub_template *template = stub_template();
	const uint16_t glance_at = template->glance_at;
	unsigned int count = 0;

	for (uint16_t part = 0; part < template->bytes; part += STUB_BYTES)
		changes[count++] =
			(struct stub_change){ part + STUB_GUARD_AT, counted };
	changes[count++] =
		(struct stub_change){ glance_at + STUB_GLANCE_CONDITION_AT,
				      STUB_GLANCE_GUARDED };
	changes[count++] =
		(struct stub_change){ glance_at + STUB_GLANCE_IMMEDIATE_AT, 0 };
	return count;
}

static void write_guard(uint8_t counted, uint8_t *stub)
{
	struct stub_change changes[STUB_CHANGES_MAX];
	const unsigned int count = stub_guard(counted, changes);

	for (unsigned int i = 0; i < count; i++)
		stub[changes[i].at] = changes[i].byte;
}

/* Writes all parts except the displaced instructions. */
static void write_frame(const struct stub_template *template,
			const struct stub_constants *constants,
			const struct stub_function *function, uint8_t *at)
{
	memcpy(at, template->start, template->bytes);
	for (const struct hole *hole = template->holes;
	     hole < template->holes_end; hole++)
		fill_hole(constants, function, hole->kind, at + hole->at);
	if (constants->counted != STUB_IS_OPEN)
		write_guard(constants->counted, at);
}

static int write_of(const struct stub_template *template,
		    const struct stub_constants *constants,
		    const struct decoder *decoder,
		    const struct stub_function *function, uint8_t *at,
		    uint64_t run_at)
{
	const uint8_t *code =
		function->code ? function->code
			       : (const uint8_t *)(uintptr_t)function->pc;
	const size_t room = template->displaced_end - template->displaced_at;
	int err;

	if (rt.sink->index && !rt.sink->index(function->number))
		/* the function has no index in the trace's table */
		return -ENOSPC;
	write_frame(template, constants, function, at);
	err = relocate(decoder, code, function->displaced_bytes, function->pc,
		       at + template->displaced_at, room,
		       run_at + template->displaced_at);
	return err < 0 ? err : 0;
}

/*
 * If the displaced instructions of a leaf do not fit into a leaf's stub, an
 * ordinary stub is written.
 */
int stub_write(const struct stub_constants *constants,
	       const struct decoder *decoder,
	       const struct stub_function *function, uint8_t *at,
	       uint64_t run_at)
{
	if (function->is_leaf && rt.leaf_stub &&
	    !write_of(rt.leaf_stub, constants, decoder, function, at, run_at))
		return 0;
	return write_of(stub_template(), constants, decoder, function, at,
			run_at);
}

uint64_t stub_displaced_at(const uint8_t *stub)
{
	return stub_template_of(stub[STUB_KIND_AT])->displaced_at;
}

void stub_write_through(const struct stub_constants *constants, uint32_t number,
			const uint64_t *cell, uint8_t *at)
{
	write_frame(stub_template(), constants,
		    &(struct stub_function){ .number = number }, at);
	stub_put_jump_through(at + stub_template()->displaced_at, cell);
}
