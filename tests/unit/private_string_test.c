/* SPDX-License-Identifier: MIT */
/* libclew.so's own memory functions against definitions byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The definitions have other names here, so that cmocka uses those of libc. */
#define bcmp    own_bcmp
#define memchr  own_memchr
#define memcmp  own_memcmp
#define memcpy  own_memcpy
#define memmem  own_memmem
#define memmove own_memmove
#define memset  own_memset
#define stpcpy  own_stpcpy
#define strchr  own_strchr
#define strcmp  own_strcmp
#define strcspn own_strcspn
#define strlen  own_strlen
#define strncmp own_strncmp
#define strncpy own_strncpy
#define strnlen own_strnlen
#define strrchr own_strrchr
#define strsep  own_strsep
#define strspn  own_strspn
#define strstr  own_strstr
#include "preload/host/private_string.c"

#define LONGEST 40

static void fill(uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

/* At each length, one byte differs, or none. Bytes beyond it differ, too. */
static void test_the_first_different_byte_decides(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes <= LONGEST; bytes++)
		for (size_t at = 0; at <= bytes; at++) {
			uint8_t a[LONGEST + 1], b[LONGEST + 1];

			fill(a, sizeof(a));
			fill(b, sizeof(b));
			b[at] = 0xff;
			for (size_t i = at + 1; i < sizeof(b); i++)
				b[i] = 0;
			assert_int_equal(sign(memcmp(a, b, bytes)),
					 at < bytes ? -1 : 0);
			assert_int_equal(sign(memcmp(b, a, bytes)),
					 at < bytes ? 1 : 0);
		}
}

static void move(size_t to, size_t from, size_t bytes)
{
	uint8_t moved[3 * LONGEST], expected[3 * LONGEST], part[LONGEST];

	fill(moved, sizeof(moved));
	fill(expected, sizeof(expected));
	for (size_t i = 0; i < bytes; i++)
		part[i] = expected[from + i];
	for (size_t i = 0; i < bytes; i++)
		expected[to + i] = part[i];
	assert_ptr_equal(memmove(moved + to, moved + from, bytes), moved + to);
	assert_memory_equal(moved, expected, sizeof(moved));
}

static void test_overlapping_bytes_are_moved(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes <= LONGEST; bytes++)
		for (size_t to = 0; to <= 2 * LONGEST; to++)
			move(to, LONGEST, bytes);
}

static void test_bytes_are_copied_and_set(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes <= LONGEST; bytes++) {
		uint8_t from[LONGEST + 1], to[LONGEST + 1] = { 0 };

		fill(from, sizeof(from));
		memcpy(to, from, bytes);
		assert_memory_equal(to, from, bytes);
		assert_int_equal(to[bytes], 0);
		memset(to, 0x5a, bytes);
		for (size_t i = 0; i < bytes; i++)
			assert_int_equal(to[i], 0x5a);
		assert_int_equal(to[bytes], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_different_byte_decides),
		cmocka_unit_test(test_overlapping_bytes_are_moved),
		cmocka_unit_test(test_bytes_are_copied_and_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
