/* SPDX-License-Identifier: MIT */
/*
 * Jumps of one byte's reach in the templates of stubs are written by hand, as what
 * is written over them must know their length: nobody else says if one is too far. It
 * leads backwards then.
 */
#include <string.h>

#include "disasm/decode.h"
#include "image/arena.h"
#include "preload/stubs/stub_template.h"
#include "tests/unit/unit.h"

static const struct stub_template *const all[] = {
	&hot_stub_plain,  &hot_stub_leaf,          &hot_stub_timed,
	&hot_stub_traced, &hot_stub_traced_leaf,   &hot_stub_stamped,
	&hot_stub_sited,  &hot_stub_stamped_sited, NULL,
};

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

/* ---- Where jumps lead ---- */

#define BYTES_MAX (2 * STUB_BYTES)

/* What is executed of a template, from the places where it is entered. */
struct flow {
	const struct stub_template *template;
	struct decoder decoder;
	enum { NOTHING, BEGINS, GOES_ON } bytes[BYTES_MAX]; /* an instruction */
	unsigned int waiting[BYTES_MAX], count;
	unsigned int short_jumps;
};

/* Not where the function's own instructions will be. */
static int is_ours(const struct flow *flow, unsigned int at)
{
	const struct stub_template *template = flow->template;

	return at < template->displaced_at || at >= template->displaced_end;
}

static void go_to(struct flow *flow, int64_t at)
{
	assert_in_range(at, 0, flow->template->bytes - 1);
	if (is_ours(flow, (unsigned int)at) && flow->count < BYTES_MAX)
		flow->waiting[flow->count++] = (unsigned int)at;
}

/* Of two bytes, whichever condition. */
static int is_short_jump(const struct insn *insn, const uint8_t *code)
{
	return insn->kind == INSN_JUMP_IF && insn->length == 2 &&
	       (*code & 0xf0) == 0x70;
}

static void follow(struct flow *flow, unsigned int at)
{
	while (is_ours(flow, at) && flow->bytes[at] == NOTHING) {
		const uint8_t *code = flow->template->start + at;
		struct insn insn;

		assert_int_equal(decode_scan(&flow->decoder, code,
					     flow->template->bytes - at, &insn),
				 0);
		assert_int_not_equal(insn.kind, INSN_TRAP);
		flow->bytes[at] = BEGINS;
		for (unsigned int i = 1; i < insn.length; i++) {
			assert_int_equal(flow->bytes[at + i], NOTHING);
			flow->bytes[at + i] = GOES_ON;
		}
		at += insn.length;
		if (is_short_jump(&insn, code)) {
			assert_true(insn.branch_bytes >= 0);
			flow->short_jumps++;
		}
		if (insn_is_direct_branch(&insn))
			go_to(flow, (int64_t)at + insn.branch_bytes);
		if (insn_ends_flow(&insn))
			return;
	}
	if (is_ours(flow, at))
		assert_int_equal(flow->bytes[at], BEGINS);
}

/* Returns how many short jumps there are. */
static unsigned int follow_all(const struct stub_template *template)
{
	struct flow flow = { .template = template };
	struct arena arena = { 0 };

	assert_in_range(template->bytes, STUB_BYTES, BYTES_MAX);
	assert_int_equal(decoder_open(&flow.decoder, arena_memory, &arena), 0);
	go_to(&flow, template->entry_at);
	go_to(&flow, STUB_EXIT_AT);
	go_to(&flow, template->exit_elsewhere_at);
	go_to(&flow, template->turns[5]); /* behind a thunk, at a tail call */
	while (flow.count)
		follow(&flow, flow.waiting[--flow.count]);
	arena_fini(&arena);
	return flow.short_jumps;
}

static void jumps_lead_to_instructions(void **state)
{
	(void)state;
	for (const struct stub_template *const *each = all; *each; each++)
		assert_in_range(follow_all(*each),
				*each != &hot_stub_traced_leaf, BYTES_MAX);
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
		cmocka_unit_test(jumps_lead_to_instructions),
		cmocka_unit_test(
			leaves_have_what_others_have_where_they_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
