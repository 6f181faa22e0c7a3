/* SPDX-License-Identifier: MIT */
/*
 * Tests the templates of stubs by rules of x86-64 CPUs, so that a template that
 * is fast on one CPU is not slow on another one. The rules concern the code
 * that each call executes: from the entry to the displaced instructions, and
 * from the exit to the return to the caller. forwarding_test.c tests how loads
 * follow stores. Templates that read the time stamp counter are left out: the
 * reading costs more than all that these rules forbid.
 *
 *	partial writes	No instruction writes 8 or 16 bits of a register, or
 *			names bits 8 to 15 of one. The next use of the whole
 *			register would depend on its former value (Zen) or on
 *			a merging micro-operation (Intel).
 *	prefixes	No instruction has a 16-bit immediate operand, whose
 *			length Intel's decoders find late.
 *	flags		No INC or DEC, which leave the carry flag as it was.
 *	locks		No atomic or serializing instruction.
 *	return stack	The path to the displaced instructions calls only these,
 *			and has no return; the path of the exit has one return
 *			and no call. Then the CPU's return stack predicts every
 *			return.
 *	sets		The lines of the path, in stubs side by side, are spread
 *			over the sets of the L1 instruction cache.
 *
 * Sources: AMD, "Software Optimization Guide for the AMD Zen 4 and Zen 5
 * Microarchitecture" (57647, 58455); Intel, "64 and IA-32 Architectures
 * Optimization Reference Manual" (248966).
 */
#include <stdio.h>
#include <string.h>

#include "disasm/decode.h"
#include "image/arena.h"
#include "preload/stubs/stub_template.h"
#include "tests/unit/unit.h"

#define LINE      64
#define LINES_MAX 64

/* The L1 instruction cache. */
static const struct cache {
	const char *cpu;
	unsigned int sets, ways;
} caches[] = {
	{ "Zen 4", 64, 8 },
	{ "Zen 5", 64, 8 },
	{ "Golden Cove", 64, 8 },
};

static const struct kind {
	const char *name;
	const struct stub_template *template;
	/* neighbouring stubs whose paths fit into each L1 instruction cache */
	unsigned int neighbours;
} kinds[] = {
	{ "plain", &hot_stub_plain, 64 },
	{ "leaf", &hot_stub_leaf, 64 },
	{ "traced", &hot_stub_traced, 64 },
	{ "traced leaf", &hot_stub_traced_leaf, 64 },
};

/* What was found on a path. */
struct path {
	struct decoder decoder;
	struct arena arena;
	const char *name;
	unsigned int calls, returns;
	unsigned int lines[LINES_MAX], line_count;
	unsigned int faults;
	int is_quiet; /* faults are expected */
};

static void fault(struct path *path, const char *rule, const char *mnemonic,
		  const char *operands)
{
	path->faults++;
	if (!path->is_quiet)
		print_error("%s: %s: %s %s\n", path->name, rule, mnemonic,
			    operands);
}

/* ---- Operands, in the syntax of AT&T: source, destination ---- */

/* Splits operands at commas outside of parentheses. Returns their number. */
static unsigned int split(const char *operands, char parts[3][64])
{
	unsigned int count = 0, length = 0;
	int depth = 0;

	for (; *operands && count < 3; operands++) {
		depth += *operands == '(';
		depth -= *operands == ')';
		if (*operands == ',' && !depth) {
			parts[count++][length] = '\0';
			length = 0;
			operands += operands[1] == ' ';
			continue;
		}
		assert_in_range(length, 0, 62);
		parts[count][length++] = *operands;
	}
	if (length)
		parts[count++][length] = '\0';
	return count;
}

static int is_memory(const char *operand)
{
	return strchr(operand, '(') || strstr(operand, "%fs:") ||
	       strstr(operand, "%gs:");
}

static int is_narrow(const char *operand)
{
	static const char *const names[] = {
		"%al", "%cl", "%dl", "%bl", "%sil", "%dil", "%bpl",
		"%ax", "%cx", "%dx", "%bx", "%si",  "%di",  "%bp",
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(operand, names[i]) == 0)
			return 1;
	return *operand == '%' && operand[1] == 'r' &&
	       (operand[strlen(operand) - 1] == 'b' ||
		operand[strlen(operand) - 1] == 'w');
}

static int is_high(const char *operand)
{
	return strlen(operand) == 3 && *operand == '%' && operand[2] == 'h' &&
	       strchr("abcd", operand[1]);
}

/* ---- Rules ---- */

/* Returns whether the word is in the list, or is with AT&T's suffix. */
static int is_of(const char *word, const char *const *list)
{
	for (; *list; list++) {
		const size_t length = strlen(*list);

		if (!strncmp(word, *list, length) &&
		    (!word[length] ||
		     (strchr("bwlq", word[length]) && !word[length + 1])))
			return 1;
	}
	return 0;
}

static int reads_only(const char *mnemonic)
{
	static const char *const list[] = { "cmp",  "test", "bt",
					    "push", "call", NULL };

	return is_of(mnemonic, list) || *mnemonic == 'j';
}

static int is_slow(const char *mnemonic, char parts[3][64])
{
	static const char *const list[] = {
		"cpuid",   "mfence",     "lfence",    "sfence",
		"cmpxchg", "cmpxchg16b", "cmpxchg8b", NULL,
	};
	static const char *const exchange[] = { "xchg", NULL };

	return !strncmp(mnemonic, "lock", 4) || is_of(mnemonic, list) ||
	       (is_of(mnemonic, exchange) &&
		(is_memory(parts[0]) || is_memory(parts[1])));
}

static void check(struct path *path, const char *mnemonic, const char *operands)
{
	static const char *const counts[] = { "inc", "dec", NULL };
	char parts[3][64] = { { 0 } };
	const unsigned int count = split(operands, parts);

	if (is_of(mnemonic, counts))
		fault(path, "flags", mnemonic, operands);
	if (is_slow(mnemonic, parts))
		fault(path, "locks", mnemonic, operands);
	if (*parts[0] == '$' && mnemonic[strlen(mnemonic) - 1] == 'w')
		fault(path, "prefixes", mnemonic, operands);
	for (unsigned int i = 0; i < count; i++)
		if (is_high(parts[i]) ||
		    (i + 1 == count && !reads_only(mnemonic) &&
		     is_narrow(parts[i])))
			fault(path, "partial writes", mnemonic, operands);
}

static void note_line(struct path *path, unsigned int line)
{
	for (unsigned int i = 0; i < path->line_count; i++)
		if (path->lines[i] == line)
			return;
	assert_in_range(path->line_count, 0, LINES_MAX - 1);
	path->lines[path->line_count++] = line;
}

/*
 * Follows the code from an offset on as a call does whose context is known: no
 * conditional jump is taken. Ends at the offset `until`, where a jump or call
 * leads to it, or behind a return.
 */
static void follow(struct path *path, const uint8_t *code, unsigned int bytes,
		   unsigned int at, unsigned int until)
{
	while (at != until) {
		const char *mnemonic, *operands;
		struct insn insn;

		assert_in_range(at, 0, bytes - 1);
		assert_int_equal(decode_text(&path->decoder, code + at,
					     bytes - at, at, vsnprintf,
					     &mnemonic, &operands),
				 0);
		check(path, mnemonic, operands);
		assert_int_equal(decode_scan(&path->decoder, code + at,
					     bytes - at, &insn),
				 0);
		for (unsigned int i = 0; i < insn.length; i++)
			note_line(path, (at + i) / LINE);
		at += insn.length;
		path->calls += insn.kind == INSN_CALL ||
			       insn.kind == INSN_CALL_INDIRECT;
		path->returns += insn.kind == INSN_RETURN;
		if (insn.kind == INSN_RETURN)
			return;
		if (insn.kind == INSN_JUMP || insn.kind == INSN_CALL)
			at = (unsigned int)((int)at + insn.branch_bytes);
		assert_int_not_equal(insn.kind, INSN_JUMP_INDIRECT);
	}
}

static void begin(struct path *path, const char *name)
{
	*path = (struct path){ .name = name };
	assert_int_equal(
		decoder_open(&path->decoder, arena_memory, &path->arena), 0);
}

/* ---- Tests ---- */

static int has_exit(const struct kind *kind)
{
	return kind->template->kind != STUB_LEAF;
}

static void follow_kind(struct path *path, const struct kind *kind)
{
	const struct stub_template *template = kind->template;

	begin(path, kind->name);
	follow(path, template->start, template->bytes, template->entry_at,
	       template->displaced_at);
	assert_int_equal(path->calls, has_exit(kind));
	assert_int_equal(path->returns, 0);
	if (!has_exit(kind))
		return;
	path->calls = 0;
	follow(path, template->start, template->bytes, STUB_EXIT_AT,
	       template->bytes);
	assert_int_equal(path->calls, 0);
	assert_int_equal(path->returns, 1);
}

static void templates_obey_the_rules_of_all_cpus(void **state)
{
	unsigned int faults = 0;

	(void)state;
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct path path;

		follow_kind(&path, &kinds[i]);
		assert_true(path.line_count >= 2);
		faults += path.faults;
		arena_fini(&path.arena);
	}
	assert_int_equal(faults, 0);
}

/*
 * Returns how many neighbouring stubs fit into a cache with the lines of the
 * path.
 */
static unsigned int fitting(const struct cache *cache, const struct path *path,
			    unsigned int bytes)
{
	unsigned int used[256] = { 0 };

	assert_in_range(cache->sets, 1, 256);
	for (unsigned int stub = 0;; stub++)
		for (unsigned int i = 0; i < path->line_count; i++) {
			const unsigned int line =
				stub * (bytes / LINE) + path->lines[i];

			if (++used[line % cache->sets] > cache->ways)
				return stub;
		}
}

static void paths_of_neighbours_fit_into_the_instruction_cache(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct path path;

		follow_kind(&path, &kinds[i]);
		for (unsigned int j = 0; j < sizeof(caches) / sizeof(*caches);
		     j++)
			assert_in_range(fitting(&caches[j], &path,
						kinds[i].template->bytes),
					kinds[i].neighbours, 4096);
		arena_fini(&path.arena);
	}
}

/* Returns the number of faults in a piece of code. */
static unsigned int faults_in(const uint8_t *code, unsigned int bytes)
{
	struct path path;

	begin(&path, "");
	path.is_quiet = 1;
	follow(&path, code, bytes, 0, bytes);
	arena_fini(&path.arena);
	return path.faults;
}

#define FAULTS(...)                                                            \
	faults_in((const uint8_t[]){ __VA_ARGS__ },                            \
		  sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void each_rule_finds_its_fault(void **state)
{
	(void)state;
	/* mov (%rsp), %rcx; cmpb $0x68, %cl */
	assert_int_equal(FAULTS(0x48, 0x8b, 0x0c, 0x24, 0x80, 0xf9, 0x68), 0);
	/* mov $1, %ecx; movl $1, -4(%rsp) */
	assert_int_equal(
		FAULTS(0xb9, 1, 0, 0, 0, 0xc7, 0x44, 0x24, 0xfc, 1, 0, 0, 0),
		0);
	/* setb %cl; mov %ch, %al; mov %dl, %r9b */
	assert_int_equal(FAULTS(0x0f, 0x92, 0xc1), 1);
	assert_true(FAULTS(0x88, 0xe8) > 0);
	assert_int_equal(FAULTS(0x41, 0x88, 0xd1), 1);
	/* movw $0x1234, -2(%rsp) */
	assert_int_equal(FAULTS(0x66, 0xc7, 0x44, 0x24, 0xfe, 0x34, 0x12), 1);
	/* incq %rcx */
	assert_int_equal(FAULTS(0x48, 0xff, 0xc1), 1);
	/* xchg %rcx, -8(%rsp); lock incq -8(%rsp) */
	assert_int_equal(FAULTS(0x48, 0x87, 0x4c, 0x24, 0xf8), 1);
	assert_true(FAULTS(0xf0, 0x48, 0xff, 0x44, 0x24, 0xf8) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates_obey_the_rules_of_all_cpus),
		cmocka_unit_test(
			paths_of_neighbours_fit_into_the_instruction_cache),
		cmocka_unit_test(each_rule_finds_its_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
