/* SPDX-License-Identifier: MIT */
/* Tests that words of a file are read whole while a mapping changes them. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/live_read.h"

#define FILE_BYTES (64 << 10)
#define READS      20000
#define WORDS      4

static _Atomic uint64_t *words;
static atomic_int is_over;
static int fd;

/* Offset of a word in the file. */
static size_t word_at(int i)
{
	return (size_t)i * (FILE_BYTES / WORDS) + 64;
}

/* Stores words of eight equal bytes. */
static void *write_words(void *unused)
{
	for (uint8_t byte = 0; !is_over; byte++)
		for (int i = 0; i < WORDS; i++)
			atomic_store_explicit(
				&words[word_at(i) / sizeof(*words)],
				byte * UINT64_C(0x0101010101010101),
				memory_order_relaxed);
	return unused;
}

static int is_mixed(const char *bytes)
{
	return memcmp(bytes, bytes + 1, sizeof(uint64_t) - 1) != 0;
}

/* Returns how many words were read half. */
static int read_words(char *to, size_t from)
{
	int mixed = 0;

	assert_int_equal(live_read(fd, to, FILE_BYTES - from, (off_t)from),
			 FILE_BYTES - from);
	for (int i = 0; i < WORDS; i++)
		mixed += is_mixed(to + word_at(i) - from);
	return mixed;
}

static void words_are_read_whole_at_any_address(void **unused)
{
	char *room = malloc(FILE_BYTES + 64);
	pthread_t thread;
	int mixed = 0;

	(void)unused;
	assert_int_equal(pthread_create(&thread, NULL, write_words, NULL), 0);
	for (size_t i = 0; i < READS; i++)
		mixed += read_words(room + i % 64, i % 7 * 8);
	is_over = 1;
	pthread_join(thread, NULL);
	free(room);
	assert_int_equal(mixed, 0);
}

static void bytes_at_any_offset_are_those_of_the_file(void **unused)
{
	static char whole[FILE_BYTES], some[FILE_BYTES];

	(void)unused;
	for (size_t i = 0; i < sizeof(whole); i++)
		whole[i] = (char)(i * 7 + i / 251);
	assert_int_equal(pwrite(fd, whole, sizeof(whole), 0), sizeof(whole));
	for (size_t from = 0; from < FILE_BYTES; from += 997) {
		const size_t left = FILE_BYTES - from;

		/* The end of the file ends the read. */
		assert_int_equal(live_read(fd, some, left + 100, (off_t)from),
				 left);
		assert_memory_equal(some, whole + from, left);
	}
	assert_int_equal(live_read(fd, some, 1, FILE_BYTES), 0);
}

static void error_is_returned(void **unused)
{
	char byte;

	(void)unused;
	assert_int_equal(live_read(-1, &byte, 1, 0), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_read_whole_at_any_address),
		cmocka_unit_test(bytes_at_any_offset_are_those_of_the_file),
		cmocka_unit_test(error_is_returned),
	};
	char path[] = "/tmp/clew-live-read-XXXXXX";
	int failed;

	fd = mkstemp(path);
	if (fd < 0 || ftruncate(fd, FILE_BYTES) != 0)
		return EXIT_FAILURE;
	unlink(path);
	words = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     0);
	if (words == MAP_FAILED)
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	munmap(words, FILE_BYTES);
	close(fd);
	return failed;
}
