/* SPDX-License-Identifier: MIT */
/* See preload/stubs/probe.h. */
#include "preload/stubs/probe.h"

#include <errno.h>
#include <string.h>

#include "disasm/leap.h"
#include "disasm/relocate.h"
#include "preload/hot/layout.h"
#include "wire/id.h"

struct probe {
	const struct decoder *decoder;
	uint8_t *start;
	uint8_t *next;
	int err;
};

static void put(struct probe *probe, const void *code, size_t bytes)
{
	memcpy(probe->next, code, bytes);
	probe->next += bytes;
}

static size_t room(const struct probe *probe)
{
	return (size_t)(probe->start + PROBE_ARGUMENT_AT - probe->next);
}

/*
 * Writes an instruction that skips the red zone, the 128 bytes below the stack
 * pointer.
 */
static void put_begin(struct probe *probe)
{
	static const uint8_t code[] = {
		0x48, 0x8d, 0x64, 0x24, 0x80, /* lea -0x80(%rsp), %rsp */
	};

	put(probe, code, sizeof(code));
}

static void put_push_rdi(struct probe *probe)
{
	static const uint8_t code[] = { 0x57 };

	put(probe, code, sizeof(code));
}

/* hot_thunk_probe preserves all registers and flags. */
static void put_call(struct probe *probe, int32_t tls_offset, int has_pushed)
{
	static const uint8_t call[] = { 0x64, 0xff, 0x14, 0x25 };
	const uint8_t end[] = {
		0x5f, /* pop %rdi */
		0x48,
		0x8d,
		0xa4,
		0x24, /* lea 0x80(%rsp), %rsp, or 0x88 */
		has_pushed ? 0x88 : 0x80,
		0x00,
		0x00,
		0x00,
	};
	const int32_t thunk = tls_offset + HOT_PROBE;

	put(probe, call, sizeof(call)); /* call *%fs:thunk */
	put(probe, &thunk, sizeof(thunk));
	put(probe, end, sizeof(end));
}

static void advance(struct probe *probe, int written)
{
	if (written < 0)
		probe->err = written;
	else
		probe->next += written;
}

/* Stores the leap's target stack pointer in rdi, and pushes the target pc. */
static void put_target(struct probe *probe,
		       const struct stub_function *function)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)function->pc;
	unsigned int load_bytes;

	if (leap_read(code, LEAP_MAX_BYTES, &load_bytes) !=
	    function->displaced_bytes) {
		/* The code differs from the analysed code. */
		probe->err = -EILSEQ;
		return;
	}
	advance(probe, (int)leap_write_push(code, probe->next));
	put_push_rdi(probe);
	advance(probe, leap_write_target(probe->decoder, code, function->pc,
					 probe->next, room(probe),
					 (uintptr_t)probe->next));
}

static const uint8_t *code_of(const struct stub_function *function)
{
	return function->code ? function->code
			      : (const uint8_t *)(uintptr_t)function->pc;
}

/*
 * A branch to the first of the displaced instructions executes the probe again.
 */
static void put_displaced(struct probe *probe,
			  const struct stub_function *function)
{
	advance(probe,
		relocate_again(probe->decoder, code_of(function),
			       function->displaced_bytes, function->pc,
			       probe->next, room(probe), (uintptr_t)probe->next,
			       (uintptr_t)probe->start));
}

/*
 * Returns whether this is a jmp, direct or through a register or memory, with
 * or without prefixes.
 */
static int is_jump(const uint8_t *code, unsigned int bytes)
{
	unsigned int i = 0;

	while (i + 2 < bytes &&
	       (code[i] == 0x3e || code[i] == 0xf2 || (code[i] & 0xf0) == 0x40))
		i++;
	return code[i] == 0xe9 || code[i] == 0xeb ||
	       (code[i] == 0xff && i + 1 < bytes &&
		(code[i + 1] & 0x38) == 0x20);
}

static void put_tail(struct probe *probe, const struct probe_kind *kind,
		     const struct stub_function *function, uint64_t argument)
{
	const uint32_t key = (uint32_t)id_key(function->number);
	uint8_t *start = probe->start;

	memcpy(start + PROBE_ARGUMENT_AT, &argument, sizeof(argument));
	memcpy(start + PROBE_HANDLER_AT, &kind->handler, sizeof(kind->handler));
	start[PROBE_IN_LEAF_AT] = function->is_leaf;
	start[PROBE_AT_JUMP_AT] =
		(uint8_t)is_jump(code_of(function), function->displaced_bytes);
	start[STUB_KIND_AT] = STUB_PROBE;
	memcpy(start + STUB_KEY_AT, &key, sizeof(key));
}

int probe_write(const struct stub_constants *constants,
		const struct decoder *decoder, const struct probe_kind *kind,
		const struct stub_function *function, uint64_t argument,
		uint8_t *at)
{
	const int is_leap = kind->first == PROBE_FIRST_IS_TARGET;
	struct probe probe = { decoder, at, at, 0 };

	memset(at, 0xcc, STUB_BYTES);
	put_begin(&probe);
	if (is_leap)
		put_target(&probe, function);
	else
		put_push_rdi(&probe);
	if (probe.err)
		return probe.err;
	put_call(&probe, constants->tls_offset, is_leap);
	put_displaced(&probe, function);
	put_tail(&probe, kind, function, argument);
	return probe.err;
}
