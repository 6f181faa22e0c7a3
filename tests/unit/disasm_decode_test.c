/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "disasm/decoded.h"
#include "disasm/newer.h"

struct row {
	const char *bytes;
	uint8_t count;
	uint8_t kind;
	uint8_t length;
	int32_t branch_bytes;
};

static struct insn decode(const struct decoder *decoder, const char *bytes,
			  size_t count)
{
	struct insn insn = { 0 };

	assert_int_equal(
		decode_scan(decoder, (const uint8_t *)bytes, count, &insn), 0);
	return insn;
}

static struct insn operands(const struct decoder *decoder, const char *bytes,
			    size_t count)
{
	struct insn insn = { 0 };

	assert_int_equal(
		decode_operands(decoder, (const uint8_t *)bytes, count, &insn),
		0);
	return insn;
}

static int refusal(const struct decoder *decoder, const char *bytes,
		   size_t count)
{
	struct insn insn;

	return decode_scan(decoder, (const uint8_t *)bytes, count, &insn);
}

static void kinds_and_targets_are_read(void **state)
{
	static const struct row rows[] = {
		{ "\x90", 1, INSN_NOP, 1, 0 },
		{ "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10, INSN_NOP, 10,
		  0 },
		{ "\xcc", 1, INSN_TRAP, 1, 0 },
		{ "\xf3\x0f\x1e\xfa", 4, INSN_ENDBR, 4, 0 },
		{ "\xeb\xfe", 2, INSN_JUMP, 2, -2 },
		{ "\xe9\x01\x02\x03\x04", 5, INSN_JUMP, 5, 0x04030201 },
		{ "\xf2\xe9\x01\x00\x00\x00", 6, INSN_JUMP, 6, 1 },
		{ "\x74\x10", 2, INSN_JUMP_IF, 2, 16 },
		{ "\x3e\x74\x10", 3, INSN_JUMP_IF, 3, 16 },
		{ "\x0f\x84\xfc\xff\xff\xff", 6, INSN_JUMP_IF, 6, -4 },
		{ "\xe8\xfb\xff\xff\xff", 5, INSN_CALL, 5, -5 },
		{ "\x66\x66\x48\xe8\x01\x00\x00\x00", 8, INSN_CALL, 8, 1 },
		{ "\xe2\x05", 2, INSN_LOOP, 2, 5 },
		{ "\xe3\x05", 2, INSN_LOOP, 2, 5 },
		{ "\x67\xe3\x05", 3, INSN_LOOP, 3, 5 },
		{ "\xff\xe0", 2, INSN_JUMP_INDIRECT, 2, 0 },
		{ "\x3e\xff\xe0", 3, INSN_JUMP_INDIRECT, 3, 0 },
		{ "\xff\x25\x00\x00\x00\x00", 6, INSN_JUMP_INDIRECT, 6, 0 },
		{ "\xff\xd0", 2, INSN_CALL_INDIRECT, 2, 0 },
		{ "\xff\x15\x00\x00\x00\x00", 6, INSN_CALL_INDIRECT, 6, 0 },
		{ "\xc3", 1, INSN_RETURN, 1, 0 },
		{ "\xf3\xc3", 2, INSN_RETURN, 2, 0 },
		{ "\xc2\x08\x00", 3, INSN_RETURN, 3, 0 },
		{ "\x0f\x0b", 2, INSN_STOP, 2, 0 },
		{ "\xf4", 1, INSN_STOP, 1, 0 },
		{ "\x0f\x05", 2, INSN_SYSTEM, 2, 0 },
		{ "\xcd\x80", 2, INSN_SYSTEM, 2, 0 },
		{ "\x48\x89\xe5", 3, INSN_PLAIN, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct insn insn = decode(*state, rows[i].bytes, rows[i].count);

		assert_int_equal(insn.kind, rows[i].kind);
		assert_int_equal(insn.length, rows[i].length);
		assert_int_equal(insn.branch_bytes, rows[i].branch_bytes);
	}
}

static void cut_off_instructions_are_refused(void **state)
{
	assert_int_equal(refusal(*state, "\xe9\x01\x02\x03", 4), -EILSEQ);
	assert_int_equal(refusal(*state, "\x48", 1), -EILSEQ);
	assert_int_equal(refusal(*state, "", 0), -EILSEQ);
}

/* These have a rel16 on AMD and a rel32 on Intel. */
static void branches_with_a_66_prefix_are_refused(void **state)
{
	assert_int_equal(refusal(*state, "\x66\xe8\0\0\0\0", 6), -EILSEQ);
	assert_int_equal(refusal(*state, "\x66\x0f\x84\0\0\0\0", 7), -EILSEQ);
}

/*
 * A branch after such a prefix must not be copied like an instruction without a
 * destination.
 */
static void rex_before_another_prefix_is_refused(void **state)
{
	assert_int_equal(refusal(*state, "\x42\x44\xe9\0\0\0\0", 7), -EILSEQ);
	assert_int_equal(refusal(*state, "\x48\x66\x90", 3), -EILSEQ);
	assert_int_equal(refusal(*state, "\x40\x48\x89\xe5", 4), -EILSEQ);
}

/* Capstone 4 copies these mnemonics and crashes if malloc() returns NULL. */
static void instructions_that_need_scratch_memory_decode(void **state)
{
	for (int i = 0; i < 10000; i++)
		assert_int_equal(
			decode(*state, "\x0f\xa7\xc0\xf3\xc3", 5).length, 3);
}

static void rip_relative_displacements_are_located(void **state)
{
	/* cmpl $0x10, 0x20(%rip) */
	struct insn insn = operands(
		*state, "\x81\x3d\x20\x00\x00\x00\x10\x00\x00\x00", 10);

	assert_int_equal(insn.modrm_at, 1);
	assert_int_equal(insn.rip_disp_at, 2);
	/* movdqa 0x20(%rip), %xmm0: Capstone is wrong under a 66 prefix */
	insn = operands(*state, "\x66\x0f\x6f\x05\x20\x00\x00\x00", 8);
	assert_int_equal(insn.rip_disp_at, 4);
	/* vmovups 0x20(%rip), %zmm0 */
	insn = operands(*state, "\x62\xf1\x7c\x48\x10\x05\x20\0\0\0", 10);
	assert_int_equal(insn.rip_disp_at, 6);
}

static void other_operands_are_not_rip_relative(void **state)
{
	/* mov 0x20, %eax through a SIB byte without base: absolute */
	struct insn insn = operands(*state, "\x8b\x04\x25\x20\0\0\0", 7);

	assert_int_equal(insn.modrm_at, 1);
	assert_int_equal(insn.rip_disp_at, 0);
	insn = operands(*state, "\x48\x89\xe5", 3);
	assert_int_equal(insn.rip_disp_at, 0);
	insn = operands(*state, "\x53", 1);
	assert_int_equal(insn.modrm_at, 0);
}

static void vector_instructions_newer_than_capstone_are_measured(void **state)
{
	static const struct row rows[] = {
		/* vpcmpeqb $0, (%rdi), %ymm16, %k0 */
		{ "\x62\xf3\x7d\x20\x3f\x07\x00\x90", 8, INSN_PLAIN, 7, 0 },
		/* kmovd %k0, %eax */
		{ "\xc5\xfb\x93\xc0\x90", 5, INSN_PLAIN, 4, 0 },
		/* kmovq %rdx, %k1 */
		{ "\xc4\xe1\xfb\x92\xca\x90", 6, INSN_PLAIN, 5, 0 },
		/* vptestmb 0x40(%rdi,%rdx), with disp8 after a SIB byte */
		{ "\x62\xf3\x7d\x20\x3f\x44\x17\xff\x00\x90", 10, INSN_PLAIN, 9,
		  0 },
		{ "\x0f\x01\xee", 3, INSN_PLAIN, 3, 0 }, /* rdpkru */
		/* rdsspq %rax, %r9; incsspq %rdx; rep xsha512 */
		{ "\xf3\x48\x0f\x1e\xc8\x90", 6, INSN_PLAIN, 5, 0 },
		{ "\xf3\x49\x0f\x1e\xc9\x90", 6, INSN_PLAIN, 5, 0 },
		{ "\xf3\x48\x0f\xae\xea\x90", 6, INSN_PLAIN, 5, 0 },
		{ "\xf3\x0f\xa6\xe0\x90", 5, INSN_PLAIN, 4, 0 },
		/* gf2p8affineqb $1, 0(%rip), %xmm0; movdir64b (%rsi), %rdi */
		{ "\x66\x0f\x3a\xce\x05\0\0\0\0\x01\x90", 11, INSN_PLAIN, 10,
		  0 },
		{ "\x66\x0f\x38\xf8\x3e\x90", 6, INSN_PLAIN, 5, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct insn insn = decode(*state, rows[i].bytes, rows[i].count);

		assert_int_equal(insn.kind, rows[i].kind);
		assert_int_equal(insn.length, rows[i].length);
	}
}

static void newer_instructions_cut_off_anywhere_are_refused(void **state)
{
	static const uint8_t code[] = { 0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x84,
					0x17, 0xff, 0,    0,    0,    0x00 };
	struct insn insn;

	assert_int_equal(newer_decode(code, sizeof(code), &insn), 0);
	assert_int_equal(insn.length, sizeof(code));
	for (size_t bytes = 0; bytes < sizeof(code); bytes++)
		assert_int_equal(newer_decode(code, bytes, &insn), -EILSEQ);
}

static void *no_memory(void *context, size_t bytes)
{
	return NULL;
}

static void use_of_the_stack_is_seen(void **state)
{
	static const struct row rows[] = {
		{ .bytes = "\x90", .count = 1 },
		{ .bytes = "\xc3", .count = 1 },
		{ .bytes = "\xf3\xc3", .count = 2 },
		{ .bytes = "\xe8\x00\x00\x00\x00", .count = 5 },
		{ .bytes = "\xff\xd0", .count = 2 },         /* call *%rax */
		{ .bytes = "\x41\xff\x63\x20", .count = 4 }, /* jmp *32(%r11) */
		{ .bytes = "\x64\x4c\x8b\x18", .count = 4 }, /* %fs:(%rax) */
		{ .bytes = "\x49\x8b\x04\x24", .count = 4 }, /* (%r12) */
		{ .bytes = "\x4c\x89\xe0", .count = 3 },    /* mov %r12, %rax */
		{ .bytes = "\xf3\x48\xa5", .count = 3 },    /* rep movsq */
		{ .bytes = "\x50", .count = 1, .kind = 1 }, /* push %rax */
		{ .bytes = "\x5a", .count = 1, .kind = 1 }, /* pop %rdx */
		{ .bytes = "\x41\x5c", .count = 2, .kind = 1 }, /* pop %r12 */
		{ .bytes = "\x6a\x01", .count = 2, .kind = 1 }, /* push $1 */
		{ .bytes = "\x8f\x00", .count = 2, .kind = 1 }, /* pop (%rax) */
		{ .bytes = "\x9c", .count = 1, .kind = 1 },     /* pushf */
		{ .bytes = "\x9d", .count = 1, .kind = 1 },     /* popf */
		{ .bytes = "\xc9", .count = 1, .kind = 1 },     /* leave */
		{ .bytes = "\xc8\x10\x00\x00", .count = 4, .kind = 1 },
		{ .bytes = "\xc2\x08\x00", .count = 3, .kind = 1 }, /* ret $8 */
		{ .bytes = "\x48\x94", .count = 2, .kind = 1 },     /* xchg */
		{ .bytes = "\x48\x8b\x14\x24", .count = 4, .kind = 1 },
		{ .bytes = "\x48\x89\xe5", .count = 3, .kind = 1 },
		{ .bytes = "\x89\xe0", .count = 2, .kind = 1 }, /* %esp */
		{ .bytes = "\x48\x8d\x44\x24\x08", .count = 5, .kind = 1 },
		{ .bytes = "\xff\x64\x24\x08", .count = 4, .kind = 1 },
		{ .bytes = "\xff\x14\x24", .count = 3, .kind = 1 },
		{ .bytes = "\x48\x83\xec\x08", .count = 4, .kind = 1 },
		{ .bytes = "\xbc\x00\x00\x00\x00", .count = 5, .kind = 1 },
		{ .bytes = "\xf3\x0f\x7f\x04\x24", .count = 5, .kind = 1 },
		{ .bytes = "\x48\xcf", .count = 2, .kind = 1 }, /* iretq */
		{ .bytes = "\x06", .count = 1, .kind = 1 },     /* unknown */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct insn insn;
		int uses =
			decode_operands(*state, (const uint8_t *)rows[i].bytes,
					rows[i].count, &insn) ||
			insn.uses_stack;

		if (uses != rows[i].kind)
			fail_msg("row %zu: %d", i, uses);
	}
}

static void changes_of_the_stack_pointer_are_decoded(void **state)
{
	static const struct row rows[] = {
		{ .bytes = "\x55", .count = 1 },             /* push %rbp */
		{ .bytes = "\x54", .count = 1 },             /* push %rsp */
		{ .bytes = "\x5d", .count = 1 },             /* pop %rbp */
		{ .bytes = "\x5c", .count = 1, .kind = 1 },  /* pop %rsp */
		{ .bytes = "\x9c", .count = 1 },             /* pushf */
		{ .bytes = "\xc3", .count = 1 },             /* ret */
		{ .bytes = "\xc2\x08\x00", .count = 3 },     /* ret $8 */
		{ .bytes = "\x48\x83\xec\x08", .count = 4 }, /* sub $8, %rsp */
		{ .bytes = "\x48\x83\xc4\x08", .count = 4 }, /* add */
		{ .bytes = "\x83\xec\x08", .count = 3, .kind = 1 }, /* %esp */
		{ .bytes = "\x48\x83\xe4\xf0",
		  .count = 4,
		  .kind = 1 }, /* and */
		{ .bytes = "\x48\x29\xc4",
		  .count = 3,
		  .kind = 1 },                           /* sub %rax */
		{ .bytes = "\x48\x89\xe5", .count = 3 }, /* mov %rsp, %rbp */
		{ .bytes = "\x48\x89\x27", .count = 3 }, /* mov %rsp, (%rdi) */
		{ .bytes = "\x48\x89\xec",
		  .count = 3,
		  .kind = 1 }, /* %rbp, %rsp */
		{ .bytes = "\x48\x8b\x26", .count = 3, .kind = 1 }, /* (%rsi) */
		{ .bytes = "\x48\x8d\x64\x24\x08", .count = 5, .kind = 1 },
		{ .bytes = "\x48\x8d\x44\x24\x08", .count = 5 }, /* lea, %rax */
		{ .bytes = "\x48\x8b\x04\x24", .count = 4 }, /* (%rsp), %rax */
		{ .bytes = "\x48\x39\xc4", .count = 3 },     /* cmp */
		{ .bytes = "\x48\x94", .count = 2, .kind = 1 }, /* xchg */
		{ .bytes = "\x48\x87\x07", .count = 3 }, /* xchg %rax, (%rdi) */
		{ .bytes = "\x48\x87\x27", .count = 3, .kind = 1 }, /* %rsp */
		{ .bytes = "\xc9", .count = 1, .kind = 1 },         /* leave */
		{ .bytes = "\xc8\x10\x00\x00", .count = 4, .kind = 1 },
		{ .bytes = "\x48\xcf", .count = 2, .kind = 1 }, /* iretq */
		{ .bytes = "\x06", .count = 1, .kind = 1 },     /* unknown */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct insn insn;
		int sets =
			decode_operands(*state, (const uint8_t *)rows[i].bytes,
					rows[i].count, &insn) ||
			insn.sets_stack;

		if (sets != rows[i].kind)
			fail_msg("row %zu: %d", i, sets);
	}
}

static int abandon(char *out, size_t bytes, const char *format,
		   va_list arguments)
{
	decode_abandon();
}

static void an_abandoned_instruction_is_refused(void **state)
{
	static const uint8_t add[] = { 0x48, 0x83, 0xc0, 0x7b };
	const struct decoder *decoder = *state;
	const char *mnemonic, *operands_text;

	assert_int_equal(decode_text(decoder, add, sizeof(add), 0, abandon,
				     &mnemonic, &operands_text),
			 -EILSEQ);
	assert_int_equal(decode_text(decoder, add, sizeof(add), 0, vsnprintf,
				     &mnemonic, &operands_text),
			 0);
	assert_string_equal(mnemonic, "addq");
	assert_string_equal(operands_text, "$0x7b, %rax");
}

static void opening_without_memory_fails_cleanly(void **state)
{
	struct decoder decoder;

	assert_int_equal(decoder_open(&decoder, no_memory, NULL), -ENOMEM);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void both_modes_agree_on_random_bytes(void **state)
{
	uint64_t seed = 88172645463325252;

	for (int i = 0; i < 200000; i++) {
		uint64_t words[2] = { next_random(&seed), next_random(&seed) };
		size_t bytes = next_random(&seed) % 16;
		struct insn a;
		struct insn b;
		const uint8_t *code = (const uint8_t *)words;
		int err = decode_scan(*state, code, bytes, &a);

		if (err || decode_operands(*state, code, bytes, &b))
			continue;
		assert_int_equal(a.kind, b.kind);
		assert_int_equal(a.length, b.length);
		assert_int_equal(a.branch_bytes, b.branch_bytes);
		assert_true(a.length <= bytes);
	}
}

/* ---- Cached instructions ---- */

static void assert_same_insn(const struct insn *a, const struct insn *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->modrm_at, b->modrm_at);
	assert_int_equal(a->rip_disp_at, b->rip_disp_at);
	assert_int_equal(a->branch_bytes, b->branch_bytes);
	assert_int_equal(a->uses_stack, b->uses_stack);
	assert_int_equal(a->sets_stack, b->sets_stack);
}

/* Decodes with a new decoder, which has no cached instructions. */
static int decode_afresh(const uint8_t *code, size_t bytes, int has_operands,
			 struct insn *out)
{
	struct arena arena = { 0 };
	struct decoder decoder;
	int err;

	assert_int_equal(decoder_open(&decoder, arena_memory, &arena), 0);
	err = has_operands ? decode_operands(&decoder, code, bytes, out)
			   : decode_scan(&decoder, code, bytes, out);
	arena_fini(&arena);
	return err;
}

/* Returns the instruction's length, or 1 if it is invalid. */
static size_t assert_decodes_as_afresh(const struct decoder *used,
				       const uint8_t *code, size_t bytes)
{
	struct insn got = { 0 }, wanted = { 0 };

	assert_int_equal(decode_operands(used, code, bytes, &got),
			 decode_afresh(code, bytes, 1, &wanted));
	assert_same_insn(&got, &wanted);
	got = wanted = (struct insn){ 0 };
	if (decode_scan(used, code, bytes, &got)) {
		assert_int_equal(decode_afresh(code, bytes, 0, &wanted),
				 -EILSEQ);
		return 1;
	}
	assert_int_equal(decode_afresh(code, bytes, 0, &wanted), 0);
	assert_same_insn(&got, &wanted);
	return got.length;
}

static void what_was_decoded_before_changes_nothing_in_this_program(
	void **state)
{
	extern const uint8_t __executable_start[], etext[];
	const uint8_t *start = etext - (etext - __executable_start) / 4;

	for (size_t at = 0; at < 20000 && start + at < etext;)
		at += assert_decodes_as_afresh(*state, start + at,
					       (size_t)(etext - start) - at);
}

/* The code has few different bytes, so that many instructions begin alike. */
static void what_was_decoded_before_changes_nothing_in_random_bytes(
	void **state)
{
	static const uint8_t few[] = { 0x48, 0x0f, 0x66, 0xf3, 0x8b, 0x05,
				       0x84, 0xe8, 0xff, 0x24, 0x83, 0x40,
				       0xc4, 0x62, 0x1e, 0xfa };
	uint64_t seed = 88172645463325252;

	for (int i = 0; i < 5000; i++) {
		uint64_t random = next_random(&seed);
		uint8_t code[20];

		for (size_t at = 0; at < 16; at++)
			code[at] = few[random >> 4 * at & 15];
		memcpy(code + 16, few, 4);
		assert_decodes_as_afresh(*state, code, 1 + random % 20);
	}
}

static struct insn plain(uint8_t length)
{
	return (struct insn){ .kind = INSN_PLAIN, .length = length };
}

static void an_instruction_is_found_by_its_first_bytes(void **state)
{
	static const uint8_t known[] = { 0x48, 0x83, 0xec, 0x18, 0x90 };
	static const uint8_t alike[] = { 0x48, 0x83, 0xec, 0x19, 0xc3 };
	static const uint8_t other[] = { 0x48, 0x83, 0xc4, 0x18, 0x90 };
	static struct decoded decoded;
	struct insn insn = plain(4), found = { 0 };

	assert_false(decoded_find(&decoded, DECODED_KIND, known, 5, &found));
	decoded_keep(&decoded, DECODED_KIND, known, 5, &insn);
	assert_true(decoded_find(&decoded, DECODED_KIND, known, 5, &found));
	assert_same_insn(&found, &insn);
	assert_true(decoded_find(&decoded, DECODED_KIND, alike, 4, &found));
	assert_false(decoded_find(&decoded, DECODED_KIND, alike, 3, &found));
	assert_false(decoded_find(&decoded, DECODED_KIND, other, 5, &found));
	assert_false(
		decoded_find(&decoded, DECODED_OPERANDS, known, 5, &found));
}

/* mov with a SIB byte that has a base, or a disp32 instead */
static void a_base_of_sib_tells_lengths_apart(void **state)
{
	static const uint8_t based[] = { 0x8b, 0x04, 0x24, 0, 0, 0, 0 };
	static const uint8_t baseless[] = { 0x8b, 0x04, 0x25, 0, 0, 0, 0 };
	const struct decoder *decoder = *state;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(decode(decoder, (const char *)based, 7).length,
				 3);
		assert_int_equal(
			decode(decoder, (const char *)baseless, 7).length, 7);
	}
}

/* Openings must be long enough to distinguish instructions, and no longer. */
static void openings_end_with_the_deciding_byte(void **state)
{
	static const struct {
		const char *bytes;
		uint8_t opening_bytes;
	} rows[] = {
		{ "\x55", 1 },
		{ "\xb8\x01\x02\x03\x04", 1 },
		{ "\x48\xb8\x01\x02\x03\x04", 2 },
		{ "\x48\x8b\x44\x24\x08", 3 },
		{ "\x66\x2e\x0f\x1f\x84\x00\x01", 5 },
		{ "\x0f\x84\x01\x02\x03\x04", 2 },
		{ "\x66\x0f\x3a\x0f\xc1\x08", 5 },
		{ "\xc5\xf8\x10\x40\x08", 4 },
		{ "\xc4\xe3\x79\x0f\xc1\x08", 5 },
		{ "\x62\xf1\x7c\x48\x10\x40\x01", 6 },
		{ "\x8f\xe8\x78\xc0\xc1\x01", 0 },
		{ "\x0f\x0f\xc1\x94", 0 },
		{ "\x48\x66\x90", 0 },
		{ "\x66\x66\x66\x66\x66\x66\x66\x66\x90", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t code[OPENING_READ_BYTES] = { 0 };

		memcpy(code, rows[i].bytes, strlen(rows[i].bytes));
		assert_int_equal(opening_read(code).bytes,
				 rows[i].opening_bytes);
	}
}

/* ---- Guarantees of openings ---- */

/*
 * Writes an opening and bytes that may follow it. The base of a SIB byte is
 * rsp, another register, or absent.
 */
static void put_opening(uint8_t code[OPENING_READ_BYTES], const char *start,
			uint8_t opcode, uint8_t modrm, uint64_t random)
{
	static const uint8_t bases[] = { 4, 5, 0,
					 5 }; /* rsp, none, another register */
	size_t at = 0;

	while (*start)
		code[at++] = (uint8_t)*start++;
	code[at++] = opcode;
	code[at++] = modrm;
	memcpy(code + at, &random, sizeof(random));
	code[at] = (uint8_t)((code[at] & 0xf8) | bases[(opcode ^ modrm) & 3]);
	memset(code + at + sizeof(random), 0x90,
	       OPENING_READ_BYTES - at - sizeof(random));
}

static void assert_alike(const struct decoder *one, const uint8_t *code,
			 const struct decoder *other, const uint8_t *alike)
{
	struct insn a = { 0 }, b = { 0 };

	assert_int_equal(decode_scan(one, code, OPENING_READ_BYTES, &a),
			 decode_scan(other, alike, OPENING_READ_BYTES, &b));
	a.branch_bytes = b.branch_bytes = 0;
	assert_same_insn(&a, &b);
	a = b = (struct insn){ 0 };
	assert_int_equal(decode_operands(one, code, OPENING_READ_BYTES, &a),
			 decode_operands(other, alike, OPENING_READ_BYTES, &b));
	a.branch_bytes = b.branch_bytes = 0;
	assert_same_insn(&a, &b);
}

/*
 * Two decoders meet every opening once, with different displacements and
 * immediates after it, so that Capstone decodes both.
 */
static void cached_openings_decode_like_the_library(void **state)
{
	static const char *const starts[] = {
		"",
		"\x48",
		"\x44",
		"\x66",
		"\xf2",
		"\xf3",
		"\xf0",
		"\x64",
		"\x67",
		"\x66\x48",
		"\x0f",
		"\x48\x0f",
		"\x66\x0f",
		"\xf2\x0f",
		"\xf3\x0f",
		"\xf3\x48\x0f",
		"\x0f\x38",
		"\x66\x0f\x38",
		"\x0f\x3a",
		"\x66\x0f\x3a",
		"\xc5\xf8",
		"\xc5\xf9",
		"\xc5\xfe",
		"\xc5\xff",
		"\xc4\xe1\xfd",
		"\xc4\xe2\x7d",
		"\xc4\xe2\xf9",
		"\xc4\xe3\xfd",
		"\xc4\x43\x79",
		"\x62\xf1\x7c\x48",
		"\x62\xf1\xfd\x28",
		"\x62\xf2\x7d\x48",
		"\x62\xf3\xfd\x48",
	};
	const size_t count = sizeof(starts) / sizeof(starts[0]);
	uint64_t seed = 88172645463325252;
	struct arena arena = { 0 };
	struct decoder one, other;

	assert_int_equal(decoder_open(&one, arena_memory, &arena), 0);
	assert_int_equal(decoder_open(&other, arena_memory, &arena), 0);
	for (size_t i = 0; i < count << 16; i++) {
		const uint8_t opcode = (uint8_t)(i >> 8), modrm = (uint8_t)i;
		uint8_t code[OPENING_READ_BYTES], alike[OPENING_READ_BYTES];

		put_opening(code, starts[i >> 16], opcode, modrm,
			    next_random(&seed));
		put_opening(alike, starts[i >> 16], opcode, modrm,
			    next_random(&seed));
		if (opening_read(code).bytes <= strlen(starts[i >> 16]) ||
		    opening_read(code).bytes > strlen(starts[i >> 16]) + 2)
			continue;
		assert_alike(&one, code, &other, alike);
	}
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_and_targets_are_read),
		cmocka_unit_test(cut_off_instructions_are_refused),
		cmocka_unit_test(branches_with_a_66_prefix_are_refused),
		cmocka_unit_test(rex_before_another_prefix_is_refused),
		cmocka_unit_test(instructions_that_need_scratch_memory_decode),
		cmocka_unit_test(rip_relative_displacements_are_located),
		cmocka_unit_test(other_operands_are_not_rip_relative),
		cmocka_unit_test(
			vector_instructions_newer_than_capstone_are_measured),
		cmocka_unit_test(
			newer_instructions_cut_off_anywhere_are_refused),
		cmocka_unit_test(use_of_the_stack_is_seen),
		cmocka_unit_test(changes_of_the_stack_pointer_are_decoded),
		cmocka_unit_test(an_abandoned_instruction_is_refused),
		cmocka_unit_test(opening_without_memory_fails_cleanly),
		cmocka_unit_test(both_modes_agree_on_random_bytes),
		cmocka_unit_test(
			what_was_decoded_before_changes_nothing_in_this_program),
		cmocka_unit_test(
			what_was_decoded_before_changes_nothing_in_random_bytes),
		cmocka_unit_test(an_instruction_is_found_by_its_first_bytes),
		cmocka_unit_test(a_base_of_sib_tells_lengths_apart),
		cmocka_unit_test(openings_end_with_the_deciding_byte),
		cmocka_unit_test(cached_openings_decode_like_the_library),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
