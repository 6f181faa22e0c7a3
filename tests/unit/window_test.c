/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/stubs/window.c, which chooses the addresses of stubs. The
 * code is represented by addresses only.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/stubs/stub_image.h"
#include "preload/stubs/window.h"

#define REL32_REACH ((int64_t)1 << 31)

static int64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? (int64_t)(a - b) : (int64_t)(b - a);
}

static void unmap_blocks(const struct windows *windows)
{
	for (uint32_t i = 0; i < windows->block_count; i++)
		munmap((void *)windows->blocks[i].start, WINDOW_BLOCK_BYTES);
}

/* A module that refers only to its own memory. */
static struct window_user user(uint64_t start, uint64_t end)
{
	return (struct window_user){ { start, end }, { start, end } };
}

static void place(const struct window_user *users, uint32_t count)
{
	struct windows windows = { 0 };
	uint8_t *stubs[4];

	for (uint32_t i = 0; i < count; i++) {
		uint64_t at;

		assert_int_equal(
			window_alloc(&windows, &users[i], 65536, &stubs[i]), 0);
		at = (uintptr_t)stubs[i];
		memset(stubs[i], 0xc3, 65536);
		assert_true(runtime_is_stub(at));
		assert_true(distance(at, users[i].code.end) < REL32_REACH);
		assert_true(distance(at + 65536, users[i].code.start) <
			    REL32_REACH);
	}
	assert_int_equal(windows_seal(&windows), 0);
	for (uint32_t i = 0; i < count; i++)
		((void (*)(void))stubs[i])(); /* sealed: executes a ret */
	assert_int_equal(window_alloc(&windows, &users[0], 65536, stubs), 0);
	memset(stubs[0], 0xc3, 65536); /* not one of the sealed blocks */
	unmap_blocks(&windows);
}

static void stubs_are_near_wherever_code_is(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < 16; at++) {
		uint64_t base = UINT64_C(0x155500000000) + at * 0x10000000;
		struct window_user code = user(base, base + 0x3000000);

		place(&code, 1);
	}
}

static void executables_below_4_gib_are_served(void **state)
{
	const struct window_user code = user(0x400000, 0x5000000);

	(void)state;
	place(&code, 1);
}

static void far_modules_have_stubs_of_their_own(void **state)
{
	const struct window_user code[] = {
		user(0x1555f1234000, 0x1555f1834000),
		user(0x2aaa81234000, 0x2aaa81834000),
		user(0x401000, 0x501000),
	};

	(void)state;
	place(code, 3);
}

#define SOME_CODE                                                              \
	{                                                                      \
		UINT64_C(0x155500000000), UINT64_C(0x155503000000)             \
	}

static const struct window_user some_code = { SOME_CODE, SOME_CODE };

static const uint64_t whole_block = WINDOW_BLOCK_BYTES - WINDOW_HEAD_BYTES;

static void many_small_batches_share_a_block(void **state)
{
	struct windows windows = { 0 };
	uint8_t *stub, *last = NULL;

	(void)state;
	for (int i = 0; i < 500; i++) {
		assert_int_equal(window_alloc(&windows, &some_code, 512, &stub),
				 0);
		assert_ptr_not_equal(stub, last);
		stub[0] = 0xc3;
		assert_int_equal(windows_seal(&windows), 0);
		((void (*)(void))stub)();
		last = stub;
	}
	assert_int_equal(windows.block_count, 1);
	unmap_blocks(&windows);
}

static void freed_stub_memory_is_reused(void **state)
{
	struct windows windows = { 0 };
	uint8_t *first, *again;

	(void)state;
	assert_int_equal(
		window_alloc(&windows, &some_code, whole_block, &first), 0);
	first[0] = 0xc3;
	assert_int_equal(windows_seal(&windows), 0);
	window_free(&windows, (uintptr_t)first + 8192, 4096);
	window_free(&windows, (uintptr_t)first + 4096, 4096);
	assert_int_equal(window_alloc(&windows, &some_code, 8192, &again), 0);
	assert_ptr_equal(again, first + 4096);
	memset(again, 0xc3, 8192); /* writable again */
	((void (*)(void))first)(); /* while this stub is still executable */
	assert_int_equal(windows_seal(&windows), 0);
	((void (*)(void))again)();
	assert_int_equal(windows.block_count, 1);
	unmap_blocks(&windows);
}

static void a_spare_block_outlives_the_places(void **state)
{
	struct windows windows = { 0 };
	uint8_t *stub;

	(void)state;
	windows_keep_spare(&windows, &some_code);
	windows_keep_spare(&windows, &some_code);
	assert_int_equal(windows.block_count, 1);
	assert_int_equal(window_alloc(&windows, &some_code, whole_block, &stub),
			 0);
	assert_int_equal(windows.block_count, 1);
	windows_keep_spare(&windows, &some_code);
	assert_int_equal(windows.block_count, 2);
	unmap_blocks(&windows);
}

/* Writes the path of the file that is mapped at pc, or "". */
static void read_block_file(uint64_t pc, char *path, size_t room)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];

	*path = '\0';
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		const char *slash = strchr(line, '/');
		char *dash;

		if (strtoull(line, &dash, 16) <= pc &&
		    strtoull(dash + 1, NULL, 16) > pc && slash)
			snprintf(path, room, "%.*s", (int)strcspn(slash, "\n"),
				 slash);
	}
	fclose(maps);
}

/* Few processes use the spare block, and its file costs time. */
static void a_spare_block_has_a_file_when_it_is_used(void **state)
{
	char folder[] = "/tmp/clew-window-XXXXXX", part[64], file[4096];
	const struct stub_image *image;
	struct windows windows = { .part_path = part };
	uint8_t *stub;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(part, sizeof(part), "%s/1.0.part", folder);
	windows_keep_spare(&windows, &some_code);
	image = (const struct stub_image *)windows.blocks[0].start;
	read_block_file(windows.blocks[0].start, file, sizeof(file));
	assert_string_equal(file, "");
	assert_memory_equal(image->elf.e_ident, ELFMAG, SELFMAG);
	assert_int_equal(window_alloc(&windows, &some_code, 64, &stub), 0);
	assert_int_equal(windows.block_count, 1);
	read_block_file(windows.blocks[0].start, file, sizeof(file));
	assert_string_equal(file, image->name);
	assert_memory_equal(file, folder, strlen(folder));
	memset(stub, 0xc3, 64);
	assert_int_equal(windows_seal(&windows), 0);
	((void (*)(void))stub)();
	unmap_blocks(&windows);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(folder), 0);
}

/*
 * The sizes of rustc: two modules with 300 MiB and 300,000 functions together,
 * at any addresses.
 */
static void large_modules_have_room(void **state)
{
	enum { WANTED_BLOCKS = 13 };
	const uint64_t most = WINDOW_BLOCK_BYTES / 2 + 4096; /* over half */
	uint8_t *stub;

	(void)state;
	for (uint64_t byte = 0; byte < 256; byte += 16) {
		const uint64_t base = UINT64_C(0x155500000000) | byte << 24;
		const struct window_user code[] = {
			user(base, base + 0xa000000),
			user(base + 0xa000000, base + 0x13000000),
		};
		const size_t bytes = code[1].code.end - base;
		struct windows windows = { 0 };
		void *mapped = mmap((void *)base, bytes, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS |
					    MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				    -1, 0);

		assert_ptr_equal(mapped, (void *)base);
		for (int i = 0; i < WANTED_BLOCKS; i++)
			assert_int_equal(window_alloc(&windows, &code[i % 2],
						      most, &stub),
					 0);
		unmap_blocks(&windows);
		munmap(mapped, bytes);
	}
}

/* As for an executable, above which the kernel places the heap. */
static void the_heap_has_room_to_grow(void **state)
{
	(void)state;
	for (uint64_t byte = 0; byte < 256; byte += 8) {
		const uint64_t start = UINT64_C(0x555500000000) | byte << 24;
		const struct window_user code = user(start, start + 4096);
		struct windows windows = { .heap_start = start + (1 << 20) };
		uint8_t *stub;

		assert_int_equal(window_alloc(&windows, &code, 64, &stub), 0);
		assert_true((uintptr_t)stub < start);
		unmap_blocks(&windows);
	}
}

/*
 * As for an executable with large zero-initialized variables below the heap.
 * Displaced instructions must reach all of them.
 */
static void stub_memory_is_near_the_data_of_the_module(void **state)
{
	const uint64_t data_bytes = UINT64_C(1) << 28;

	(void)state;
	for (uint64_t byte = 0; byte < 256; byte++) {
		const uint64_t start = UINT64_C(0x155500000000) | byte << 24;
		const struct window_user code = {
			{ start, start + 4096 },
			{ start, start + 4096 + data_bytes },
		};
		struct windows windows = { .heap_start = code.image.end };
		void *image = (void *)start;
		uint8_t *stub;

		assert_ptr_equal(mmap(image, 4096 + data_bytes, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS |
					      MAP_NORESERVE |
					      MAP_FIXED_NOREPLACE,
				      -1, 0),
				 image);
		assert_int_equal(window_alloc(&windows, &code, 64, &stub), 0);
		assert_true((uintptr_t)stub < start);
		assert_true(distance((uintptr_t)stub, code.image.end) <
			    REL32_REACH);
		unmap_blocks(&windows);
		munmap(image, 4096 + data_bytes);
	}
}

/* The code is hooked even if its stubs limit the growth of the heap. */
static void stub_memory_may_lie_in_the_way_of_the_heap(void **state)
{
	const struct window_user code = user(0x400000, 0x500000);
	struct windows windows = { .heap_start = 0x500000 };
	uint8_t *stub;

	(void)state;
	assert_int_equal(window_alloc(&windows, &code, 64, &stub), 0);
	assert_true((uintptr_t)stub > (UINT64_C(1) << 30));
	unmap_blocks(&windows);
}

/* Reports distinguish missing address space from missing memory. */
static void no_place_and_no_memory_are_two_things(void **state)
{
	const uint64_t reach = UINT64_C(1) << 31;
	const uint64_t start = UINT64_C(0x155500000000);
	const struct window_user code = user(start, start + 4096);
	const struct rlimit tight = { 4096, RLIM_INFINITY };
	struct windows windows = { 0 };
	struct rlimit before;
	uint8_t *stub;
	int err;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
	err = window_alloc(&windows, &code, 64, &stub);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(window_alloc(&windows, &code, 64, &stub), 0);
	unmap_blocks(&windows);

	windows = (struct windows){ 0 };
	assert_ptr_not_equal(mmap((void *)(start - reach), 2 * reach, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
					  MAP_FIXED_NOREPLACE,
				  -1, 0),
			     MAP_FAILED);
	assert_int_equal(window_alloc(&windows, &code, 64, &stub), -ERANGE);
	assert_int_equal(window_alloc(&windows, &code, 64, &stub), -ERANGE);
	munmap((void *)(start - reach), 2 * reach);
}

static void blocks_share_a_short_file(void **state)
{
	char folder[] = "/tmp/clew-window-XXXXXX", part[64];
	char file[4096], again[4096];
	const uint64_t low = hot_shadow_low;
	struct windows windows[2] = { { .part_path = part },
				      { .part_path = part } };
	uint8_t *stub;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(part, sizeof(part), "%s/1.0.part", folder);
	hot_shadow_low = 0;
	for (int i = 0; i < 2; i++) {
		for (uint64_t bytes = 0; bytes < (3 << 20); bytes += 24576) {
			assert_int_equal(window_alloc(&windows[i], &some_code,
						      24576, &stub),
					 0);
			assert_int_equal(stub[0] | stub[24575], 0);
			memset(stub, 0xc3, 24576);
		}
		read_block_file(windows[i].blocks[0].start, file, sizeof(file));
		assert_memory_equal(file, folder, strlen(folder));
		assert_int_equal(windows_seal(&windows[i]), 0);
		for (uint64_t at = 4096; at < (3 << 20); at += 4096) {
			const uint64_t pc = windows[i].blocks[0].start + at;

			read_block_file(pc, again, sizeof(again));
			assert_string_equal(again, file);
			((void (*)(void))pc)();
		}
		assert_int_equal(windows[i].block_count, 1);
	}
	hot_shadow_low = low;
	unmap_blocks(&windows[0]);
	unmap_blocks(&windows[1]);
	assert_int_equal(unlink(file), 0); /* the block's only file */
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_share_a_short_file),
		cmocka_unit_test(no_place_and_no_memory_are_two_things),
		cmocka_unit_test(stubs_are_near_wherever_code_is),
		cmocka_unit_test(executables_below_4_gib_are_served),
		cmocka_unit_test(far_modules_have_stubs_of_their_own),
		cmocka_unit_test(many_small_batches_share_a_block),
		cmocka_unit_test(freed_stub_memory_is_reused),
		cmocka_unit_test(a_spare_block_outlives_the_places),
		cmocka_unit_test(a_spare_block_has_a_file_when_it_is_used),
		cmocka_unit_test(large_modules_have_room),
		cmocka_unit_test(the_heap_has_room_to_grow),
		cmocka_unit_test(stub_memory_is_near_the_data_of_the_module),
		cmocka_unit_test(stub_memory_may_lie_in_the_way_of_the_heap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
