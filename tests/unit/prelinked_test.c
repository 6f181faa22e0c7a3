/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/stubs/prelinked.c: mapped stubs equal the generated ones,
 * and nothing is mapped where stubs cannot be.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/arena.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/stubs/prelinked.h"
#include "wire/verdict.h"

/* The stubs take 20 MiB, more than a block. */
#define COUNT          40000
#define FUNCTION_BYTES 16
#define IMAGE_BYTES    (UINT64_C(1) << 20)

/*
 * Bases at different offsets in their windows, and not near a boundary of 4
 * GiB.
 */
#define BASE       UINT64_C(0x155542345000)
#define OTHER_BASE UINT64_C(0x2aaa87fff000)

static struct wire_function functions[COUNT];
static char path[] = "/tmp/clew-prelinked-XXXXXX";
static struct prelinked_folder folder;
static struct decoder decoder;
static struct arena arena;
static struct windows windows;

static const uint8_t codes[][FUNCTION_BYTES] = {
	{ 0x55, 0x48, 0x89, 0xe5, 0x90 },             /* push, mov, nop */
	{ 0x48, 0x8d, 0x05, 0x00, 0x10, 0x00, 0x00 }, /* lea 0x1000(%rip) */
	{ 0xe8, 0x10, 0x00, 0x00, 0x00 },             /* call .+0x10 */
	{ 0x31, 0xc0, 0x90, 0x75, 0xfb }, /* xor, nop, jne to itself */
};
static const uint8_t displaced[] = { 5, 7, 5, 5 };
enum { KINDS = 4, REFUSED_EACH = 11 };

static void write_functions(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		functions[i] = (struct wire_function){
			.vaddr = 0x1000 + (uint64_t)i * FUNCTION_BYTES,
			.size_bytes = FUNCTION_BYTES,
			.verdict = i % REFUSED_EACH ? VERDICT_IS_JUMP
						    : VERDICT_IS_TOO_SHORT,
			.displaced =
				i % REFUSED_EACH ? displaced[i % KINDS] : 0,
		};
}

static struct prelinked_module module_at(uint64_t base)
{
	static const uint8_t maker[20] = { 4 };
	const struct pc_range code = { base + 0x1000, base + IMAGE_BYTES };

	return (struct prelinked_module){
		.content = { { 1, 2, 3 } },
		.maker = maker,
		.maker_bytes = sizeof(maker),
		.base = base,
		.user = { code, { base, base + IMAGE_BYTES } },
		.functions = functions,
		.count = COUNT,
		.first_number = 4096,
		.constants = { .tls_offset = -0x1240 },
	};
}

static uint8_t *map_code(uint64_t base)
{
	uint8_t *at =
		mmap((void *)base, IMAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(at, (void *)base);
	for (uint32_t i = 0; i < COUNT; i++)
		memcpy(at + functions[i].vaddr, codes[i % KINDS],
		       FUNCTION_BYTES);
	return at;
}

static void unmap_code(uint64_t base)
{
	munmap((void *)base, IMAGE_BYTES);
}

static void forget_blocks(void)
{
	for (uint32_t i = 0; i < windows.block_count; i++) {
		munmap((void *)windows.blocks[i].start, WINDOW_BLOCK_BYTES);
		hot_windows[windows.blocks[i].start >> WINDOW_SHIFT] = 0;
	}
	windows = (struct windows){ 0 };
}

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/clew-prelinked-XXXXXX");
	rt.sink = &sink_counting;
	hot_shadow_low = SHADOW_STACK_LOW;
	write_functions();
	if (!mkdtemp(path) || prelinked_folder_open(&folder, path))
		return -1;
	return decoder_open(&decoder, arena_memory, &arena);
}

static int end(void **state)
{
	DIR *stream = opendir(path);
	struct dirent *item;

	(void)state;
	while ((item = readdir(stream)))
		unlinkat(dirfd(stream), item->d_name, 0);
	closedir(stream);
	forget_blocks();
	arena_fini(&arena);
	prelinked_folder_close(&folder);
	return rmdir(path);
}

/*
 * Finds and maps the stubs. If no stubs are stored, *number says where to
 * generate them.
 */
static int load(const struct prelinked_module *module,
		struct prelinked *prelinked, uint32_t *number)
{
	struct prelinked_found found;
	int err = prelinked_find(&found, module, &folder);

	*prelinked = (struct prelinked){ 0 };
	*number = found.number;
	return err ? err
		   : prelinked_map(prelinked, module, &found, 0, &windows,
				   &arena);
}

static void make(const struct prelinked_module *module, uint32_t number)
{
	assert_int_equal(
		prelinked_make(module, &folder, &decoder, &arena, number), 0);
}

static void made_and_loaded(const struct prelinked_module *module,
			    struct prelinked *prelinked)
{
	uint32_t number;

	assert_int_equal(load(module, prelinked, &number), -ENOENT);
	assert_int_equal(number, 0);
	make(module, number);
	assert_int_equal(load(module, prelinked, &number), 0);
}

static int is_like_one_made_here(const struct prelinked_module *module,
				 uint32_t i, uint64_t stub)
{
	uint8_t bytes[1024] = { 0 };

	assert_int_equal(
		stub_write(&module->constants, &decoder,
			   &(struct stub_function){
				   .number = module->first_number + i,
				   .pc = module->base + functions[i].vaddr,
				   .displaced_bytes =
					   wire_displaced_bytes(&functions[i]),
			   },
			   bytes, stub),
		0);
	return !memcmp(bytes, (const void *)stub, stub_bytes());
}

static void require_all(const struct prelinked_module *module,
			const struct prelinked *prelinked)
{
	uint32_t in_heads = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t stub = prelinked_stub(prelinked, i);

		if (!(i % REFUSED_EACH)) {
			assert_int_equal(stub, 0);
		} else if (stub) {
			assert_int_equal(stub % STUB_BYTES, 0);
			assert_true(runtime_is_stub(stub));
			assert_true(is_like_one_made_here(module, i, stub));
		} else {
			in_heads++;
		}
	}
	/* 20 MiB contain one or two boundaries of blocks */
	assert_in_range(in_heads, 1, 2 * WINDOW_HEAD_BYTES / STUB_BYTES);
}

static void prelinked_stubs_equal_generated_ones(void **state)
{
	struct prelinked_module module = module_at(BASE);
	struct prelinked prelinked;

	(void)state;
	map_code(BASE);
	made_and_loaded(&module, &prelinked);
	require_all(&module, &prelinked);
	unmap_code(BASE);
}

static void prelinked_stubs_depend_on_the_modules_content(void **state)
{
	struct prelinked_module module = module_at(BASE);
	struct prelinked prelinked;
	char name[PRELINKED_NAME_BYTES];
	uint32_t number;

	(void)state;
	map_code(BASE);
	module.content = (struct content){ { 0 } };
	assert_int_equal(load(&module, &prelinked, &number), -ENOTSUP);
	module.content = (struct content){ { 0xa1, 2 } };
	assert_int_equal(prelinked_name(name, &module, 3, PRELINKED_TEXT), 0);
	assert_string_equal(name, "a1020000000000000000000000000000000000000000"
				  "00000000000000000000"
				  "-3.hooked");
	made_and_loaded(&module, &prelinked);
	require_all(&module, &prelinked);
	forget_blocks();
	module.content.digest[DIGEST_BYTES - 1] = 2;
	assert_int_equal(load(&module, &prelinked, &number), -ENOENT);
	unmap_code(BASE);
}

static void prelinked_stubs_work_at_any_address_of_the_module(void **state)
{
	struct prelinked_module module = module_at(BASE);
	struct prelinked prelinked;
	uint32_t number;

	(void)state;
	map_code(BASE);
	map_code(OTHER_BASE);
	make(&module, 0);
	module = module_at(OTHER_BASE);
	assert_int_equal(load(&module, &prelinked, &number), 0);
	require_all(&module, &prelinked);
	unmap_code(BASE);
	unmap_code(OTHER_BASE);
}

static void stubs_of_a_low_module_are_above_it(void **state)
{
	struct prelinked_module module = module_at(0x400000);
	struct prelinked prelinked;

	(void)state;
	map_code(0x400000);
	made_and_loaded(&module, &prelinked);
	assert_true(prelinked.stubs > 0x500000);
	for (uint32_t i = 1; i < COUNT; i += KINDS * REFUSED_EACH) {
		const uint64_t stub = prelinked_stub(&prelinked, i);

		if (stub)
			assert_true(is_like_one_made_here(&module, i, stub));
	}
	unmap_code(0x400000);
}

static void prelinked_stubs_need_the_same_displaced_bytes(void **state)
{
	struct prelinked_module module = module_at(BASE);
	struct prelinked prelinked;
	uint8_t *code = map_code(BASE);
	uint32_t number;

	(void)state;
	make(&module, 0);
	for (uint32_t i = 1; i < COUNT; i += COUNT / 7) {
		uint8_t *at = code + functions[i].vaddr;

		if (!(i % REFUSED_EACH))
			continue;
		at[displaced[i % KINDS] - 1] ^= 1;
		assert_int_equal(load(&module, &prelinked, &number), -ENOENT);
		assert_int_equal(prelinked.stubs, 0);
		at[displaced[i % KINDS] - 1] ^= 1;
	}
	code[functions[1].vaddr + displaced[1]] ^= 1;
	assert_int_equal(load(&module, &prelinked, &number), 0);
	unmap_code(BASE);
}

/* Something else occupies the first or the last page of the stubs' range. */
static void an_occupied_address_range_is_left_alone(void **state)
{
	struct prelinked_module module = module_at(BASE);
	uint64_t bytes = COUNT * stub_bytes(), taken[2];
	struct prelinked prelinked;
	uint32_t number;

	(void)state;
	map_code(BASE);
	made_and_loaded(&module, &prelinked);
	taken[0] = prelinked.stubs & ~UINT64_C(4095);
	taken[1] = (prelinked.stubs + bytes - 1) & ~UINT64_C(4095);
	for (int i = 0; i < 2; i++) {
		uint8_t *stub;
		void *page;

		forget_blocks();
		page = mmap((void *)taken[i], 4096, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			    -1, 0);
		assert_ptr_equal(page, (void *)taken[i]);
		assert_int_equal(load(&module, &prelinked, &number), -EEXIST);
		assert_int_equal(prelinked.stubs, 0);
		assert_int_equal(*(uint32_t *)page, 0);
		assert_int_equal(
			window_alloc(&windows, &module.user, 65536, &stub), 0);
		memset(stub, 0xc3, 65536);
		assert_int_equal(munmap(page, 4096), 0);
	}
	unmap_code(BASE);
}

static void no_other_module_gets_the_same_memory(void **state)
{
	struct prelinked_module module = module_at(BASE);
	const uint64_t bytes = UINT64_C(1) << 20;
	struct prelinked prelinked;
	uint32_t number;

	(void)state;
	map_code(BASE);
	made_and_loaded(&module, &prelinked);
	for (int i = 0; i < 64; i++) {
		uint8_t *stub;

		assert_int_equal(
			window_alloc(&windows, &module.user, bytes, &stub), 0);
		memset(stub, 0xc3, bytes);
	}
	assert_int_equal(windows_seal(&windows), 0);
	require_all(&module, &prelinked);
	assert_int_equal(load(&module, &prelinked, &number), -EEXIST);
	unmap_code(BASE);
}

static void variants_have_files_up_to_a_limit(void **state)
{
	struct prelinked_module module = module_at(BASE);
	static const uint8_t other[20] = { 5 };
	struct prelinked prelinked;
	uint32_t number;

	(void)state;
	module.count = 16;
	map_code(BASE);
	for (uint32_t i = 0; i < 8; i++) {
		module.constants.tls_offset = -0x1000 - (int32_t)i * 64;
		assert_int_equal(load(&module, &prelinked, &number), -ENOENT);
		assert_int_equal(number, i);
		make(&module, number);
	}
	assert_int_equal(load(&module, &prelinked, &number), 0);
	module.first_number++;
	assert_int_equal(load(&module, &prelinked, &number), -ENOSPC);
	module.first_number--;
	module.constants.counted = STUB_IS_WARY;
	assert_int_equal(load(&module, &prelinked, &number), -ENOSPC);
	/* another libclew.so starts new files */
	module.maker = other;
	assert_int_equal(load(&module, &prelinked, &number), -ENOENT);
	assert_int_equal(number, 0);
	unmap_code(BASE);
}

/* Opens the created file for writing, and reads its header. */
static int open_to_lie(struct prelinked_head *head)
{
	char name[PRELINKED_NAME_BYTES];
	int fd;

	snprintf(name, sizeof(name), "010203%058d-0.prelinked", 0);
	assert_int_equal(fchmodat(folder.fd, name, 0600, 0), 0);
	fd = openat(folder.fd, name, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, head, sizeof(*head), PRELINKED_HEAD_AT),
			 sizeof(*head));
	return fd;
}

static void seal_again(int fd, struct prelinked_head *head)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { head->seal_s, head->seal_ns } };

	head->checksum =
		prelinked_sum(PRELINKED_SUM_OF_NOTHING, head,
			      offsetof(struct prelinked_head, checksum));
	assert_int_equal(pwrite(fd, head, sizeof(*head), PRELINKED_HEAD_AT),
			 sizeof(*head));
	assert_int_equal(fchmod(fd, 0400), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

/* A flag for a function without stubs, and an unknown flag, are rejected. */
static void flags_of_the_file_must_fit_the_functions(void **state)
{
	static const struct {
		uint32_t function;
		uint8_t flag;
		int err;
	} lies[] = { { 0, 1, -ENOENT }, { 1, 2, -ENOENT }, { 1, 1, 0 } };
	struct prelinked_module module = module_at(BASE);
	static uint8_t flags[(COUNT + 4095) & ~4095];
	struct prelinked_head head;
	struct prelinked prelinked;
	uint32_t number;

	(void)state;
	map_code(BASE);
	make(&module, 0);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		int fd = open_to_lie(&head);

		assert_int_equal(
			pread(fd, flags, sizeof(flags), PRELINKED_FLAGS_AT),
			sizeof(flags));
		flags[0] = 0;
		flags[lies[i].function] = lies[i].flag;
		assert_int_equal(
			pwrite(fd, flags, sizeof(flags), PRELINKED_FLAGS_AT),
			sizeof(flags));
		head.flags = prelinked_sum(PRELINKED_SUM_OF_NOTHING, flags,
					   sizeof(flags));
		seal_again(fd, &head);
		assert_int_equal(load(&module, &prelinked, &number),
				 lies[i].err);
	}
	unmap_code(BASE);
}

static int is_of_seal(size_t word)
{
	return word == offsetof(struct prelinked_head, seal_s) / 8 ||
	       word == offsetof(struct prelinked_head, seal_ns) / 8 ||
	       word == offsetof(struct prelinked_head, checksum) / 8;
}

/* The loader rejects false heads even if their owner has sealed them. */
static void false_headers_are_rejected(void **state)
{
	struct prelinked_module module = module_at(BASE);
	struct prelinked_head head, lying;
	struct prelinked prelinked;
	uint32_t number;

	(void)state;
	map_code(BASE);
	make(&module, 0);
	for (size_t i = 0; i < sizeof(head) / 8; i++) {
		uint64_t *words = (uint64_t *)&lying;
		int fd = open_to_lie(i ? &lying : &head);

		lying = head;
		if (!is_of_seal(i))
			words[i] = words[i] * 0x9e3779b97f4a7c15 + 1;
		seal_again(fd, &lying);
		forget_blocks();
		assert_int_equal(load(&module, &prelinked, &number),
				 is_of_seal(i) ? 0 : -ENOENT);
	}
	unmap_code(BASE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(prelinked_stubs_equal_generated_ones),
		TEST(prelinked_stubs_depend_on_the_modules_content),
		TEST(prelinked_stubs_work_at_any_address_of_the_module),
		TEST(stubs_of_a_low_module_are_above_it),
		TEST(prelinked_stubs_need_the_same_displaced_bytes),
		TEST(an_occupied_address_range_is_left_alone),
		TEST(no_other_module_gets_the_same_memory),
		TEST(variants_have_files_up_to_a_limit),
		TEST(flags_of_the_file_must_fit_the_functions),
		TEST(false_headers_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
