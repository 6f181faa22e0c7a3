/* SPDX-License-Identifier: MIT */
/* Names, with this very test as the module. */
#include "tests/unit/unit.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "symbolizer/demangle.h"
#include "symbolizer/symbols.h"

static const struct build_id none;

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
	char *name = demangle(symbol);

	assert_string_equal(name, expected);
	free(name);
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

static void escape_sequences_in_names_are_defused(void **state)
{
	(void)state;
	assert_demangled("a\033[31m", "a?[31m");
}

static void the_public_name_is_preferred(void **state)
{
	struct symbols *symbols = symbols_open("/proc/self/exe", &none);
	char *name = symbols_name(symbols, own_vaddr(named));

	(void)state;
	assert_non_null(name);
	assert_string_equal(name, "symbolizer_test_public");
	free(name);
	symbols_close(symbols);
}

static void inside_a_function_the_offset_is_shown(void **state)
{
	struct symbols *symbols = symbols_open("/proc/self/exe", &none);
	char *name = symbols_name(symbols, own_vaddr(named) + 1);

	(void)state;
	assert_non_null(name);
	assert_string_equal(name, "symbolizer_test_public+0x1");
	free(name);
	symbols_close(symbols);
}

static void another_build_names_nothing(void **state)
{
	const struct build_id other = { .bytes = 20, .data = { 1, 2, 3 } };
	struct symbols *symbols = symbols_open("/proc/self/exe", &other);

	(void)state;
	assert_null(symbols_name(symbols, own_vaddr(named)));
	symbols_close(symbols);
}

static void what_is_no_module_names_nothing(void **state)
{
	static const char *const paths[] = { "/nowhere", "/", "/dev/zero",
					     "/etc/passwd", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct symbols *symbols = symbols_open(paths[i], &none);

		assert_null(symbols_name(symbols, 0x1000));
		symbols_close(symbols);
	}
}

/* Our own first 64 KiB, cut and damaged, as a module. */
static void damaged_modules_do_no_harm(void **state)
{
	enum { BYTES = 1 << 16, ROUNDS = 300 };
	char path[] = "/tmp/clew-test-XXXXXX";
	unsigned char *bytes = memory_zeroed(BYTES, 1);
	FILE *self = fopen("/proc/self/exe", "r");
	size_t length = fread(bytes, 1, BYTES, self);
	int fd = mkstemp(path);
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t cut = (random >> 8) % (length + 1);
		struct symbols *symbols;

		for (int j = 0; j < 4; j++) {
			random = random * 1664525 + 1013904223;
			bytes[(random >> 8) % (j < 2 ? 64 : length)] =
				(unsigned char)random;
			memcpy(bytes, "\177ELF\2\1\1", 7);
		}
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, cut, 0), cut);
		symbols = symbols_open(path, &none);
		free(symbols_name(symbols, 0x1000));
		symbols_close(symbols);
	}
	fclose(self);
	close(fd);
	unlink(path);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cplusplus_and_rust_are_demangled),
		cmocka_unit_test(other_names_stay_as_they_are),
		cmocka_unit_test(versions_are_dropped),
		cmocka_unit_test(escape_sequences_in_names_are_defused),
		cmocka_unit_test(the_public_name_is_preferred),
		cmocka_unit_test(inside_a_function_the_offset_is_shown),
		cmocka_unit_test(another_build_names_nothing),
		cmocka_unit_test(what_is_no_module_names_nothing),
		cmocka_unit_test(damaged_modules_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
