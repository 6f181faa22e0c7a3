/* SPDX-License-Identifier: MIT */
/*
 * Tests of single cases of address spaces over time. space_model_test.c tests
 * random ones.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbolizer/a2n.h"
#include "symbolizer/space/space.h"

static struct a2n_space *new_space(void)
{
	struct a2n_space *space;

	assert_int_equal(a2n_space_create(NULL, &space), 0);
	return space;
}

static uint64_t add(struct a2n_space *space, uint64_t start, uint64_t bytes,
		    uint64_t time, const char *name)
{
	const struct a2n_code code = { start, bytes, name };
	uint64_t id = 0;

	assert_int_equal(a2n_space_add(space, &code, time, &id), 0);
	assert_true(id > 0);
	return id;
}

static void commit(struct a2n_space *space)
{
	assert_int_equal(a2n_space_commit(space), 0);
}

/* Returns the name at a pc and time, "" for code without a name, or NULL. */
static const char *name_at(const struct a2n_space *space, uint64_t pc,
			   uint64_t time)
{
	struct a2n_place place;
	struct a2n_frame frame;

	if (a2n_space_lookup(space, pc, time, NULL, 0, &place, &frame, 1))
		return frame.name;
	return place.end ? "" : NULL;
}

#define assert_name(space, pc, time, expected)                                 \
	assert_string_equal(name_at(space, pc, time), expected)
#define assert_nothing(space, pc, time) assert_null(name_at(space, pc, time))

/* ---- code ---- */

static void the_newest_is_found_and_the_rest_of_the_older_stays(void **state)
{
	struct a2n_space *space = new_space();

	(void)state;
	add(space, 100, 100, 0, "old");
	add(space, 120, 10, 0, "new");
	commit(space);
	assert_nothing(space, 99, 0);
	assert_name(space, 100, 0, "old");
	assert_name(space, 119, 0, "old");
	assert_name(space, 120, 0, "new");
	assert_name(space, 129, 0, "new");
	assert_name(space, 130, 0, "old");
	assert_name(space, 199, 0, "old");
	assert_nothing(space, 200, 0);
	a2n_space_destroy(space);
}

static void covered_code_stays_covered(void **state)
{
	struct a2n_space *space = new_space();
	uint64_t id;

	(void)state;
	add(space, 100, 100, 1, "old");
	id = add(space, 120, 10, 2, "new");
	assert_int_equal(a2n_space_remove(space, id, 3), 0);
	commit(space);
	assert_name(space, 125, 1, "old");
	assert_name(space, 125, 2, "new");
	assert_nothing(space, 125, 3);
	assert_name(space, 135, 3, "old");
	a2n_space_destroy(space);
}

static void events_may_have_any_order_of_times(void **state)
{
	struct a2n_space *space = new_space();

	(void)state;
	add(space, 100, 10, 30, "third");
	add(space, 100, 10, 10, "first");
	add(space, 100, 10, 20, "second");
	commit(space);
	assert_nothing(space, 105, 9);
	assert_name(space, 105, 10, "first");
	assert_name(space, 105, 29, "second");
	assert_name(space, 105, A2N_LATEST, "third");
	a2n_space_destroy(space);
}

static void moved_code_is_where_it_was_and_where_it_is(void **state)
{
	struct a2n_space *space = new_space();
	uint64_t id = add(space, 100, 10, 1, "mover");

	(void)state;
	assert_int_equal(a2n_space_move(space, id, 105, 5), 0);
	commit(space);
	assert_name(space, 102, 4, "mover");
	assert_nothing(space, 112, 4);
	assert_nothing(space, 102, 5);
	assert_name(space, 105, 5, "mover");
	assert_name(space, 114, 5, "mover");
	a2n_space_destroy(space);
}

static void a_place_says_from_where_to_where_and_from_when_to_when(void **state)
{
	struct a2n_space *space = new_space();
	struct a2n_place place = { 0 };
	struct a2n_frame frame;
	uint64_t id = add(space, 100, 100, 10, "old");

	(void)state;
	add(space, 150, 100, 20, "new");
	commit(space);
	assert_int_equal(
		a2n_space_lookup(space, 160, 15, NULL, 0, &place, &frame, 1),
		1);
	assert_int_equal(place.code, id);
	assert_int_equal(place.start, 150);
	assert_int_equal(place.end, 200);
	assert_int_equal(place.from, 10);
	assert_int_equal(place.to, 20);
	assert_int_equal(frame.start, 100);
	a2n_space_lookup(space, 110, 15, NULL, 0, &place, &frame, 1);
	assert_int_equal(place.start, 100);
	assert_int_equal(place.end, 150);
	assert_true(place.to == A2N_LATEST);
	a2n_space_destroy(space);
}

static void expected_code_is_preferred_likeliest_first(void **state)
{
	struct a2n_space *space = new_space();
	uint64_t first = add(space, 100, 10, 0, "first");
	uint64_t second = add(space, 100, 10, 0, "second");
	uint64_t elsewhere = add(space, 200, 10, 0, "elsewhere");
	struct a2n_place place;
	struct a2n_frame frame;

	(void)state;
	add(space, 100, 10, 0, "third");
	commit(space);
	assert_name(space, 105, 7, "third");
	a2n_space_lookup(space, 105, 7,
			 (uint64_t[]){ 99, 0, elsewhere, second, first }, 5,
			 &place, &frame, 1);
	assert_string_equal(frame.name, "second");
	assert_int_equal(place.code, second);
	a2n_space_lookup(space, 105, 7, &elsewhere, 1, &place, &frame, 1);
	assert_string_equal(frame.name, "third");
	a2n_space_destroy(space);
}

static void expected_code_was_there_at_the_last_time_before(void **state)
{
	struct a2n_space *space = new_space();
	uint64_t id = add(space, 100, 10, 10, "comes and goes");
	struct a2n_place place;
	struct a2n_frame frame;

	(void)state;
	assert_int_equal(a2n_space_move(space, id, 200, 20), 0);
	assert_int_equal(a2n_space_move(space, id, 100, 30), 0);
	commit(space);
	a2n_space_lookup(space, 105, 25, &id, 1, &place, &frame, 1);
	assert_int_equal(place.from, 10);
	assert_int_equal(place.to, 20);
	a2n_space_lookup(space, 105, 35, &id, 1, &place, &frame, 1);
	assert_int_equal(place.from, 30);
	a2n_space_lookup(space, 105, 5, &id, 1, &place, &frame, 1);
	assert_int_equal(place.from, 10);
	a2n_space_destroy(space);
}

static void code_without_a_name_is_known_all_the_same(void **state)
{
	struct a2n_space *space = new_space();

	(void)state;
	add(space, 100, 10, 0, "old");
	add(space, 100, 10, 0, NULL);
	add(space, 200, 10, 0, "");
	commit(space);
	assert_name(space, 105, 0, "");
	assert_name(space, 205, 0, "");
	a2n_space_destroy(space);
}

static void names_are_safe_to_print(void **state)
{
	struct a2n_space *space = new_space();

	(void)state;
	add(space, 100, 10, 0, "a\033[31m\nb");
	commit(space);
	assert_name(space, 105, 0, "a?[31m?b");
	a2n_space_destroy(space);
}

static void lines_go_on_to_the_next_line(void **state)
{
	struct a2n_space *space = new_space();
	uint64_t id = add(space, 100, 50, 1, "code");
	struct a2n_frame frame;

	(void)state;
	assert_int_equal(a2n_space_add_line(space, id, 30, "b.js", 9, 0), 0);
	assert_int_equal(a2n_space_add_line(space, id, 10, "a.js", 1, 0), 0);
	assert_int_equal(a2n_space_add_line(space, id, 10, "a.js", 2, 7), 0);
	assert_int_equal(a2n_space_move(space, id, 1000, 2), 0);
	commit(space);
	a2n_space_lookup(space, 109, 1, NULL, 0, NULL, &frame, 1);
	assert_null(frame.file);
	assert_int_equal(frame.line, 0);
	a2n_space_lookup(space, 129, 1, NULL, 0, NULL, &frame, 1);
	assert_string_equal(frame.file, "a.js");
	assert_int_equal(frame.file_length, 4);
	assert_int_equal(frame.line, 2);
	assert_int_equal(frame.discriminator, 7);
	a2n_space_lookup(space, 1049, 2, NULL, 0, NULL, &frame, 1);
	assert_string_equal(frame.file, "b.js");
	a2n_space_destroy(space);
}

static void nothing_is_seen_before_it_is_committed(void **state)
{
	struct a2n_space *space = new_space();
	struct a2n_frame frame;
	uint64_t id = add(space, 100, 10, 0, "old");

	(void)state;
	assert_nothing(space, 105, 0);
	assert_int_equal(a2n_space_add_line(space, id, 5, "f", 5, 0), 0);
	commit(space);
	add(space, 100, 10, 0, "new");
	assert_int_equal(a2n_space_add_line(space, id, 0, "f", 1, 0), 0);
	assert_name(space, 105, 0, "old");
	a2n_space_lookup(space, 104, 0, NULL, 0, NULL, &frame, 1);
	assert_int_equal(frame.line, 0);
	commit(space);
	assert_name(space, 105, 0, "new");
	a2n_space_lookup(space, 104, 0, &id, 1, NULL, &frame, 1);
	assert_int_equal(frame.line, 1);
	a2n_space_destroy(space);
}

static void nonsense_is_refused(void **state)
{
	struct a2n_space *space = new_space();
	const struct a2n_code empty = { 100, 0, "x" };
	const struct a2n_code large = { 100, UINT64_MAX - 99, "x" };
	const struct a2n_code largest = { 100, UINT64_MAX - 100, "x" };
	const struct a2n_mapping mapping = { 100, 0, 0, "/x", { 0 } };
	uint64_t id;

	(void)state;
	assert_int_equal(a2n_space_add(space, &empty, 0, NULL), -EINVAL);
	assert_int_equal(a2n_space_add(space, &large, 0, NULL), -EINVAL);
	assert_int_equal(a2n_space_add(space, &largest, A2N_LATEST, NULL),
			 -EINVAL);
	assert_int_equal(a2n_space_add(space, &largest, 0, &id), 0);
	assert_int_equal(a2n_space_move(space, id, 101, 0), -EINVAL);
	assert_int_equal(a2n_space_move(space, id + 1, 0, 0), -ENOENT);
	assert_int_equal(a2n_space_remove(space, 0, 0), -ENOENT);
	assert_int_equal(a2n_space_add_line(space, 0, 0, "", 1, 0), -ENOENT);
	assert_int_equal(a2n_space_add_line(space, id, largest.bytes, "", 1, 0),
			 -EINVAL);
	assert_int_equal(a2n_space_map(space, &mapping, 0), -EINVAL);
	assert_int_equal(a2n_space_unmap(space, 1, UINT64_MAX, 0), -EINVAL);
	commit(space);
	assert_name(space, UINT64_MAX - 1, 0, "x");
	assert_nothing(space, UINT64_MAX, 0);
	a2n_space_destroy(space);
}

/* Three sequences of mappings that create the most pieces and tree entries. */
static void memory_stays_in_proportion_however_much_overlaps(void **state)
{
	enum { CODES = 20000, LOG2 = 16 };

	(void)state;
	for (int shape = 0; shape < 3; shape++) {
		struct a2n_space *space = new_space();
		const struct pieces *pieces = &space->committed.codes;
		size_t slots;

		for (uint64_t i = 0; i < CODES; i++) {
			uint64_t start = shape == 2   ? i
					 : shape == 1 ? CODES - i
						      : i;
			uint64_t end = shape == 2   ? i + CODES
				       : shape == 1 ? CODES + i
						    : 2 * CODES - i;

			add(space, start + 1, end - start + 1, i, "x");
		}
		commit(space);
		slots = pieces->border_count - 1;
		assert_true(slots <= 2 * CODES);
		assert_true(pieces->all.count <= 3 * CODES);
		assert_true(pieces->nodes[2 * slots].head <=
			    pieces->all.count * 2 * LOG2);
		a2n_space_destroy(space);
	}
}

/* ---- mappings ---- */

static void map(struct a2n_space *space, uint64_t start, uint64_t bytes,
		const char *path, uint64_t time)
{
	const struct a2n_mapping mapping = { .start = start,
					     .bytes = bytes,
					     .path = path };

	assert_int_equal(a2n_space_map(space, &mapping, time), 0);
}

static void code_is_above_the_mapping_that_it_lies_in(void **state)
{
	struct a2n_space *space = new_space();

	(void)state;
	add(space, 150, 10, 5, "code");
	map(space, 100, 100, NULL, 5);
	commit(space);
	assert_name(space, 149, 5, "");
	assert_name(space, 150, 5, "code");
	a2n_space_destroy(space);
}

static void later_mapping_replaces_code(void **state)
{
	struct a2n_space *space = new_space();

	(void)state;
	add(space, 150, 10, 5, "code");
	map(space, 100, 55, NULL, 6);
	assert_int_equal(a2n_space_unmap(space, 100, 52, 7), 0);
	commit(space);
	assert_name(space, 150, 5, "code");
	assert_name(space, 150, 6, "");
	assert_nothing(space, 150, 7);
	assert_name(space, 152, 7, "");
	assert_name(space, 155, 7, "code");
	a2n_space_destroy(space);
}

/* ---- processes ---- */

__attribute__((noinline)) static int some_function(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i;
}

static uint64_t here(void)
{
	return (uint64_t)(uintptr_t)some_function;
}

static struct a2n *new_a2n(void)
{
	const struct a2n_options options = { .flags = A2N_NO_CACHE };
	struct a2n *a2n;

	assert_int_equal(a2n_create(&options, &a2n), 0);
	return a2n;
}

static void our_own_functions_are_found_through_proc(void **state)
{
	struct a2n *a2n = new_a2n();
	struct a2n_space *space;
	struct a2n_place place;
	struct a2n_frame frame = { 0 };
	uint64_t builtin = here() + 1;

	(void)state;
	assert_int_equal(a2n_space_create(a2n, &space), 0);
	add(space, builtin, 1, 0, "builtin");
	assert_int_equal(a2n_space_map_process(space, getpid(), 10), 0);
	commit(space);
	assert_int_equal(
		a2n_space_lookup(space, here(), 10, NULL, 0, &place, &frame, 1),
		1);
	assert_string_equal(frame.name, "some_function");
	assert_non_null(place.module);
	/* A snapshot has no time, so it removes no code. */
	assert_name(space, builtin, 10, "builtin");
	assert_nothing(space, here(), 9);
	a2n_space_destroy(space);
	a2n_destroy(a2n);
}

static void anonymous_mapping_has_no_module(void **state)
{
	struct a2n *a2n = new_a2n();
	struct a2n_space *space;
	struct a2n_place place;
	int local = 0;

	(void)state;
	assert_int_equal(a2n_space_create(a2n, &space), 0);
	assert_int_equal(a2n_space_map_process(space, getpid(), 0), 0);
	commit(space);
	assert_int_equal(a2n_space_lookup(space, (uintptr_t)&local, 0, NULL, 0,
					  &place, NULL, 0),
			 0);
	assert_true(place.end > (uintptr_t)&local);
	assert_null(place.module);
	assert_int_equal(place.error, -ENOENT);
	a2n_space_destroy(space);
	a2n_destroy(a2n);
}

static void a_later_snapshot_forgets_unmapped_files(void **state)
{
	struct a2n_space *space = new_space();
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	uint64_t pc = (uintptr_t)memory;

	(void)state;
	assert_true(memory != MAP_FAILED);
	assert_int_equal(a2n_space_map_process(space, getpid(), 1), 0);
	munmap(memory, 4096);
	assert_int_equal(a2n_space_map_process(space, getpid(), 2), 0);
	commit(space);
	assert_non_null(name_at(space, pc, 1));
	assert_nothing(space, pc, 2);
	close(fd);
	a2n_space_destroy(space);
}

static void a_missing_process_is_an_error(void **state)
{
	struct a2n_space *space = new_space();

	(void)state;
	assert_int_equal(a2n_space_map_process(space, 1 << 30, 0), -ENOENT);
	a2n_space_destroy(space);
}

/* Copies this program, which is another file of the same name. */
static void copy_self(const char *path)
{
	char command[256];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(),
		 path);
	assert_int_equal(system(command), 0);
}

/*
 * The kernel's link leads to the deleted file. Users who may not follow the
 * link at least get no other file.
 */
static void a_deleted_file_is_not_mistaken_for_its_successor(void **state)
{
	char path[] = "/tmp/clew-test-XXXXXX";
	struct a2n *a2n = new_a2n();
	struct a2n_space *space;
	struct a2n_place place;
	struct a2n_frame frame;
	char own[64];
	void *memory;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	copy_self(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(memory != MAP_FAILED);
	unlink(path);
	snprintf(own, sizeof(own), "cp /bin/true %s", path);
	assert_int_equal(system(own), 0);
	assert_int_equal(a2n_space_create(a2n, &space), 0);
	assert_int_equal(a2n_space_map_process(space, getpid(), 0), 0);
	commit(space);
	a2n_space_lookup(space, (uintptr_t)memory, 0, NULL, 0, &place, &frame,
			 1);
	assert_true(place.end != 0);
	if (place.module) {
		struct a2n_module_info info;

		a2n_module_info(place.module, &info);
		assert_string_not_equal(info.path, path);
	} else {
		assert_int_not_equal(place.error, 0);
	}
	unlink(path);
	munmap(memory, 4096);
	close(fd);
	a2n_space_destroy(space);
	a2n_destroy(a2n);
}

/* ---- threads ---- */

enum { THREADS = 4, LOOKUPS = 2000 };

static void *look_often(void *argument)
{
	const struct a2n_space *space = argument;
	uintptr_t wrong = 0;

	for (int i = 0; i < LOOKUPS; i++) {
		const char *name = name_at(space, here(), 0);

		wrong += !name || strcmp(name, "some_function") != 0;
		name = name_at(space, 16 + (uint64_t)i % 16, 0);
		wrong += !name || strcmp(name, "code") != 0;
	}
	return (void *)wrong;
}

static void any_number_of_threads_may_search(void **state)
{
	struct a2n *a2n = new_a2n();
	struct a2n_space *space;
	pthread_t threads[THREADS];

	(void)state;
	assert_int_equal(a2n_space_create(a2n, &space), 0);
	assert_int_equal(a2n_space_map_process(space, getpid(), 0), 0);
	add(space, 16, 16, 0, "code");
	commit(space);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, look_often, space),
			0);
	for (int i = 0; i < THREADS; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	a2n_space_destroy(space);
	a2n_destroy(a2n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_newest_is_found_and_the_rest_of_the_older_stays),
		cmocka_unit_test(covered_code_stays_covered),
		cmocka_unit_test(events_may_have_any_order_of_times),
		cmocka_unit_test(moved_code_is_where_it_was_and_where_it_is),
		cmocka_unit_test(
			a_place_says_from_where_to_where_and_from_when_to_when),
		cmocka_unit_test(expected_code_is_preferred_likeliest_first),
		cmocka_unit_test(
			expected_code_was_there_at_the_last_time_before),
		cmocka_unit_test(code_without_a_name_is_known_all_the_same),
		cmocka_unit_test(names_are_safe_to_print),
		cmocka_unit_test(lines_go_on_to_the_next_line),
		cmocka_unit_test(nothing_is_seen_before_it_is_committed),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(
			memory_stays_in_proportion_however_much_overlaps),
		cmocka_unit_test(code_is_above_the_mapping_that_it_lies_in),
		cmocka_unit_test(later_mapping_replaces_code),
		cmocka_unit_test(our_own_functions_are_found_through_proc),
		cmocka_unit_test(anonymous_mapping_has_no_module),
		cmocka_unit_test(a_later_snapshot_forgets_unmapped_files),
		cmocka_unit_test(a_missing_process_is_an_error),
		cmocka_unit_test(
			a_deleted_file_is_not_mistaken_for_its_successor),
		cmocka_unit_test(any_number_of_threads_may_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
