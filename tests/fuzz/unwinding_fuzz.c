/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is the registers, the modules and the stack of a
 * process that clew attaches to. The process chose all of them.
 *
 *	0 .. 136	registers, in the order of stopped_register()
 *	136 .. 138	bytes of the module
 *	138 ..		the module, at MODULE_AT, and the stack, at STACK_AT
 *
 * The module is mapped once as a file, and once more at the start of a block of
 * stubs, without a file. Reported frames must be where the stack says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/attach/remote_call.h"
#include "cli/attach/stopped_registers.h"
#include "cli/attach/unwinding.h"
#include "cli/target/target_memory.h"
#include "machine/address_space.h"

#define MODULE_AT UINT64_C(0x10000000)
#define BLOCK_AT  UINT64_C(0x20000000)
#define STACK_AT  UINT64_C(0x30000000)
#define AREA      UINT64_C(0x10000)
#define ROOM_MAX  4096

enum { SECONDS = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct area {
	uint64_t at;
	const uint8_t *bytes;
	size_t size;
};

static struct area areas[3];

/* Replaces the data of cli/attach/remote_call.c, which needs a real process. */
const unsigned char remote_restorer_code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
					       0x00, 0x00, 0x0f, 0x05 };
const size_t remote_restorer_bytes = sizeof(remote_restorer_code);

/* Returns a byte of an area, in which zeros follow the bytes of the input. */
static uint8_t byte_at(const struct area *area, uint64_t at)
{
	return at - area->at < area->size ? area->bytes[at - area->at] : 0;
}

int target_read(int memory, uint64_t at, void *out, size_t bytes)
{
	for (size_t i = 0; i < sizeof(areas) / sizeof(*areas); i++) {
		const struct area *area = &areas[i];

		if (at < area->at || at - area->at >= AREA ||
		    bytes > AREA - (at - area->at))
			continue;
		for (size_t b = 0; b < bytes; b++)
			((uint8_t *)out)[b] = byte_at(area, at + b);
		return 0;
	}
	return -EIO;
}

static struct target_mapping mappings[] = {
	{ .start = MODULE_AT,
	  .end = MODULE_AT + PAGE_BYTES,
	  .path = (char[]){ "/module" } },
	{ .start = MODULE_AT + PAGE_BYTES,
	  .end = MODULE_AT + AREA,
	  .offset = PAGE_BYTES,
	  .is_executable = 1,
	  .path = (char[]){ "/module" } },
	{ .start = BLOCK_AT,
	  .end = BLOCK_AT + AREA,
	  .is_executable = 1,
	  .path = (char[]){ "" } },
};
static const struct target_maps maps = {
	.items = mappings, .count = sizeof(mappings) / sizeof(*mappings)
};

const struct target_mapping *target_find(const struct target_maps *all,
					 uint64_t at)
{
	for (size_t i = 0; i < all->count; i++)
		if (at >= all->items[i].start && at < all->items[i].end)
			return &all->items[i];
	return NULL;
}

static void expect(int is_true)
{
	if (!is_true)
		abort();
}

static void walk(struct unwinding *unwinding, const struct tracee *thread,
		 size_t room)
{
	struct wire_frame *frames = malloc(room * sizeof(*frames) + 1);
	const long count = unwinding_frames(unwinding, thread, frames, room);

	expect(count <= (long)room);
	for (long i = 0; i < count; i++) {
		uint64_t word = 0;

		expect(!target_read(-1, frames[i].at, &word, sizeof(word)));
		expect(word == frames[i].word);
	}
	free(frames);
}

/* Unwinds like cli/attach/safe_thread.c without call frame information. */
static void guess(struct unwinding *unwinding, const struct tracee *thread)
{
	unw_cursor_t cursor;
	unsigned int steps = 0;

	if (unwinding_begin(unwinding, thread, &cursor) != 0)
		return;
	while (steps++ < ROOM_MAX && unw_step(&cursor) > 0)
		;
}

static void take_registers(struct tracee *thread, const uint8_t *data)
{
	unsigned long long int *const in_order[STOPPED_REGISTERS] = {
		&thread->registers.rax, &thread->registers.rdx,
		&thread->registers.rcx, &thread->registers.rbx,
		&thread->registers.rsi, &thread->registers.rdi,
		&thread->registers.rbp, &thread->registers.rsp,
		&thread->registers.r8,  &thread->registers.r9,
		&thread->registers.r10, &thread->registers.r11,
		&thread->registers.r12, &thread->registers.r13,
		&thread->registers.r14, &thread->registers.r15,
		&thread->registers.rip,
	};

	for (size_t i = 0; i < STOPPED_REGISTERS; i++)
		memcpy(in_order[i], data + i * sizeof(uint64_t),
		       sizeof(uint64_t));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t head = STOPPED_REGISTERS * sizeof(uint64_t) + 2;
	const clock_t began = clock();
	struct tracee thread = { 0 };
	struct unwinding *unwinding;
	uint16_t module = 0;

	if (size < head)
		return 0;
	take_registers(&thread, data);
	memcpy(&module, data + head - 2, sizeof(module));
	if (module > size - head)
		module = (uint16_t)(size - head);
	areas[0] = (struct area){ MODULE_AT, data + head, module };
	areas[1] = (struct area){ BLOCK_AT, data + head, module };
	areas[2] = (struct area){ STACK_AT, data + head + module,
				  size - head - module };
	unwinding = unwinding_create(-1, &maps);
	expect(unwinding != NULL);
	walk(unwinding, &thread, ROOM_MAX);
	walk(unwinding, &thread, 1);
	guess(unwinding, &thread);
	unwinding_destroy(unwinding);
	if (clock() - began > SECONDS * CLOCKS_PER_SEC) {
		fprintf(stderr, "took more than %d s of CPU\n", SECONDS);
		abort();
	}
	return 0;
}
