/* SPDX-License-Identifier: MIT */
/*
 * See calibrate.h. A private page holds the function and its stub. During the
 * measurement the thread has another count table, which contains this call
 * already, so that the recording does not show it. A round makes CALLS calls of
 * the stub and as many of the bare function. The result is the median of all
 * rounds, because other processes may disturb any of them.
 *
 *	self	The duration of a call by the stub's own stamps.
 *	caller	The duration of a call from outside, minus a bare call's,
 *		minus self.
 *
 * The function itself, one instruction that returns, is assumed to take no
 * time.
 */
#include "preload/stubs/calibrate.h"

#include <errno.h>
#include <string.h>

#include "image/arena.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/hot/timing.h"
#include "preload/stubs/stub_write.h"
#include "preload/sys/seal.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

#define PAGE     4096
#define ROUNDS   31
#define CALLS    256
#define FUNCTION 0x7fffffff /* no other function has this number */
#define COUNTING (UINT64_C(0xffff) << WIRE_VERIFY_SHIFT)

/* nopl 0(%rax,%rax,1); ret */
static const uint8_t code[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3 };
#define DISPLACED_BYTES 5

typedef void (*function)(void);

/*
 * A count table with the mask 0, so that all calls use entry 0. The times of a
 * table's entries precede the table.
 */
struct bench {
	struct wire_times times;
	struct wire_count table[2];
	uint64_t bins[WIRE_BINS];
};

static int write_page(uint8_t *page, function *stub, function *bare)
{
	const struct stub_constants constants = {
		.tls_offset = stub_tls_offset(),
	};
	uint8_t *at = page + stub_bytes();
	struct arena scratch = { 0 };
	struct decoder decoder;
	int err = decoder_open(&decoder, arena_memory, &scratch);

	if (!err) {
		memcpy(at, code, sizeof(code));
		*(void **)bare = at;
		*(void **)stub = page + stub_entry_at();
		err = stub_write(&constants, &decoder,
				 &(struct stub_function){
					 .number = FUNCTION,
					 .pc = (uintptr_t)at,
					 .displaced_bytes = DISPLACED_BYTES,
				 },
				 page, (uintptr_t)page);
	}
	arena_fini(&scratch);
	return err ? err : seal_pages(page, PAGE);
}

/* Returns the ticks of CALLS calls. */
static uint64_t ticks_of(function call)
{
	uint64_t start = time_now();

	for (int i = 0; i < CALLS; i++)
		call();
	return time_now() - start;
}

static uint64_t median(uint64_t *values)
{
	for (int i = 1; i < ROUNDS; i++)
		for (int j = i; j && values[j] < values[j - 1]; j--) {
			uint64_t value = values[j];

			values[j] = values[j - 1];
			values[j - 1] = value;
		}
	return values[ROUNDS / 2];
}

static uint32_t per_call(uint64_t ticks)
{
	return (uint32_t)((ticks + CALLS / 2) / CALLS);
}

static struct time_cost measure(struct bench *bench, function stub,
				function bare)
{
	uint64_t inside[ROUNDS], outside[ROUNDS];
	uint64_t self, all;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t total = bench->times.total, plain = ticks_of(bare);

		bench->table[0].field = COUNTING;
		outside[i] = ticks_of(stub);
		outside[i] -= outside[i] < plain ? outside[i] : plain;
		inside[i] = bench->times.total - total;
	}
	self = median(inside);
	all = median(outside);
	return (struct time_cost){ .self = per_call(self),
				   .caller = per_call(
					   all - (all < self ? all : self)) };
}

static struct time_cost measure_here(function stub, function bare)
{
	const uint64_t mask = hot.mask, accounted = hot.accounted;
	struct wire_count *table = hot.table;
	struct time_cost cost;
	struct bench bench __attribute__((aligned(64))) = {
		.times = { .max = UINT64_MAX, .latest = 1 },
		.table = { { .id = id_push(hot.id, id_key(FUNCTION)) } },
	};

	bench.times.histogram = (uintptr_t)bench.bins;
	hot.table = bench.table;
	hot.mask = 0;
	cost = measure(&bench, stub, bare);
	hot.table = table;
	hot.mask = mask;
	hot.accounted = accounted;
	return cost;
}

int calibrate(struct time_cost *cost)
{
	function stub, bare;
	uint8_t *page;
	int err;

	if (hot_shadow_low == SHADOW_NOWHERE)
		return -ENOTSUP;
	page = sys_map_private(PAGE);
	if (sys_failed(page))
		return -ENOMEM;
	err = write_page(page, &stub, &bare);
	if (!err)
		*cost = measure_here(stub, bare);
	sys_munmap(page, PAGE);
	return err;
}
