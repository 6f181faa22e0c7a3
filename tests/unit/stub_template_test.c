/* SPDX-License-Identifier: MIT */
/*
 * Jumps of one byte's reach in the templates of stubs are written by hand, as what
 * is written over them must know their length: nobody else says if one is too far.
 */
#include <string.h>

#include "preload/stubs/stub_template.h"
#include "tests/unit/unit.h"

/* movq -0x18(%rsp), %rdx; movq -0x10(%rsp), %rcx; jmp */
static const uint8_t pass[] = { 0x48, 0x8b, 0x54, 0x24, 0xe8, 0x48,
				0x8b, 0x4c, 0x24, 0xf0, 0xe9 };

static int32_t distance_before(const uint8_t *end, unsigned int kind)
{
	int32_t far;

	if (kind == HOLE_LOOP_TEST)
		return (int8_t)end[-1];
	memcpy(&far, end - sizeof(far), sizeof(far));
	return far;
}

static void assert_passes(const struct stub_template *template,
			  const struct hole *hole)
{
	const unsigned int at =
		hole->at + (hole->kind == HOLE_LOOP_TEST ? LOOP_TEST_BYTES
							 : LOOP_TEST_FAR_BYTES);
	const int64_t to =
		at + distance_before(template->start + at, hole->kind);

	assert_in_range(to, at, template->bytes - sizeof(pass));
	assert_memory_equal(template->start + to, pass, sizeof(pass));
}

static void a_loop_to_the_own_entry_passes_through(void **state)
{
	static const struct stub_template *const all[] = {
		&hot_stub_plain,  &hot_stub_leaf,          &hot_stub_timed,
		&hot_stub_traced, &hot_stub_traced_leaf,   &hot_stub_stamped,
		&hot_stub_sited,  &hot_stub_stamped_sited, NULL,
	};

	(void)state;
	for (const struct stub_template *const *each = all; *each; each++) {
		unsigned int tests = 0;

		for (const struct hole *hole = (*each)->holes;
		     hole < (*each)->holes_end; hole++) {
			if (hole->kind != HOLE_LOOP_TEST &&
			    hole->kind != HOLE_LOOP_TEST_FAR)
				continue;
			assert_passes(*each, hole);
			tests++;
		}
		assert_int_equal(tests, (*each)->kind != STUB_LEAF);
	}
}

static void assert_alike(const struct stub_template *leaf,
			 const struct stub_template *other)
{
	assert_int_equal(leaf->bytes, other->bytes);
	assert_int_equal(leaf->entry_at, other->entry_at);
	assert_int_equal(leaf->glance_at, other->glance_at);
	assert_int_equal(leaf->exit_elsewhere_at, other->exit_elsewhere_at);
	assert_int_equal(leaf->kind, STUB_LEAF);
	assert_int_not_equal(leaf->kind, other->kind);
}

/* Both kinds are in one process, where they are known by these places. */
static void leaves_have_what_others_have_where_they_have_it(void **state)
{
	(void)state;
	assert_alike(&hot_stub_leaf, &hot_stub_plain);
	assert_alike(&hot_stub_traced_leaf, &hot_stub_traced);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_to_the_own_entry_passes_through),
		cmocka_unit_test(
			leaves_have_what_others_have_where_they_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
