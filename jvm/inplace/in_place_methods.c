/* SPDX-License-Identifier: MIT */
/* See in_place_methods.h. */
#include "jvm/inplace/in_place_methods.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "jvm/inplace/in_place_code.h"
#include "jvm/natives/java_stack.h"
#include "machine/address_space.h"
#include "preload/generated/records.h"
#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/lock.h"
#include "preload/sys/seal.h"
#include "preload/sys/sys.h"

#define ROOM_BYTES  (UINT64_C(64) << 20)
#define REACH_BYTES (UINT64_C(1) << 31)
#define UNITS_MAX   128 /* maximum size of a stub, in IN_PLACE_STUB_UNIT */
#define BUCKETS     4096
#define CHUNK_COUNT 64 /* number of records that are mapped together */
#define CHECK_LEAST 256

/* <linux/membarrier.h>, since Linux 4.16 */
#define EXPEDITED_SYNC_CORE          (1 << 5)
#define REGISTER_EXPEDITED_SYNC_CORE (1 << 6)

/*
 * A method with its stub. A record that is not used any more keeps the memory
 * of its stub for the next method.
 */
struct in_place_method {
	/*
	 * The next record in the same bucket, or in the list of unused records.
	 */
	struct in_place_method *next;
	/* The next method whose jumps are still to be written. */
	struct in_place_method *next_waiting;
	struct compiled_method method;
	uint32_t number, serial;
	uint8_t *stub;
	uint32_t units;      /* size of the stub, in IN_PLACE_STUB_UNIT */
	uint32_t is_written; /* whether the method jumps to the stub */
	struct compiled_shape shape;
};

static struct {
	struct lock lock; /* protects the following members */
	uint8_t *room;    /* memory for stubs, or NULL */
	uint64_t used;    /* number of its bytes in use */
	struct in_place_method *buckets[BUCKETS];
	struct in_place_method *_Atomic waiting;
	struct in_place_method
		/*
		 * Lists of unused records, indexed by the size of their stub.
		 * List 0 contains the records without a stub.
		 */
		*unused[UNITS_MAX + 1];
	uint32_t count; /* number of methods in all buckets */
	/*
	 * When `count` reaches this number, methods that the JVM has unloaded
	 * are removed.
	 */
	uint32_t check_at;
	uint32_t serials; /* serial number of the newest method */
} methods LARGE_TABLE;

static struct in_place_method **bucket_of(uint64_t code)
{
	return &methods.buckets[(code >> 5) % BUCKETS];
}

static struct in_place_method *take_unused(uint32_t units)
{
	struct in_place_method *one = methods.unused[units];

	if (one)
		methods.unused[units] = one->next;
	return one;
}

static void put_unused(struct in_place_method *one, uint32_t units)
{
	one->next = methods.unused[units];
	methods.unused[units] = one;
}

/* ---- Room for stubs ---- */

static int is_in_reach(uint64_t at)
{
	const uint64_t low = java_code.start, high = java_code.end;

	return (at < low ? high - at : at + ROOM_BYTES - low) < REACH_BYTES;
}

static uint8_t *map_at(uint64_t at)
{
	void *got;

	if (!is_in_reach(at))
		return NULL;
	got = sys_mmap((void *)at, ROOM_BYTES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			       MAP_FIXED_NOREPLACE,
		       -1, 0);
	if (got == (void *)at)
		return got;
	/*
	 * The kernel has mapped another address: kernels before 4.17 ignore
	 * MAP_FIXED_NOREPLACE.
	 */
	if (!sys_failed(got))
		sys_munmap(got, ROOM_BYTES);
	return NULL;
}

static uint8_t *map_room(void)
{
	const uint64_t low = java_code.start & ~(ROOM_BYTES - 1);
	const uint64_t high =
		(java_code.end + ROOM_BYTES - 1) & ~(ROOM_BYTES - 1);
	uint8_t *room = NULL;

	for (uint64_t away = ROOM_BYTES; !room && away < REACH_BYTES;
	     away += ROOM_BYTES) {
		room = map_at(low - away);
		if (!room)
			room = map_at(high + away - ROOM_BYTES);
	}
	return room;
}

/*
 * Returns whether time is sampled, so that generated code needs names in the
 * recording.
 */
static int is_sampled(void)
{
	return rt.header->time == WIRE_TIME_CPU ||
	       rt.header->time == WIRE_TIME_WALL;
}

static long membarrier(int command)
{
	return sys_call(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

int in_place_methods_begin(void)
{
	struct in_place_ways *ways;

	if (hot_shadow_low == SHADOW_NOWHERE)
		return -ENOTSUP;
	if (membarrier(REGISTER_EXPEDITED_SYNC_CORE))
		return -ENOSYS;
	methods.room = map_room();
	if (!methods.room)
		return -ENOMEM;
	if (sys_mprotect(methods.room, PAGE_BYTES, PROT_READ | PROT_WRITE)) {
		in_place_methods_end();
		return -ENOMEM;
	}
	ways = (struct in_place_ways *)methods.room;
	*ways = (struct in_place_ways){
		in_place_thunk_enter,
		in_place_thunk_miss,
		in_place_thunk_due,
	};
	methods.used = IN_PLACE_STUB_UNIT;
	if (is_sampled())
		records_generated((uintptr_t)methods.room, ROOM_BYTES,
				  "[calls of compiled methods]");
	return 0;
}

void in_place_methods_end(void)
{
	if (methods.room && is_sampled())
		records_unloaded((uintptr_t)methods.room);
	if (methods.room)
		sys_munmap(methods.room, ROOM_BYTES);
	methods.room = NULL;
	methods.used = 0;
	for (uint32_t i = 1; i <= UNITS_MAX; i++)
		while (methods.unused[i])
			put_unused(take_unused(i), 0);
}

/* ---- Methods to count ---- */

static const struct in_place_method *find(const struct compiled_method *method)
{
	const struct in_place_method *one = *bucket_of(method->code);

	while (one && (one->method.code != method->code ||
		       one->method.compile_id != method->compile_id))
		one = one->next;
	return one;
}

static int map_unused(void)
{
	struct in_place_method *chunk =
		sys_map_private(CHUNK_COUNT * sizeof(*chunk));

	if (sys_failed(chunk))
		return -ENOMEM;
	for (uint32_t i = 0; i < CHUNK_COUNT; i++)
		put_unused(&chunk[i], 0);
	return 0;
}

/*
 * Returns a record with memory for a stub of this size, or NULL if there is no
 * room. Called with the lock held.
 */
static struct in_place_method *take(uint32_t units)
{
	const uint64_t bytes = (uint64_t)units * IN_PLACE_STUB_UNIT;
	struct in_place_method *one;

	if (units > UNITS_MAX)
		return NULL;
	one = take_unused(units);
	if (one)
		return one;
	if (bytes > ROOM_BYTES - methods.used ||
	    (!methods.unused[0] && map_unused()))
		return NULL;
	one = take_unused(0);
	one->units = units;
	one->stub = methods.room + methods.used;
	methods.used += bytes;
	return one;
}

static int add(const struct compiled_method *method, uint32_t number,
	       const struct compiled_shape *shape)
{
	struct in_place_method **bucket = bucket_of(method->code), *one;

	if (!methods.room || find(method))
		return 0;
	one = take(in_place_code_bytes(shape) / IN_PLACE_STUB_UNIT);
	if (!one)
		return -ENOMEM;
	one->method = *method;
	one->number = number;
	one->serial = ++methods.serials;
	one->is_written = 0;
	copy_bytes(&one->shape, shape, sizeof(*shape));
	one->next = *bucket;
	*bucket = one;
	one->next_waiting = methods.waiting;
	atomic_store(&methods.waiting, one);
	methods.count++;
	return 0;
}

int in_place_methods_add(const struct compiled_method *method, uint32_t number,
			 const struct compiled_shape *shape)
{
	uint64_t signals;
	int err;

	lock_acquire(&methods.lock, &signals);
	err = add(method, number, shape);
	lock_release(&methods.lock, &signals);
	return err;
}

int in_place_methods_have(const struct compiled_method *method)
{
	uint64_t signals;
	int is;

	lock_acquire(&methods.lock, &signals);
	is = find(method) != NULL;
	lock_release(&methods.lock, &signals);
	return is;
}

int in_place_methods_wait(void)
{
	return atomic_load(&methods.waiting) != NULL;
}

/* ---- While all Java threads are stopped, with the lock held ---- */

static const struct compiled_site *site_of(const struct in_place_method *one,
					   uint32_t i)
{
	return i ? &one->shape.exits[i - 1] : &one->shape.entry;
}

static uint8_t *code_at(const struct in_place_method *one,
			const struct compiled_site *site)
{
	return (uint8_t *)(uintptr_t)(one->method.code + site->at);
}

static struct in_place_stub stub_of(const struct in_place_method *one)
{
	return (struct in_place_stub){
		.shape = &one->shape,
		.code = one->method.code,
		.number = one->number,
		.serial = one->serial,
		.ways = (const struct in_place_ways *)methods.room,
	};
}

/*
 * Returns whether the method still exists, and its entry and exits contain the
 * bytes that were read.
 */
static int is_as_read(const struct in_place_method *one)
{
	if (!compiled_methods_is_there(&one->method))
		return 0;
	for (uint32_t i = 0; i <= one->shape.exit_count; i++) {
		const struct compiled_site *site = site_of(one, i);

		if (memcmp(code_at(one, site), site->code, site->bytes) != 0)
			return 0;
	}
	return 1;
}

/*
 * Writes the jumps to the stub. The JVM's code is always writable and
 * executable, so its protection need not be changed.
 */
static void lead_to_stub(struct in_place_method *one)
{
	const struct in_place_stub stub = stub_of(one);

	for (uint32_t i = 0; i <= one->shape.exit_count; i++) {
		uint8_t jump[SHAPE_JUMP_BYTES];

		in_place_code_jump(&stub, one->stub, i, jump);
		copy_bytes(code_at(one, site_of(one, i)), jump, sizeof(jump));
	}
	one->is_written = 1;
}

static void lead_away(struct in_place_method *one)
{
	if (one->is_written && compiled_methods_is_there(&one->method))
		for (uint32_t i = 0; i <= one->shape.exit_count; i++)
			copy_bytes(code_at(one, site_of(one, i)),
				   site_of(one, i)->code, SHAPE_JUMP_BYTES);
	one->is_written = 0;
}

/*
 * Removes the methods for which is_over() returns 1 from their buckets, and
 * keeps their records as unused.
 */
static void drop(int (*is_over)(const struct in_place_method *))
{
	methods.count = 0;
	for (uint32_t i = 0; i < BUCKETS; i++) {
		struct in_place_method **link = &methods.buckets[i];

		while (*link) {
			struct in_place_method *one = *link;

			if (is_over(one)) {
				*link = one->next;
				put_unused(one, one->units);
			} else {
				link = &one->next;
				methods.count++;
			}
		}
	}
}

static int is_gone(const struct in_place_method *one)
{
	return !compiled_methods_is_there(&one->method);
}

static int is_any(const struct in_place_method *one)
{
	return 1;
}

static void restore_all(void)
{
	for (uint32_t i = 0; i < BUCKETS; i++)
		for (struct in_place_method *one = methods.buckets[i]; one;
		     one = one->next)
			lead_away(one);
	drop(is_any);
	atomic_store(&methods.waiting, NULL);
	membarrier(EXPEDITED_SYNC_CORE);
}

/*
 * Writes the stubs of all waiting methods. The memory of stubs is not
 * executable meanwhile, which is possible because no thread is in a stub.
 * Returns 0, or -errno if the protection could not be changed or restored; then
 * no method may jump to a stub any more.
 */
static int write_stubs(void)
{
	const size_t bytes =
		((size_t)methods.used + PAGE_BYTES - 1) & -(size_t)PAGE_BYTES;
	int err = sys_mprotect(methods.room, bytes, PROT_READ | PROT_WRITE);

	for (struct in_place_method *one = methods.waiting; !err && one;
	     one = one->next_waiting) {
		const struct in_place_stub stub = stub_of(one);

		in_place_code_write(&stub, one->stub);
	}
	return err ? err : seal_pages(methods.room, bytes);
}

static void write_all(void)
{
	if (write_stubs()) {
		restore_all();
		return;
	}
	for (struct in_place_method *one = methods.waiting; one;
	     one = one->next_waiting)
		if (is_as_read(one))
			lead_to_stub(one);
	atomic_store(&methods.waiting, NULL);
	membarrier(EXPEDITED_SYNC_CORE);
	if (methods.count < methods.check_at)
		return;
	drop(is_gone);
	methods.check_at = methods.count + methods.count / 2 + CHECK_LEAST;
}

void in_place_methods_write(void)
{
	uint64_t signals;

	lock_acquire(&methods.lock, &signals);
	if (methods.room)
		write_all();
	lock_release(&methods.lock, &signals);
}

void in_place_methods_restore(void)
{
	uint64_t signals;

	lock_acquire(&methods.lock, &signals);
	restore_all();
	lock_release(&methods.lock, &signals);
}
