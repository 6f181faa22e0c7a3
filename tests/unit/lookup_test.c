/* SPDX-License-Identifier: MIT */
/* Tests of preload/host/lookup.c with the modules of this process. */
#include "tests/unit/unit.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "preload/host/lookup.h"
#include "preload/host/next.h"

enum { PAGE = 4096, FUNCTIONS = 2 };

static int is_locked; /* the stand-in for dl_iterate_phdr() runs */

static int iterate(int (*visit)(struct dl_phdr_info *, size_t, void *),
		   void *context)
{
	int result;

	is_locked = 1;
	result = visit(NULL, 0, context);
	is_locked = 0;
	return result;
}

static int find_loaders_functions(void **state)
{
	next._dl_find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
	next.dl_iterate_phdr = (void *)iterate;
	return 0;
}

/* A function, and the module that contains it according to the loader. */
struct known_function {
	const void *function;
	const struct link_map *module;
};

/* Finds a function of libc, and one of this program. */
static void find_functions(struct known_function *functions)
{
	void *map;
	Dl_info info;

	functions[0].function = (void *)getenv;
	functions[1].function = (void *)find_functions;
	for (int i = 0; i < FUNCTIONS; i++) {
		assert_true(dladdr1(functions[i].function, &info, &map,
				    RTLD_DL_LINKMAP));
		functions[i].module = map;
	}
}

static void check_functions(const struct known_function *functions)
{
	for (int i = 0; i < FUNCTIONS; i++)
		assert_ptr_equal(
			lookup_module((uintptr_t)functions[i].function),
			functions[i].module);
}

static void a_pc_is_found_in_its_module(void **state)
{
	struct known_function functions[FUNCTIONS];

	find_functions(functions);
	check_functions(functions);
	next._dl_find_object = NULL;
	check_functions(functions);
}

static void memory_outside_of_modules_is_in_no_module(void **state)
{
	void *heap = malloc(1);

	assert_null(lookup_module((uintptr_t)heap));
	assert_null(lookup_module((uintptr_t)&heap));
	free(heap);
}

/* The list of modules ends in an unmapped one, as in the midst of dlclose(). */
static void a_search_for_a_pc_does_not_read_the_list_of_modules(void **state)
{
	struct known_function functions[FUNCTIONS];
	struct link_map *last = lookup_debug()->r_map;
	void *unmapped =
		mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(unmapped, MAP_FAILED);
	find_functions(functions);
	while (last->l_next)
		last = last->l_next;
	last->l_next = unmapped;
	check_functions(functions);
	last->l_next = NULL;
	munmap(unmapped, PAGE);
}

static int note_lock(struct dl_phdr_info *info, size_t bytes, void *context)
{
	*(int *)context = is_locked;
	return 1;
}

static void a_locked_search_runs_in_a_callback_of_the_loader(void **state)
{
	int was_locked = 0;

	lookup_locked(note_lock, &was_locked);
	assert_true(was_locked);
	next.dl_iterate_phdr = NULL;
	lookup_locked(note_lock, &was_locked);
	assert_false(was_locked);
}

#define TEST(name) cmocka_unit_test_setup(name, find_loaders_functions)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pc_is_found_in_its_module),
		TEST(memory_outside_of_modules_is_in_no_module),
		TEST(a_search_for_a_pc_does_not_read_the_list_of_modules),
		TEST(a_locked_search_runs_in_a_callback_of_the_loader),
	};

	if (!dlsym(RTLD_DEFAULT, "_dl_find_object"))
		return 77; /* a glibc before 2.35 */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
