/* SPDX-License-Identifier: MIT */
/*
 * Tests that short jumps in the templates of stubs reach their targets. The
 * jumps are written by hand, since patching code must know their length. The
 * assembler does not report a distance that is too large for them: such a jump
 * then leads in the other direction.
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

/* call *%fs:HOT_TAIL; and where it counts, call *%fs:HOT_TAIL_COUNT */
#define ASKS(thunk)                                                            \
	{                                                                      \
		0x64, 0xff, 0x14, 0x25, (thunk) % 256, (thunk) / 256, 0, 0     \
	}
static const uint8_t asks[] = ASKS(HOT_TAIL);
static const uint8_t counts[] = ASKS(HOT_TAIL_COUNT);

/*
 * Returns the destination of the jump at the start of the code, conditional on
 * carry or unconditional; 0 if there is no jump.
 */
static int64_t jump_at(const uint8_t *code)
{
	const unsigned int bytes = code[0] == 0x0f && code[1] == 0x82 ? 2 : 1;
	int32_t far;

	if (code[0] == 0x72 || code[0] == 0xeb)
		return 2 + (int8_t)code[1];
	if (bytes == 1 && code[0] != 0xe9)
		return 0;
	memcpy(&far, code + bytes, sizeof(far));
	return bytes + (int64_t)sizeof(far) + far;
}

/*
 * Leaves have no loop to their entry. Where calls are counted, nothing remains
 * to be done at that point.
 */
static void assert_passes(const struct stub_template *template, unsigned int at)
{
	const int64_t to = at + jump_at(template->start + at);

	if (template->kind == STUB_LEAF && template != &hot_stub_leaf) {
		assert_int_equal(to, at);
		return;
	}
	assert_int_not_equal(to, at);
	assert_in_range(to, 0, template->bytes - sizeof(pass));
	assert_memory_equal(template->start + to, pass,
			    sizeof(pass) - (template == &hot_stub_leaf));
}

static void a_loop_to_the_own_entry_passes_through(void **state)
{
	(void)state;
	for (const struct stub_template *const *each = all; *each; each++) {
		unsigned int found = 0;

		for (unsigned int at = 0; at + 16 < (*each)->bytes; at++) {
			const uint8_t *code = (*each)->start + at;

			if (memcmp(code, asks, sizeof(asks)) != 0 &&
			    memcmp(code, counts, sizeof(counts)) != 0)
				continue;
			assert_passes(*each, at + sizeof(asks));
			found++;
		}
		assert_int_equal(found, 1);
	}
}

/* ---- Where jumps lead ---- */

#define BYTES_MAX (2 * STUB_BYTES)

/* The instructions of a template that execution from its entries reaches. */
struct flow {
	const struct stub_template *template;
	struct decoder decoder;
	enum {
		NOTHING,
		BEGINS,
		GOES_ON
	} bytes[BYTES_MAX]; /* a byte of an instruction */
	unsigned int waiting[BYTES_MAX], count;
	unsigned int short_jumps;
};

/*
 * Returns whether an offset belongs to the template and not to the function's
 * own instructions.
 */
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

/* Returns whether the instruction is a conditional jump of two bytes. */
static int is_short_jump(const struct insn *insn, const uint8_t *code)
{
	return insn->kind == INSN_JUMP_IF && insn->length == 2 &&
	       (*code & 0xf0) == 0x70;
}

/*
 * Returns whether a short jump that ends at this offset leads forwards. The one
 * between the entry and the glance leads backwards.
 */
static int is_forwards(const struct flow *flow, unsigned int at)
{
	return at <= flow->template->entry_at || at > flow->template->glance_at;
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
			assert_int_equal(insn.branch_bytes >= 0,
					 is_forwards(flow, at));
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

/* Returns the number of short jumps. */
static unsigned int follow_all(const struct stub_template *template)
{
	struct flow flow = { .template = template };
	struct arena arena = { 0 };

	assert_in_range(template->bytes, STUB_BYTES, BYTES_MAX);
	assert_int_equal(decoder_open(&flow.decoder, arena_memory, &arena), 0);
	go_to(&flow, template->entry_at);
	go_to(&flow, STUB_EXIT_AT);
	go_to(&flow, template->exit_elsewhere_at);
	go_to(&flow, template->turns[5]); /* after a thunk, at a tail call */
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

/*
 * Both kinds of templates exist in one process, and code finds their parts at
 * the same offsets.
 */
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
