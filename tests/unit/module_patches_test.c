/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/hooking/module_patches.c: a module gets patches at different
 * times, is unloaded, and has all of them when it is loaded again.
 */
#include "preload/hooking/module_patches.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/hot/runtime.h"
#include "preload/patch/code.h"
#include "preload/patch/guard.h"
#include "preload/stack/landing.h"
#include "tests/unit/unit.h"

#define NOP       0x90
#define INT1      0xf1
#define PATCHES   3
#define SITE_AT   16 /* of the second patch; that of the first is 0 */
#define MEETS_AT  18 /* of the third patch, in the second */
#define SITE_SIZE 4
#define PAGES     2 /* the module is in the first page */

static uint8_t *text;
static struct wire_header header;
static struct cold cold;
static ElfW(Phdr) segment;
static struct module module;
static struct patch_site sites[PATCHES];
static struct patch patches[PATCHES];

/* Replaces the function of preload/front. */
void landing_note_leap(uint64_t pc)
{
}

static uint32_t guarded_while_written;

/* Replaces the function of preload/patch, as this test has no stubs. */
int guard_patch(struct patch *patch)
{
	const struct patch_text *site = &patch->sites[0].text;

	guarded_while_written |=
		!memcmp((const void *)site->pc, site->after, SITE_SIZE);
	patch->is_guarded = 1;
	return 0;
}

static void make_patch(int number, uint32_t at)
{
	struct patch_site *site = &sites[number];

	*site = (struct patch_site){ .text = { .pc = (uintptr_t)text + at,
					       .bytes = SITE_SIZE } };
	memset(site->text.before, NOP, SITE_SIZE);
	memset(site->text.after, INT1, SITE_SIZE);
	patches[number] = (struct patch){ .sites = site, .site_count = 1 };
}

static int load(void **state)
{
	text = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED)
		return -1;
	memset(text, NOP, PAGE_BYTES);
	segment = (ElfW(Phdr)){ .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_memsz = PAGE_BYTES };
	module = (struct module){ .base = (uintptr_t)text,
				  .segments = &segment,
				  .segment_count = 1 };
	cold = (struct cold){ 0 };
	rt.cold = &cold;
	rt.patches = &cold.patches;
	rt.header = &header;
	guarded_while_written = 0;
	make_patch(0, 0);
	make_patch(1, SITE_AT);
	make_patch(2, MEETS_AT);
	return mprotect(text, PAGE_BYTES, PROT_READ | PROT_EXEC);
}

static int unload(void **state)
{
	return munmap(text, PAGES * PAGE_BYTES);
}

static int stands(int number)
{
	const struct patch_text *site = &sites[number].text;

	return !memcmp((const void *)site->pc, site->after, SITE_SIZE);
}

/* Returns whether a handler of SIGTRAP finds the patch. */
static int is_known(const struct patch *patch)
{
	for (const struct patch *p = cold.patches.first; p; p = p->next)
		if (p == patch)
			return 1;
	return 0;
}

static void commit_two(void)
{
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			module_patches_commit(&cold, &module, &patches[i]), 0);
}

static void a_module_has_all_patches_that_it_was_given(void **state)
{
	commit_two();
	assert_ptr_equal(module.patches, &patches[1]);
	assert_ptr_equal(patches[1].next_of_module, &patches[0]);
	assert_null(patches[0].next_of_module);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(patches[i].module, &module);
		assert_true(stands(i) && is_known(&patches[i]));
	}
}

static void a_patch_of_the_same_bytes_is_refused(void **state)
{
	commit_two();
	assert_int_equal(module_patches_commit(&cold, &module, &patches[2]),
			 -EEXIST);
	assert_ptr_equal(module.patches, &patches[1]);
	assert_false(is_known(&patches[2]));
	assert_true(stands(1));
}

static void an_island_has_bytes_too(void **state)
{
	patches[1].islands = &sites[1].text;
	patches[1].island_count = 1;
	patches[1].site_count = 0;
	commit_two();
	assert_int_equal(module_patches_commit(&cold, &module, &patches[2]),
			 -EEXIST);
}

/* The bytes of the site and the end of the segment are unmapped. */
static void a_failed_patch_leaves_the_code_unchanged(void **state)
{
	commit_two();
	segment.p_memsz = PAGES * PAGE_BYTES;
	sites[2].text.pc = (uintptr_t)text + PAGE_BYTES;
	assert_int_equal(munmap(text + PAGE_BYTES, PAGE_BYTES), 0);
	assert_int_not_equal(module_patches_commit(&cold, &module, &patches[2]),
			     0);
	assert_false(is_known(&patches[2]) || patches[2].is_written);
	assert_ptr_equal(module.patches, &patches[1]);
	for (int i = 0; i < 2; i++)
		assert_true(stands(i) && is_known(&patches[i]));
}

static void nothing_is_written_while_unhooked(void **state)
{
	cold.patches.is_out = 1;
	commit_two();
	for (int i = 0; i < 2; i++) {
		assert_true(is_known(&patches[i]));
		assert_false(stands(i) || patches[i].is_written);
	}
}

static void commit(int number)
{
	assert_int_equal(
		module_patches_commit(&cold, &module, &patches[number]), 0);
}

/* The guard is in place before any thread reaches the patch's stubs. */
static void a_patch_of_a_guarded_module_is_guarded(void **state)
{
	commit(0);
	patches[0].is_guarded = 1;
	commit(1);
	assert_true(patches[1].is_guarded);
	assert_false(guarded_while_written);
}

static void a_patch_of_an_open_module_is_not_guarded(void **state)
{
	commit_two();
	assert_false(patches[0].is_guarded || patches[1].is_guarded);
}

static void a_patch_is_guarded_if_its_module_would_be(void **state)
{
	patches[0].may_generate = 1;
	commit_two();
	assert_true(patches[1].may_generate);
}

/* The runtime of such a module finds return addresses by itself. */
static void a_patch_of_a_module_that_resolves_returns_is_not_guarded(
	void **state)
{
	commit(0);
	patches[0].resolves_returns = 1;
	patches[0].is_guarded = 1; /* does not occur otherwise */
	commit(1);
	assert_true(patches[1].resolves_returns);
	assert_false(patches[1].is_guarded);
}

static void retire(void)
{
	module_patches_retire(&cold, &module);
	assert_int_equal(mprotect(text, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
	memset(text, NOP, PAGE_BYTES);
	assert_int_equal(mprotect(text, PAGE_BYTES, PROT_READ | PROT_EXEC), 0);
}

static void a_retired_module_keeps_patches_that_no_handler_sees(void **state)
{
	commit_two();
	retire();
	assert_ptr_equal(module.patches, &patches[1]);
	assert_null(cold.patches.first);
	assert_false(patches[0].is_written || patches[1].is_written);
}

static void a_reloaded_module_has_all_patches_again(void **state)
{
	struct module back = module;

	commit_two();
	retire();
	assert_int_equal(module_patches_again(&cold, &module, &back), 0);
	assert_null(module.patches);
	assert_ptr_equal(back.patches, &patches[1]);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(patches[i].module, &back);
		assert_true(stands(i) && is_known(&patches[i]));
	}
}

static void a_changed_reloaded_module_has_no_patches(void **state)
{
	struct module back = module;

	commit_two();
	retire();
	sites[0].text.before[1] =
		INT1; /* as if the module's file had been replaced */
	assert_int_not_equal(module_patches_again(&cold, &module, &back), 0);
	assert_ptr_equal(module.patches, &patches[1]);
	assert_null(back.patches);
	assert_null(cold.patches.first);
	assert_false(stands(1));
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, load, unload)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_module_has_all_patches_that_it_was_given),
		CLAIM(a_patch_of_the_same_bytes_is_refused),
		CLAIM(an_island_has_bytes_too),
		CLAIM(a_failed_patch_leaves_the_code_unchanged),
		CLAIM(nothing_is_written_while_unhooked),
		CLAIM(a_patch_of_a_guarded_module_is_guarded),
		CLAIM(a_patch_of_an_open_module_is_not_guarded),
		CLAIM(a_patch_is_guarded_if_its_module_would_be),
		CLAIM(a_patch_of_a_module_that_resolves_returns_is_not_guarded),
		CLAIM(a_retired_module_keeps_patches_that_no_handler_sees),
		CLAIM(a_reloaded_module_has_all_patches_again),
		CLAIM(a_changed_reloaded_module_has_no_patches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
