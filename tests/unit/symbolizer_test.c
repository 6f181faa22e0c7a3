/* SPDX-License-Identifier: MIT */
/* Tests of demangling and of lookups, with this test as the module. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "symbolizer/a2n.h"
#include "symbolizer/index.h"

static struct a2n *a2n; /* without a cache */

void symbolizer_test_public(void);
void _symbolizer_test_alias(void) __attribute__((alias("named")));
void symbolizer_test_public(void) __attribute__((alias("named")));
void symbolizer_test_public_too(void) __attribute__((alias("named")));

__attribute__((used, noinline)) static void named(void)
{
	__asm__ volatile("nop; nop; nop");
}

static int first_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static uint64_t own_vaddr(void (*function)(void))
{
	uint64_t base = 0;

	dl_iterate_phdr(first_base, &base);
	return (uint64_t)(uintptr_t)function - base;
}

static void assert_demangled(const char *symbol, const char *expected)
{
	char *name = a2n_demangle(symbol);

	assert_string_equal(name, expected);
	free(name);
}

static void d_is_demangled(void **state)
{
	(void)state;
	assert_demangled("_D8demangle4testFaZv", "demangle.test(char)");
	assert_demangled("_Dmain", "D main");
	assert_demangled("_D3std5stdio__T7writelnTAyaZ7writelnFNfAyaZv",
			 "std.stdio.writeln!(immutable(char)[])."
			 "writeln(immutable(char)[])");
	/* Names of C, which stay unchanged. */
	assert_demangled("_Debug", "_Debug");
	assert_demangled("_D9", "_D9");
	assert_demangled("_Dmain2", "_Dmain2");
}

/* Each tuple refers three times to the previous one. */
static void references_of_d_are_limited(void **state)
{
	enum { LEVELS = 40 };
	char symbol[4096] = "_D1aFB3iii";
	size_t length = strlen(symbol), start = length - 5;
	char *name;

	(void)state;
	for (int i = 0; i < LEVELS; i++) {
		const size_t tuple = length;

		length += (size_t)sprintf(symbol + length, "B3");
		for (int j = 0; j < 3; j++)
			length += (size_t)sprintf(
				symbol + length, "Q%c",
				(char)('a' + (length - start) % 26));
		start = tuple;
	}
	strcpy(symbol + length, "Zv");
	name = a2n_demangle(symbol);
	assert_string_equal(name, symbol);
	free(name);
}

static void long_names_of_d_are_no_recursion(void **state)
{
	enum { POINTERS = 1000000 };
	char *symbol = malloc(POINTERS + 16), *name;

	(void)state;
	assert_non_null(symbol);
	strcpy(symbol, "_D1aF");
	memset(symbol + 5, 'P', POINTERS);
	strcpy(symbol + 5 + POINTERS, "iZv");
	name = a2n_demangle(symbol);
	assert_non_null(name);
	assert_true(strlen(name) <= 8 * 1024);
	free(name);
	free(symbol);
}

static void cplusplus_and_rust_are_demangled(void **state)
{
	(void)state;
	assert_demangled("_ZN3foo3barEiPKc", "foo::bar(int, char const*)");
	assert_demangled("_ZNSt6vectorIiSaIiEE9push_backERKi",
			 "std::vector<int, std::allocator<int> >::push_back"
			 "(int const&)");
	assert_demangled("_RNvC6_123foo3bar", "123foo::bar");
	assert_demangled("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
			 "core::fmt::Formatter::pad");
}

static void other_names_stay_as_they_are(void **state)
{
	(void)state;
	assert_demangled("main", "main");
	assert_demangled("_Znot_mangled", "_Znot_mangled");
	assert_demangled("_Z", "_Z");
	assert_demangled("", "");
}

static void versions_are_dropped(void **state)
{
	(void)state;
	assert_demangled("memcpy@@GLIBC_2.14", "memcpy");
	assert_demangled("_ZN3foo3barEv@V1", "foo::bar()");
	assert_demangled("@", "@");
}

/*
 * Writes the name of f(P<T, T>*) to `name`, where T has `levels - 1` levels of
 * the same kind: its text doubles with each level. `begin` is the type of f's
 * argument up to the class, and `end` follows it.
 */
static void write_doubling(char *name, unsigned int levels, const char *begin,
			   const char *end)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	name += sprintf(name, "_Z1f%s1PI", begin);
	for (unsigned int i = 1; i < levels; i++)
		name += sprintf(name, "S_I");
	name += sprintf(name, "iiE");
	for (unsigned int i = 0; i + 1 < levels; i++)
		name += sprintf(name, "S%c_E", digits[i]);
	sprintf(name, end, digits[levels - 1]);
}

static void long_names_are_cut(void **state)
{
	static const char *const begin = "f(P<P<P<P<";
	char mangled[1024], *name;

	(void)state;
	write_doubling(mangled, 36, "P", "");
	name = a2n_demangle(mangled);
	assert_int_equal(strlen(name), 8 * 1024);
	assert_memory_equal(name, begin, strlen(begin));
	assert_string_equal(name + strlen(name) - 3, "...");
	free(name);
	write_doubling(mangled, 3, "P", "");
	assert_demangled(mangled, "f(P<P<P<int, int>, P<int, int> >, "
				  "P<P<int, int>, P<int, int> > >*)");
}

/* Rust's names also refer back to their parts: (T, T) with T = (U, U). */
static void long_names_of_rust_are_cut(void **state)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char mangled[512] = "_RINvC1a1f", *at = mangled + strlen(mangled);
	char *name;

	(void)state;
	for (int i = 0; i < 32; i++)
		at += sprintf(at, "T");
	at += sprintf(at, "h");
	for (int i = 31; i >= 0; i--) /* refers to the previous type */
		at += sprintf(at, "B%c_E", digits[8 + i]);
	sprintf(at, "E");
	name = a2n_demangle(mangled);
	assert_int_equal(strlen(name), 8 * 1024);
	assert_string_equal(name + strlen(name) - 3, "...");
	free(name);
}

/* The demangler would search a type of 2^36 parts for a parameter pack. */
static void names_that_take_forever_stay_mangled(void **state)
{
	char mangled[1024];

	(void)state;
	write_doubling(mangled, 36, "M", "DpS%c_");
	assert_demangled(mangled, mangled);
	write_doubling(mangled, 2, "M", "DpS%c_");
	assert_demangled(mangled, "f((P<P<int, int>, P<int, int> >)... "
				  "P<P<int, int>, P<int, int> >::*)");
}

/* Another slow search: a class in the default argument C<P<T, T>...> of g(). */
static void default_arguments_that_take_forever_stay_mangled(void **state)
{
	char mangled[1024], *at = mangled;

	(void)state;
	at += sprintf(at, "_ZZ1gvEd0_N1CIDp1PI");
	for (int i = 0; i < 33; i++)
		at += sprintf(at, "S0_I");
	at += sprintf(at, "iiE");
	for (int i = 0; i < 33; i++)
		at += sprintf(at, "S%c_E",
			      "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
	sprintf(at, "E1fEv");
	assert_demangled(mangled, mangled);
	assert_demangled("_ZZ1gvEd0_N1CIDp1PIiiEE1fEv",
			 "g()::{default arg#2}::C<(P<int, int>)...>::f()");
}

static void long_names_of_c_are_cut(void **state)
{
	char *symbol = malloc(100001), *name;

	(void)state;
	memset(symbol, 'x', 100000);
	symbol[100000] = '\0';
	name = a2n_demangle(symbol);
	assert_int_equal(strlen(name), 8 * 1024);
	assert_string_equal(name + strlen(name) - 4, "x...");
	free(name);
	free(symbol);
}

static void escape_sequences_in_names_are_defused(void **state)
{
	(void)state;
	assert_demangled("a\033[31m", "a?[31m");
}

/* Returns the function at a vaddr of this test. */
static struct a2n_frame own_frame(uint64_t vaddr)
{
	const struct a2n_module *module;
	struct a2n_frame frames[8];
	size_t count;

	assert_int_equal(a2n_module_open(a2n, "/proc/self/exe", NULL, &module),
			 0);
	count = a2n_module_lookup(module, vaddr, frames, 8);
	assert_in_range(count, 1, 8);
	return frames[count - 1];
}

static void the_public_name_is_preferred(void **state)
{
	struct a2n_frame frame = own_frame(own_vaddr(named));

	(void)state;
	assert_string_equal(frame.name, "symbolizer_test_public");
	assert_int_equal(frame.start, own_vaddr(named));
}

static void inside_a_function_its_start_is_known(void **state)
{
	struct a2n_frame frame = own_frame(own_vaddr(named) + 1);

	(void)state;
	assert_string_equal(frame.name, "symbolizer_test_public");
	assert_int_equal(frame.start, own_vaddr(named));
}

static void another_build_is_refused(void **state)
{
	const struct a2n_build_id other = { .bytes = 20, .data = { 1, 2, 3 } };
	const struct a2n_module *module;

	(void)state;
	assert_int_equal(
		a2n_module_open(a2n, "/proc/self/exe", &other, &module),
		-ESTALE);
}

static void other_files_are_refused_as_modules(void **state)
{
	static const struct {
		const char *path;
		int err;
	} cases[] = {
		{ "/nowhere", -ENOENT },   { "/", -ENOEXEC },
		{ "/dev/zero", -ENOEXEC }, { "/etc/passwd", -ENOEXEC },
		{ "", -ENOENT },
	};
	const struct a2n_module *module;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			a2n_module_open(a2n, cases[i].path, NULL, &module),
			cases[i].err);
}

/* Uses the first 64 KiB of this test as a module, truncated and damaged. */
static void damaged_modules_do_no_harm(void **state)
{
	enum { BYTES = 1 << 16, ROUNDS = 300 };
	const struct a2n_options private = { .flags = A2N_NO_CACHE };
	char path[] = "/tmp/clew-test-XXXXXX";
	unsigned char *bytes = memory_zeroed(BYTES, 1);
	FILE *self = fopen("/proc/self/exe", "r");
	size_t length = fread(bytes, 1, BYTES, self);
	int fd = mkstemp(path);
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t cut = (random >> 8) % (length + 1);
		const struct a2n_module *module;
		struct a2n_frame frame;
		struct a2n *fresh;

		for (int j = 0; j < 4; j++) {
			random = random * 1664525 + 1013904223;
			bytes[(random >> 8) % (j < 2 ? 64 : length)] =
				(unsigned char)random;
			memcpy(bytes, "\177ELF\2\1\1", 7);
		}
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, cut, 0), cut);
		assert_int_equal(a2n_create(&private, &fresh), 0);
		if (a2n_module_open(fresh, path, NULL, &module) == 0)
			a2n_module_lookup(module, 0x1000, &frame, 1);
		a2n_destroy(fresh);
	}
	fclose(self);
	close(fd);
	unlink(path);
	free(bytes);
}

static void a_damaged_index_claims_no_merged_names(void **state)
{
	static const char text[] = "\0name";
	const struct index_name names[] = { { .symbol = { 0 } },
					    { .pretty = { 1, 4 } } };
	const struct index_merged merged[] = { { .name = 1, .count = 9 },
					       { .name = 7, .count = 9 } };
	const struct index_header header = { .base = 0 };
	const struct index index = {
		.header = &header,
		.names = names,
		.name_count = 2,
		.merged = merged,
		.merged_count = 2,
		.text = { (const uint8_t *)text, sizeof(text) },
	};
	const char *found[A2N_MERGED_MAX];

	(void)state;
	assert_int_equal(index_merged_names(&index, 0, found, A2N_MERGED_MAX),
			 1);
	assert_string_equal(found[0], "name");
	assert_int_equal(index_merged_names(&index, 1, found, A2N_MERGED_MAX),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cplusplus_and_rust_are_demangled),
		cmocka_unit_test(d_is_demangled),
		cmocka_unit_test(references_of_d_are_limited),
		cmocka_unit_test(long_names_of_d_are_no_recursion),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(long_names_of_rust_are_cut),
		cmocka_unit_test(names_that_take_forever_stay_mangled),
		cmocka_unit_test(
			default_arguments_that_take_forever_stay_mangled),
		cmocka_unit_test(long_names_of_c_are_cut),
		cmocka_unit_test(other_names_stay_as_they_are),
		cmocka_unit_test(versions_are_dropped),
		cmocka_unit_test(escape_sequences_in_names_are_defused),
		cmocka_unit_test(the_public_name_is_preferred),
		cmocka_unit_test(inside_a_function_its_start_is_known),
		cmocka_unit_test(another_build_is_refused),
		cmocka_unit_test(other_files_are_refused_as_modules),
		cmocka_unit_test(damaged_modules_do_no_harm),
		cmocka_unit_test(a_damaged_index_claims_no_merged_names),
	};

	const struct a2n_options options = { .flags = A2N_NO_CACHE };
	int failed;

	if (a2n_create(&options, &a2n) != 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	a2n_destroy(a2n);
	return failed;
}
