/* SPDX-License-Identifier: MIT */
/*
 * Tests the analysis of stripped programs and libraries of this computer:
 * nearly all functions are hooked, and no two patches overlap.
 */
#include "disasm_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/analysis.h"
#include "image/symbols.h"
#include "wire/verdict.h"

struct module {
	const char *path;
	uint32_t least_functions;
	unsigned int least_hooked_permille;
};

/* In glibc 2.31 more functions are refused. */
#if __GLIBC_PREREQ(2, 36)
#define LIBC_PERMILLE 980
#else
#define LIBC_PERMILLE 960
#endif

static const struct module modules[] = {
	{ "/usr/bin/python3", 6000, 990 },
	{ "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", 1900, 995 },
	{ "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 4000, 995 },
	/* NAMED functions, and those that tails of memcpy's family enter */
	{ "/usr/lib/x86_64-linux-gnu/libc.so.6", 3000, LIBC_PERMILLE },
};
#define MODULES (sizeof(modules) / sizeof(modules[0]))

static int cannot_read(const struct module *module)
{
	return access(module->path, R_OK) != 0;
}

static void analyse(const struct module *module, const char *cache_dir,
		    struct arena *arena, struct analysis *out)
{
	assert_int_equal(analysis_of_file(module->path, cache_dir, arena, out),
			 0);
}

static void nearly_everything_is_hooked(void **state)
{
	for (size_t i = 0; i < MODULES; i++) {
		struct arena arena = { 0 };
		struct analysis analysis;
		uint64_t counts[3] = { 0 };

		if (cannot_read(&modules[i]))
			continue;
		analyse(&modules[i], NULL, &arena, &analysis);
		for (uint32_t n = 0; n < analysis.function_count; n++)
			counts[verdict_class(analysis.functions[n].verdict)]++;
		assert_true(analysis.function_count >=
			    modules[i].least_functions);
		assert_true(1000 * counts[VERDICT_HOOKED] >=
			    modules[i].least_hooked_permille *
				    (counts[VERDICT_HOOKED] +
				     counts[VERDICT_REFUSED]));
		arena_fini(&arena);
	}
}

/*
 * Marks the bytes that a hook writes or relies on. Fails if another hook has
 * marked one of them.
 */
static void claim(const struct analysis *analysis, uint8_t *claimed,
		  uint64_t vaddr, unsigned int bytes)
{
	for (uint64_t at = vaddr; at < vaddr + bytes; at++) {
		assert_in_range(at, analysis->vaddr_start,
				analysis->vaddr_end - 1);
		assert_false(claimed[at - analysis->vaddr_start]++);
	}
}

static void claim_function(const struct analysis *analysis, uint8_t *claimed,
			   const struct wire_function *f)
{
	uint64_t site = f->vaddr + f->patch_offset;

	switch (f->verdict) {
	case VERDICT_IS_TRAP:
		claim(analysis, claimed, site, 1);
		break;
	case VERDICT_IS_JUMP_SHORT:
		claim(analysis, claimed, site, 2);
		claim(analysis, claimed,
		      site + 2 + (uint64_t)(int64_t)f->island, 5);
		break;
	default:
		claim(analysis, claimed, site, 5);
	}
}

static void patches_do_not_touch_each_other(void **state)
{
	for (size_t i = 0; i < MODULES; i++) {
		struct arena arena = { 0 };
		struct analysis analysis;
		uint8_t *claimed;

		if (cannot_read(&modules[i]))
			continue;
		analyse(&modules[i], NULL, &arena, &analysis);
		claimed = calloc(1, analysis.vaddr_end - analysis.vaddr_start);
		for (uint32_t n = 0; n < analysis.function_count; n++) {
			const struct wire_function *f = &analysis.functions[n];

			assert_true(n == 0 || f[-1].vaddr < f->vaddr);
			if (verdict_class(f->verdict) == VERDICT_HOOKED)
				claim_function(&analysis, claimed, f);
		}
		free(claimed);
		arena_fini(&arena);
	}
}

static int count_functions(void *context, const struct symbol *symbol)
{
	*(unsigned int *)context += symbol->is_function && *symbol->name;
	return 0;
}

/* Without section headers, the loader's own table gives the symbols. */
static void symbols_are_found_without_section_headers(void **state)
{
	for (size_t i = 0; i < MODULES; i++) {
		unsigned int with = 0;
		unsigned int without = 0;
		struct image image;

		if (cannot_read(&modules[i]))
			continue;
		assert_int_equal(image_open(&image, modules[i].path), 0);
		if (!image_section(&image, ".symtab"))
			symbols_walk(&image, count_functions, &with);
		image.sections = NULL;
		image.section_count = 0;
		symbols_walk(&image, count_functions, &without);
		assert_true(without > 0);
		assert_true(with == 0 || with == without);
		image_close(&image);
	}
}

static void the_second_analysis_is_the_same(void **state)
{
	char dir[] = "/tmp/clew-real-XXXXXX";
	char command[64];

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < MODULES; i++) {
		struct arena arena = { 0 };
		struct analysis first;
		struct analysis second;

		if (cannot_read(&modules[i]))
			continue;
		analyse(&modules[i], dir, &arena, &first);
		analyse(&modules[i], dir, &arena, &second);
		assert_false(first.from_cache);
		assert_true(second.from_cache);
		assert_int_equal(first.function_count, second.function_count);
		assert_memory_equal(first.functions, second.functions,
				    first.function_count *
					    sizeof(*first.functions));
		arena_fini(&arena);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearly_everything_is_hooked),
		cmocka_unit_test(patches_do_not_touch_each_other),
		cmocka_unit_test(symbols_are_found_without_section_headers),
		cmocka_unit_test(the_second_analysis_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
