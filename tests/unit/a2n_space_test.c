/* SPDX-License-Identifier: MIT */
/*
 * Compares lookups in an address space over time with a model: a table of the
 * code at each address at each time.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/a2n.h"

enum { WIDTH = 64, TIMES = 300 };

static struct a2n *a2n;

static int setup(void **state)
{
	const struct a2n_options options = { .flags = A2N_NO_CACHE };
	struct a2n_space *space;

	if (a2n_create(&options, &a2n) != 0 ||
	    a2n_space_create(a2n, &space) != 0)
		return -1;
	*state = space;
	return 0;
}

static int teardown(void **state)
{
	a2n_space_destroy(*state);
	a2n_destroy(a2n);
	return 0;
}

static uint64_t add(struct a2n_space *space, uint64_t start, uint64_t bytes,
		    const char *name, uint64_t time)
{
	const struct a2n_code code = { start, bytes, name };
	uint64_t id;

	assert_int_equal(a2n_space_add(space, &code, time, &id), 0);
	return id;
}

static const char *at(const struct a2n_space *space, uint64_t pc, uint64_t time)
{
	struct a2n_frame frame;

	return a2n_space_lookup(space, pc, time, NULL, 0, NULL, &frame, 1)
		       ? frame.name
		       : "";
}

static void newer_code_replaces_a_part_of_older_code(void **state)
{
	struct a2n_space *space = *state;

	add(space, 100, 100, "old", 0);
	add(space, 140, 20, "new", 0);
	assert_int_equal(a2n_space_commit(space), 0);
	assert_string_equal(at(space, 99, 0), "");
	assert_string_equal(at(space, 139, 0), "old");
	assert_string_equal(at(space, 140, 0), "new");
	assert_string_equal(at(space, 159, 0), "new");
	assert_string_equal(at(space, 160, 0), "old");
	assert_string_equal(at(space, 200, 0), "");
}

static void events_may_arrive_in_any_order(void **state)
{
	struct a2n_space *space = *state;

	add(space, 100, 10, "second", 20);
	assert_int_equal(a2n_space_commit(space), 0);
	add(space, 100, 10, "first", 10);
	assert_string_equal(at(space, 100, 15), "");
	assert_int_equal(a2n_space_commit(space), 0);
	assert_string_equal(at(space, 100, 9), "");
	assert_string_equal(at(space, 100, 15), "first");
	assert_string_equal(at(space, 100, 20), "second");
}

static void removed_code_uncovers_older_code(void **state)
{
	struct a2n_space *space = *state;
	uint64_t old = add(space, 100, 100, "old", 1);

	add(space, 150, 10, "new", 2);
	assert_int_equal(a2n_space_remove(space, old, 3), 0);
	assert_int_equal(a2n_space_commit(space), 0);
	assert_string_equal(at(space, 120, 2), "old");
	assert_string_equal(at(space, 120, 3), "");
	assert_string_equal(at(space, 155, 3), "new");
	assert_string_equal(at(space, 170, 3), "");
}

static void expected_code_is_preferred_whatever_the_time(void **state)
{
	struct a2n_space *space = *state;
	uint64_t parent = add(space, 100, 10, "parent", 1);
	uint64_t child = add(space, 200, 10, "child", 1);
	uint64_t expected[2];
	struct a2n_place place;
	struct a2n_frame frame;

	add(space, 100, 10, "newer", 5);
	assert_int_equal(a2n_space_commit(space), 0);
	assert_string_equal(at(space, 105, 6), "newer");
	expected[0] = child;
	expected[1] = parent;
	assert_int_equal(
		a2n_space_lookup(space, 105, 6, expected, 2, &place, &frame, 1),
		1);
	assert_string_equal(frame.name, "parent");
	assert_int_equal(place.code, parent);
	assert_int_equal(place.to, 5);
	/* Expected code that never was at this address is ignored. */
	assert_int_equal(
		a2n_space_lookup(space, 105, 6, expected, 1, &place, &frame, 1),
		1);
	assert_string_equal(frame.name, "newer");
}

static void nonsense_is_refused(void **state)
{
	struct a2n_space *space = *state;
	const struct a2n_code wraps = { UINT64_MAX - 1, 10, "wraps" };

	assert_int_equal(a2n_space_add(space, &wraps, 0, NULL), -EINVAL);
	assert_int_equal(a2n_space_remove(space, 1, 0), -ENOENT);
	assert_int_equal(a2n_space_move(space, 0, 1, 0), -ENOENT);
	assert_int_equal(a2n_space_add_line(space, 7, 0, "f", 1, 0), -ENOENT);
	assert_int_equal(a2n_space_commit(space), 0);
	assert_string_equal(at(space, UINT64_MAX, 0), "");
}

static void a_mapping_is_looked_up_in_its_file(void **state)
{
	struct a2n_space *space = *state;
	const struct a2n_mapping gone = { .start = 0x1000,
					  .bytes = 0x1000,
					  .path = "/nowhere" };
	struct a2n_place place;
	struct a2n_frame frame;

	assert_int_equal(a2n_space_map(space, &gone, 1), 0);
	assert_int_equal(a2n_space_unmap(space, 0x1800, 0x800, 2), 0);
	assert_int_equal(a2n_space_commit(space), 0);
	assert_int_equal(
		a2n_space_lookup(space, 0x1900, 1, NULL, 0, &place, &frame, 1),
		0);
	assert_int_equal(place.end, 0x2000);
	assert_int_equal(place.error, -ENOENT);
	assert_int_equal(
		a2n_space_lookup(space, 0x1900, 2, NULL, 0, &place, &frame, 1),
		0);
	assert_int_equal(place.end, 0);
}

/* ---- at random ---- */

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

/*
 * plane[t][a] is the code at address a from time t to t + 1; 0 means that there
 * is no code.
 */
static uint32_t plane[TIMES][WIDTH];

struct blob {
	uint32_t start, bytes;
	int is_there;
};

static void erase(uint32_t *row, uint32_t id)
{
	for (size_t i = 0; i < WIDTH; i++) {
		if (row[i] == id)
			row[i] = 0;
	}
}

static void paint(uint32_t *row, const struct blob *blob, uint32_t id)
{
	for (uint32_t i = 0; i < blob->bytes; i++)
		row[blob->start + i] = id;
}

static void change(struct a2n_space *space, uint32_t *row, struct blob *blobs,
		   uint32_t *count, uint64_t time)
{
	char name[16];
	uint32_t id, start;

	switch (*count ? random_below(4) : 0) {
	case 0:
	case 1:
		start = random_below(WIDTH - 16);
		blobs[++*count] =
			(struct blob){ start, 1 + random_below(16), 1 };
		snprintf(name, sizeof(name), "%u", *count);
		assert_int_equal(
			add(space, start, blobs[*count].bytes, name, time),
			*count);
		paint(row, &blobs[*count], *count);
		break;
	case 2:
		id = 1 + random_below(*count);
		assert_int_equal(a2n_space_remove(space, id, time), 0);
		erase(row, id);
		break;
	default:
		id = 1 + random_below(*count);
		blobs[id].start = random_below(WIDTH - 16);
		assert_int_equal(
			a2n_space_move(space, id, blobs[id].start, time), 0);
		erase(row, id);
		paint(row, &blobs[id], id);
		break;
	}
}

static void lookups_agree_with_a_model(void **state)
{
	struct a2n_space *space = *state;
	struct blob blobs[TIMES * 3 + 1];
	uint32_t count = 0;

	for (uint32_t t = 0; t < TIMES; t++) {
		if (t > 0)
			memcpy(plane[t], plane[t - 1], sizeof(plane[t]));
		for (uint32_t i = random_below(3); i > 0; i--)
			change(space, plane[t], blobs, &count, t);
		if (random_below(10) == 0)
			assert_int_equal(a2n_space_commit(space), 0);
	}
	assert_int_equal(a2n_space_commit(space), 0);
	for (uint32_t t = 0; t < TIMES; t++) {
		for (uint32_t a = 0; a < WIDTH; a++) {
			uint32_t found =
				(uint32_t)strtoul(at(space, a, t), NULL, 10);

			assert_int_equal(found, plane[t][a]);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(newer_code_replaces_a_part_of_older_code),
		TEST(events_may_arrive_in_any_order),
		TEST(removed_code_uncovers_older_code),
		TEST(expected_code_is_preferred_whatever_the_time),
		TEST(nonsense_is_refused),
		TEST(a_mapping_is_looked_up_in_its_file),
		TEST(lookups_agree_with_a_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
