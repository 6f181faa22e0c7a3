/* SPDX-License-Identifier: MIT */
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
	return (size_t)(probe->start + STUB_KIND_AT - probe->next);
}

/* Past the 128 bytes that code may use below its stack pointer. */
static void put_begin(struct probe *probe)
{
	static const uint8_t code[] = {
		0x48, 0x8d, 0x64, 0x24, 0x80, /* lea -0x80(%rsp), %rsp */
		0x57,                         /* push %rdi */
	};

	put(probe, code, sizeof(code));
}

/* The thunk keeps all registers, and flags. */
static void put_call(struct probe *probe, uint32_t thunk)
{
	static const uint8_t call[] = { 0x64, 0xff, 0x14, 0x25 };
	static const uint8_t end[] = {
		0x5f,                   /* pop %rdi */
		0x48, 0x8d, 0xa4, 0x24, /* lea 0x80(%rsp), %rsp */
		0x80, 0x00, 0x00, 0x00,
	};

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

static struct probe begin(const struct decoder *decoder, uint8_t *at)
{
	struct probe probe = { decoder, at, at, 0 };

	memset(at, 0xcc, STUB_BYTES);
	put_begin(&probe);
	return probe;
}

/* The call, then what was displaced. */
static int end(struct probe *probe, uint32_t thunk, uint32_t function,
	       uint64_t pc, uint8_t displaced_bytes)
{
	const uint32_t key = (uint32_t)id_key(function);

	put_call(probe, thunk);
	advance(probe, relocate(probe->decoder, (const uint8_t *)(uintptr_t)pc,
				displaced_bytes, pc, probe->next, room(probe),
				(uintptr_t)probe->next));
	probe->start[STUB_KIND_AT] = STUB_PROBE;
	memcpy(probe->start + STUB_KEY_AT, &key, sizeof(key));
	return probe->err;
}

int probe_write_leap(const struct stub_constants *constants,
		     const struct decoder *decoder, uint32_t function,
		     uint64_t pc, uint8_t displaced_bytes, uint8_t *at)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)pc;
	struct probe probe = begin(decoder, at);
	unsigned int load_bytes;

	if (leap_read(code, LEAP_MAX_BYTES, &load_bytes) != displaced_bytes)
		return -EILSEQ; /* the code is not what was analysed */
	advance(&probe, leap_write_target(decoder, code, pc, probe.next,
					  room(&probe), (uintptr_t)probe.next));
	return end(&probe, (uint32_t)constants->tls_offset + HOT_LEAP, function,
		   pc, displaced_bytes);
}

int probe_write_lands(const struct stub_constants *constants,
		      const struct decoder *decoder, uint32_t function,
		      uint64_t pc, uint8_t displaced_bytes, uint8_t *at)
{
	struct probe probe = begin(decoder, at);

	return end(&probe, (uint32_t)constants->tls_offset + HOT_LANDS,
		   function, pc, displaced_bytes);
}

int probe_write_raises(const struct stub_constants *constants,
		       const struct decoder *decoder, uint32_t function,
		       uint64_t pc, uint8_t displaced_bytes, uint8_t *at)
{
	struct probe probe = begin(decoder, at);

	return end(&probe, (uint32_t)constants->tls_offset + HOT_RAISES,
		   function, pc, displaced_bytes);
}
