/* SPDX-License-Identifier: MIT */
/* Tests of preload/record/part.c and part_file.c in a temporary directory. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/hot/runtime.h"
#include "preload/record/numbers.h"
#include "preload/record/part_check.h"
#include "preload/record/record_stream.h"

#define MIB         (UINT64_C(1) << 20)
#define LENGTH      (8 * MIB)
#define CHUNK_BYTES 65536

static char directory[] = "/tmp/clew-part-XXXXXX";
static struct part *part;

/* Creates a part that is shorter than usual, so that it must be lengthened. */
static int create_short(void)
{
	const struct rlimit limit = { LENGTH, RLIM_INFINITY };
	struct rlimit before;
	int err;

	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &limit);
	err = part_create(part, directory);
	setrlimit(RLIMIT_FSIZE, &before);
	return err;
}

static int begin(void **state)
{
	(void)state;
	memset(&rt, 0, sizeof(rt));
	memset(number_blocks, 0, sizeof(number_blocks));
	strcpy(strrchr(directory, '-') + 1, "XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	part = calloc(1, sizeof(*part));
	return create_short();
}

static int end(void **state)
{
	(void)state;
	part_discard(part);
	free(part);
	return rmdir(directory);
}

static uint64_t payload_of(uint64_t chunk_bytes)
{
	return chunk_bytes - sizeof(struct wire_chunk);
}

/* Allocates a chunk of this size, checks that it is zero, and fills it. */
static struct chunk fill(uint64_t bytes, int with)
{
	struct chunk chunk;
	const unsigned char *at;

	assert_int_equal(
		part_alloc(part, WIRE_CONTEXTS, 7, payload_of(bytes), &chunk),
		0);
	assert_int_equal(chunk.bytes, bytes);
	at = chunk_payload(&chunk);
	for (uint64_t i = 0; i < payload_of(bytes); i++)
		if (at[i])
			fail();
	memset(chunk_payload(&chunk), with, payload_of(bytes));
	return chunk;
}

static int count(void *context, const struct chunk *chunk)
{
	(void)chunk;
	++*(int *)context;
	return 0;
}

static int chunks_of(uint32_t kind)
{
	int number = 0;

	assert_int_equal(part_each_chunk(part, kind, count, &number), 0);
	return number;
}

static struct stat status(void)
{
	struct stat st;

	assert_int_equal(stat(part->file.path, &st), 0);
	return st;
}

static int open_descriptors(void)
{
	int number = 0;

	for (int fd = 0; fd < 1024; fd++)
		number += fcntl(fd, F_GETFD) >= 0;
	return number;
}

/* Returns whether the part's file has the contents of the chunk. */
static int is_in_file(const struct chunk *chunk)
{
	int fd = open(part->file.path, O_RDONLY);
	unsigned char *bytes = malloc(chunk->bytes);
	ssize_t got = pread(fd, bytes, chunk->bytes, (off_t)chunk->offset);
	int same = got == (ssize_t)chunk->bytes &&
		   !memcmp(bytes, chunk->head, chunk->bytes);

	close(fd);
	free(bytes);
	return same;
}

static void no_descriptor_is_kept(void **state)
{
	int before = open_descriptors();

	(void)state;
	part_discard(part);
	assert_int_equal(part_create(part, directory), 0);
	for (int i = 0; i < 400; i++)
		fill(CHUNK_BYTES, 1);
	assert_int_equal(open_descriptors(), before);
}

static void chunks_in_all_segments_are_seen_and_in_the_file(void **state)
{
	struct chunk chunks[12];
	const int chunk_count = sizeof(chunks) / sizeof(*chunks);

	(void)state;
	for (int i = 0; i < chunk_count; i++)
		chunks[i] = fill(7 * MIB, i + 1);
	assert_true(part->file.segment_count > 1);
	for (int i = 0; i < chunk_count; i++)
		assert_true(is_in_file(&chunks[i]));
	assert_int_equal(chunks_of(WIRE_CONTEXTS), chunk_count);
	assert_int_equal(part->header->end,
			 WIRE_HEADER_BYTES + 7 * MIB * chunk_count);
	assert_true((uint64_t)status().st_blocks * 512 < 90 * MIB);
}

static void chunks_cut_from_a_freed_one_are_seen(void **state)
{
	struct chunk freed = fill(16 * CHUNK_BYTES, 1), chunk;

	(void)state;
	fill(CHUNK_BYTES, 1);
	part_free(part, &freed);
	for (int i = 0; i < 16; i++) {
		assert_int_equal(part_alloc(part, WIRE_MODULE, 0,
					    payload_of(CHUNK_BYTES), &chunk),
				 0);
		assert_true(chunk.offset < freed.offset + freed.bytes);
		assert_int_equal(chunks_of(WIRE_MODULE), i + 1);
	}
	assert_int_equal(chunks_of(WIRE_CONTEXTS), 1);
	assert_int_equal(chunks_of(WIRE_FREE), 0);
}

static void a_freed_chunk_is_as_new(void **state)
{
	struct chunk freed, chunk;

	(void)state;
	assert_int_equal(part_alloc(part, WIRE_MARKS, 7,
				    payload_of(CHUNK_BYTES), &freed),
			 0);
	atomic_store(&freed.head->used, 4000);
	part_free(part, &freed);
	assert_int_equal(part_alloc(part, WIRE_HISTOGRAMS, 8,
				    payload_of(CHUNK_BYTES), &chunk),
			 0);
	assert_int_equal(chunk.offset, freed.offset);
	assert_int_equal(chunk.head->used, 0);
	assert_int_equal(chunk.head->owner, 8);
}

static void blocks_of_a_freed_chunk_are_given_back(void **state)
{
	struct chunk chunk = fill(4 * MIB, 1);
	const uint64_t before = (uint64_t)status().st_blocks;

	(void)state;
	part_free(part, &chunk);
	assert_true((uint64_t)status().st_blocks * 512 <
		    before * 512 - 3 * MIB);
	fill(4 * MIB, 2);
	assert_int_equal(part->header->end, WIRE_HEADER_BYTES + 4 * MIB);
}

/* Returns the number of the chunk's pages that are resident in this process. */
static int present_pages(const struct chunk *chunk)
{
	uint64_t pages[CHUNK_BYTES / WIRE_PAGE_BYTES];
	const size_t count = chunk->bytes / WIRE_PAGE_BYTES;
	const int fd = open("/proc/self/pagemap", O_RDONLY);
	const ssize_t wanted = (ssize_t)(count * sizeof(*pages));
	int number = 0;

	assert_in_range(count, 1, CHUNK_BYTES / WIRE_PAGE_BYTES);
	assert_int_equal(pread(fd, pages, (size_t)wanted,
			       (off_t)((uintptr_t)chunk->head /
				       WIRE_PAGE_BYTES * sizeof(*pages))),
			 wanted);
	close(fd);
	for (size_t i = 0; i < count; i++)
		number += (int)(pages[i] >> 63);
	return number;
}

static void a_complete_chunk_takes_no_memory_and_is_readable(void **state)
{
	struct chunk chunk = fill(CHUNK_BYTES, 5);
	unsigned char *last = (unsigned char *)chunk.head + chunk.bytes - 1;

	(void)state;
	assert_true(present_pages(&chunk) > 0);
	part_complete(&chunk);
	assert_int_equal(present_pages(&chunk), 0);
	assert_int_equal(chunks_of(WIRE_CONTEXTS), 1);
	assert_int_equal(*last, 5);
	*last = 6; /* the chunk is still writable */
	part_complete(&chunk);
	assert_int_equal(*last, 6);
	assert_true(is_in_file(&chunk));
}

static void a_complete_chunk_takes_no_memory_without_a_file(void **state)
{
	struct chunk chunk;

	(void)state;
	part_discard(part);
	assert_int_equal(part_create(part, NULL), 0);
	chunk = fill(CHUNK_BYTES, 5);
	part_complete(&chunk);
	assert_int_equal(present_pages(&chunk), 0);
	assert_int_equal(*((unsigned char *)chunk.head + chunk.bytes - 1), 5);
}

static void a_part_is_lengthened_by_its_name(void **state)
{
	(void)state;
	assert_int_equal(part->file.bytes, LENGTH);
	assert_int_equal(status().st_size, LENGTH);
	fill(LENGTH / 2, 0);
	assert_true(part->file.bytes > LENGTH);
	fill(LENGTH, 0);
	assert_true(part->file.bytes >= 3 * LENGTH);
	assert_int_equal(status().st_size, part->file.bytes);
}

static void a_part_is_lengthened_in_advance(void **state)
{
	(void)state;
	part_discard(part);
	assert_int_equal(part_create(part, directory), 0);
	assert_int_equal(status().st_size, 256 * MIB);
	assert_true(status().st_blocks < 64);
}

/* The name is not reachable after chroot() or setuid(), for example. */
static void a_renamed_part_is_used_up_to_its_length(void **state)
{
	char name[PATH_MAX];
	struct chunk chunk;

	(void)state;
	snprintf(name, sizeof(name), "%s/other", directory);
	assert_int_equal(rename(part->file.path, name), 0);
	while (part->end + MIB <= LENGTH)
		fill(MIB, 0);
	assert_int_equal(part_alloc(part, WIRE_CONTEXTS, 0, MIB, &chunk),
			 -ENOENT);
	fill(CHUNK_BYTES, 1);
	assert_int_equal(rename(name, part->file.path), 0);
	fill(MIB, 0);
}

/* Another file may have taken the name of the part's file. */
static void another_file_of_its_name_stays_unchanged(void **state)
{
	char name[PATH_MAX];
	struct stat st;

	(void)state;
	snprintf(name, sizeof(name), "%s/other", directory);
	assert_int_equal(rename(part->file.path, name), 0);
	close(open(part->file.path, O_WRONLY | O_CREAT | O_EXCL, 0600));
	fill(part->file.bytes / 2 + CHUNK_BYTES, 0);
	part_finish(part);
	part_file_remove(&part->file);
	assert_int_equal(stat(part->file.path, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(rename(name, part->file.path), 0);
}

static void unused_end_of_a_part_is_cut_off(void **state)
{
	struct chunk chunk = fill(CHUNK_BYTES, 1);

	(void)state;
	part_finish(part);
	assert_int_equal(status().st_size, part->header->end);
	assert_true(is_in_file(&chunk));
	chunk = fill(MIB, 2);
	assert_true(is_in_file(&chunk));
}

/* SIGXFSZ has its default action and would end the test. */
static void a_limit_on_files_is_kept(void **state)
{
	const struct rlimit limit = { MIB, RLIM_INFINITY };
	struct rlimit before;
	struct chunk chunk;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	part_discard(part);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(part_create(part, directory), 0);
	while (part->end + CHUNK_BYTES <= MIB)
		fill(CHUNK_BYTES, 0);
	assert_int_equal(
		part_alloc(part, WIRE_CONTEXTS, 0, CHUNK_BYTES, &chunk),
		-EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(status().st_size, MIB);
	fill(CHUNK_BYTES, 0);
}

static void a_part_without_a_file_has_the_same_chunks(void **state)
{
	struct chunk chunk;

	(void)state;
	part_discard(part);
	assert_int_equal(part_create(part, NULL), 0);
	chunk = fill(MIB, 1);
	for (int i = 0; i < 9; i++)
		fill(7 * MIB, 2);
	part_free(part, &chunk);
	fill(CHUNK_BYTES, 3);
	assert_int_equal(chunks_of(WIRE_CONTEXTS), 10);
	assert_int_equal(chunks_of(WIRE_FREE), 1);
}

/* ---- Streams ---- */

#define RECORDS 5000 /* records of 24 bytes, in chunks of a page */

static void write_records_and_die(void)
{
	struct record_stream stream = { .kind = WIRE_NAMES,
					.chunk_bytes = WIRE_PAGE_BYTES };

	for (uint64_t i = 0; i < RECORDS; i++) {
		uint64_t *record;
		void *at;

		if (record_stream_room(&stream, part, 24, &at))
			_exit(1);
		record = at;
		record[0] = record[1] = record[2] = i;
		record_stream_add(&stream, 24);
	}
	kill(getpid(), SIGKILL);
}

/* The test reads the file: `part` does not see the child's changes. */
static void a_stream_of_a_killed_process_is_complete(void **state)
{
	const pid_t child = fork();
	uint64_t page[WIRE_PAGE_BYTES / sizeof(uint64_t)], next = 0;
	const struct wire_chunk *head = (const void *)page;
	int fd, ended;

	(void)state;
	if (!child)
		write_records_and_die();
	assert_int_equal(waitpid(child, &ended, 0), child);
	assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
	fd = open(part->file.path, O_RDONLY);
	for (uint64_t at = WIRE_HEADER_BYTES; at < part->header->end;
	     at += WIRE_PAGE_BYTES) {
		assert_int_equal(pread(fd, page, sizeof(page), (off_t)at),
				 sizeof(page));
		assert_int_equal(head->kind, WIRE_NAMES);
		for (uint64_t i = 0; i < head->used / 24; i++, next++)
			for (int word = 0; word < 3; word++)
				assert_int_equal(page[8 + 3 * i + word], next);
	}
	close(fd);
	assert_int_equal(next, RECORDS);
}

/* A child does not see changes by its parent after the fork. */
static void later_chunks_of_the_parent_are_not_seen(void **state)
{
	struct part *copy = calloc(1, sizeof(*copy));
	int number = 0;

	(void)state;
	fill(CHUNK_BYTES, 1);
	*copy = *part;
	fill(CHUNK_BYTES, 2);
	assert_int_equal(part_each_chunk(copy, WIRE_CONTEXTS, count, &number),
			 0);
	assert_int_equal(number, 1);
	free(copy);
}

/* ---- part_check() ---- */

static enum violation check(void)
{
	return part_check(part);
}

/* Adds a module with functions. */
static struct wire_module *add_module(uint32_t functions)
{
	struct number_range *range = calloc(1, sizeof(*range));
	const uint64_t bytes = sizeof(struct wire_module) + 8 +
			       functions * sizeof(struct wire_function);
	struct wire_module *module;
	struct chunk chunk;

	assert_int_equal(part_alloc(part, WIRE_MODULE, 0, bytes, &chunk), 0);
	module = chunk_payload(&chunk);
	module->function_count = functions;
	module->path_bytes = 5;
	chunk.head->used = bytes;
	range->count = functions;
	if (functions) {
		assert_int_equal(numbers_take(range, 0), 0);
		module->first_function = range->first;
		range->used = functions;
	}
	return module;
}

static void correct_parts_are_valid(void **state)
{
	struct chunk freed;

	(void)state;
	assert_true(part_is_valid(part));
	for (int i = 0; i < 100; i++) {
		freed = fill(CHUNK_BYTES * (1 + (uint64_t)i % 7), 1);
		if (i % 3 == 1)
			part_free(part, &freed);
		if (i % 3 == 2)
			part_retire(part, &freed);
		assert_true(part_is_valid(part));
	}
	add_module(10);
	add_module(0);
	add_module(3 * NUMBER_BLOCK);
	assert_true(part_is_valid(part));
	part_discard(part);
	assert_int_equal(part_create(part, NULL), 0);
	assert_int_equal(check(), VIOLATION_IS_MODULES_MISSING);
	memset(number_blocks, 0, sizeof(number_blocks));
	fill(7 * MIB, 1);
	fill(70 * MIB, 1);
	assert_true(part_is_valid(part));
}

static void damaged_chunks_are_found(void **state)
{
	struct chunk chunk = fill(CHUNK_BYTES, 1), freed = fill(CHUNK_BYTES, 1);
	uint64_t *words = chunk_payload(&freed);

	(void)state;
	chunk.head->bytes -= WIRE_PAGE_BYTES / 2;
	assert_int_equal(check(), VIOLATION_IS_CHUNK_BYTES);
	chunk.head->bytes = 3 * CHUNK_BYTES;
	assert_int_equal(check(), VIOLATION_IS_CHUNK_BYTES);
	chunk.head->bytes = CHUNK_BYTES;
	chunk.head->kind = 1000;
	assert_int_equal(check(), VIOLATION_IS_CHUNK_KIND);
	chunk.head->kind = WIRE_CONTEXTS;
	chunk.head->used = CHUNK_BYTES;
	assert_int_equal(check(), VIOLATION_IS_CHUNK_USED);
	chunk.head->used = 0;
	part_free(part, &freed);
	assert_true(part_is_valid(part));
	words[5000]++; /* a count in an unused word */
	assert_int_equal(check(), VIOLATION_IS_CHUNK_FREE);
	words[5000]--;
	freed.head->kind = WIRE_TABLE;
	assert_int_equal(check(), VIOLATION_IS_CHUNK_FREE);
	freed.head->kind = WIRE_FREE;
	part->header->end -= WIRE_PAGE_BYTES;
	assert_int_equal(check(), VIOLATION_IS_CHUNKS_END);
	part->header->end += WIRE_PAGE_BYTES;
	assert_true(part_is_valid(part));
}

static void damaged_modules_are_found(void **state)
{
	static struct number_range lost = { .count = 1 };
	struct wire_module *first, *second;

	(void)state;
	first = add_module(10);
	second = add_module(10);
	assert_true(part_is_valid(part));
	second->first_function--;
	assert_int_equal(check(), VIOLATION_IS_MODULE_NUMBERS);
	second->first_function += 2;
	assert_int_equal(check(), VIOLATION_IS_MODULE_NUMBERS);
	second->first_function--;
	second->first_function = first->first_function;
	assert_int_equal(check(), VIOLATION_IS_MODULE_NUMBERS);
	second->first_function += NUMBER_BLOCK;
	assert_true(part_is_valid(part));
	first->path_bytes = 9;
	assert_int_equal(check(), VIOLATION_IS_MODULE_BYTES);
	first->path_bytes = 5;
	assert_int_equal(numbers_take(&lost, 0), 0);
	lost.used = 1;
	assert_int_equal(check(), VIOLATION_IS_MODULES_MISSING);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(no_descriptor_is_kept),
		CLAIM(chunks_in_all_segments_are_seen_and_in_the_file),
		CLAIM(chunks_cut_from_a_freed_one_are_seen),
		CLAIM(a_freed_chunk_is_as_new),
		CLAIM(blocks_of_a_freed_chunk_are_given_back),
		CLAIM(a_complete_chunk_takes_no_memory_and_is_readable),
		CLAIM(a_complete_chunk_takes_no_memory_without_a_file),
		CLAIM(a_stream_of_a_killed_process_is_complete),
		CLAIM(a_part_is_lengthened_by_its_name),
		CLAIM(a_part_is_lengthened_in_advance),
		CLAIM(a_renamed_part_is_used_up_to_its_length),
		CLAIM(another_file_of_its_name_stays_unchanged),
		CLAIM(unused_end_of_a_part_is_cut_off),
		CLAIM(a_limit_on_files_is_kept),
		CLAIM(a_part_without_a_file_has_the_same_chunks),
		CLAIM(later_chunks_of_the_parent_are_not_seen),
		CLAIM(correct_parts_are_valid),
		CLAIM(damaged_chunks_are_found),
		CLAIM(damaged_modules_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
