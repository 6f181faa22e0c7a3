/* SPDX-License-Identifier: MIT */
/*
 * Compares the computed values of registers with those that the processor has
 * when it runs the instructions. Checks also that the switch statements of
 * compilers are recognized, and no other code.
 */
#include "disasm_fixture.h"

#include <string.h>
#include <sys/mman.h>

#include "disasm/register_values.h"

#define RSP 4

static struct values step_all(const struct decoder *decoder,
			      const uint8_t *code, size_t bytes,
			      struct value *to)
{
	struct values values = { 0 };
	struct insn insn;

	for (size_t at = 0; at < bytes; at += insn.length) {
		assert_int_equal(
			decode_scan(decoder, code + at, bytes - at, &insn), 0);
		if (insn.kind == INSN_JUMP_IF)
			values_pass_jump(&values, code + at, &insn, 0);
		else if (insn.kind == INSN_JUMP_INDIRECT)
			*to = values_jump(&values, code + at, &insn);
		else
			values_step(&values, code + at, &insn,
				    0x1000 + at + insn.length);
	}
	return values;
}

/* ---- Switches ---- */

#define CMP_5_EDI  "\x83\xff\x05"
#define CMP_5_DIL  "\x40\x80\xff\x05"
#define CMP_5_DI   "\x66\x83\xff\x05"
#define CMP_5_RDI  "\x48\x83\xff\x05"
#define JA         "\x77\x40"
#define JA_FAR     "\x0f\x87\x40\x01\x00\x00"
#define JAE        "\x73\x40"
#define JBE        "\x76\x40"
#define JE         "\x74\x40"
#define JG         "\x7f\x40"
#define MOV_EDI    "\x89\xff"
#define MOVZX_DIL  "\x40\x0f\xb6\xff"
#define MOVZX_DI   "\x0f\xb7\xff"
#define MOVSX_EDI  "\x48\x63\xff"
#define AND_7_EDI  "\x83\xe7\x07"
#define LEA_RDX    "\x48\x8d\x15\x00\x01\x00\x00"
#define LEA_RCX    "\x48\x8d\x0d\x00\x01\x00\x00"
#define LOAD_RAX   "\x48\x63\x04\xba" /* movslq (%rdx,%rdi,4), %rax */
#define LOAD_BY_2  "\x48\x63\x04\x7a"
#define LOAD_AT_4  "\x48\x63\x44\xba\x04"
#define LOAD_ZX    "\x8b\x04\xba" /* mov (%rdx,%rdi,4), %eax */
#define ADD_RDX    "\x48\x01\xd0" /* add %rdx, %rax */
#define ADD_BACK   "\x48\x03\xc2" /* the same with another encoding */
#define ADD_EDX    "\x01\xd0"
#define ADD_RCX    "\x48\x01\xc8"
#define JMP_RAX    "\xff\xe0"
#define JMP_MEMORY "\xff\x20"
#define NOTRACK    "\x3e"
#define JMP_WORD   "\xff\x24\xfd\x00\x20\x00\x00" /* jmp *0x2000(,%rdi,8) */
#define JMP_BASED  "\xff\xa4\xfa\x00\x20\x00\x00" /* jmp *0x2000(%rdx,%rdi,8) */
#define LOAD_WORD  "\x48\x8b\x04\xfd\x00\x20\x00\x00"
#define INC_EDI    "\xff\xc7"
#define TEST_EDI   "\x85\xff"
#define SAHF       "\x9e"
#define CPUID      "\x0f\xa2"
#define STORE      "\x48\x89\x3e" /* mov %rdi, (%rsi) */
#define FS_LOAD    "\x64" LOAD_RAX
#define SHORT_LOAD "\x67" LOAD_RAX

struct way {
	const char *code;
	size_t bytes;
	int kind; /* kind of the jump's destination */
	uint32_t most;
};

#define WAY(code, ...)                                                         \
	{                                                                      \
		(code), sizeof(code) - 1, __VA_ARGS__                          \
	}
#define TAIL LEA_RDX LOAD_RAX ADD_RDX JMP_RAX

static void assert_ways(const struct decoder *decoder, const struct way *ways,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct value to = { 0 };
		int is_known;

		step_all(decoder, (const uint8_t *)ways[i].code, ways[i].bytes,
			 &to);
		is_known = to.kind == VALUE_TARGET || to.kind == VALUE_WORD;
		if (is_known
			    ? to.kind != ways[i].kind || to.most != ways[i].most
			    : ways[i].kind != VALUE_UNKNOWN)
			fail_msg("way %zu: kind %d, most %u", i, to.kind,
				 to.most);
	}
}

static void switches_of_compilers_are_understood(void **state)
{
	static const struct way ways[] = {
		WAY(CMP_5_EDI JA MOV_EDI TAIL, VALUE_TARGET, 5),
		WAY(CMP_5_EDI JA_FAR MOV_EDI TAIL, VALUE_TARGET, 5),
		WAY(CMP_5_EDI JAE MOV_EDI TAIL, VALUE_TARGET, 4),
		WAY(CMP_5_EDI JE JA MOV_EDI TAIL, VALUE_TARGET, 5),
		WAY(MOV_EDI CMP_5_EDI JA TAIL, VALUE_TARGET, 5),
		WAY(CMP_5_RDI JA TAIL, VALUE_TARGET, 5),
		WAY(CMP_5_DIL JA MOVZX_DIL TAIL, VALUE_TARGET, 5),
		WAY(CMP_5_DI JA MOVZX_DI TAIL, VALUE_TARGET, 5),
		WAY(CMP_5_EDI JA MOVSX_EDI TAIL, VALUE_TARGET, 5),
		WAY(CMP_5_EDI STORE LEA_RDX JA MOV_EDI LOAD_RAX ADD_BACK
			    JMP_RAX,
		    VALUE_TARGET, 5),
		WAY(CMP_5_EDI JA MOV_EDI LEA_RDX LOAD_RAX ADD_RDX NOTRACK
			    JMP_RAX,
		    VALUE_TARGET, 5),
		WAY(AND_7_EDI TAIL, VALUE_TARGET, 7),
		WAY(MOVZX_DIL TAIL, VALUE_TARGET, 255),
		WAY(CMP_5_EDI JA MOV_EDI JMP_WORD, VALUE_WORD, 5),
		WAY(CMP_5_EDI JA MOV_EDI NOTRACK JMP_WORD, VALUE_WORD, 5),
		WAY(CMP_5_EDI JA MOV_EDI LOAD_WORD JMP_RAX, VALUE_WORD, 5),
	};

	assert_ways(*state, ways, sizeof(ways) / sizeof(ways[0]));
}

static void doubtful_values_are_unknown(void **state)
{
	static const struct way ways[] = {
		WAY(TAIL, VALUE_UNKNOWN, 0),
		WAY(JMP_WORD, VALUE_UNKNOWN, 0),
		/* the upper half or the upper bytes are unknown */
		WAY(CMP_5_EDI JA TAIL, VALUE_UNKNOWN, 0),
		WAY(CMP_5_DIL JA MOV_EDI JMP_WORD, VALUE_WORD, UINT32_MAX),
		WAY(CMP_5_DI JA MOV_EDI JMP_WORD, VALUE_WORD, UINT32_MAX),
		WAY(MOV_EDI CMP_5_DIL JA JMP_WORD, VALUE_UNKNOWN, 0),
		/* another condition, or flags of another instruction */
		WAY(CMP_5_EDI JBE MOV_EDI TAIL, VALUE_TARGET, UINT32_MAX),
		WAY(CMP_5_EDI JG MOV_EDI TAIL, VALUE_TARGET, UINT32_MAX),
		WAY(CMP_5_EDI TEST_EDI JA MOV_EDI TAIL, VALUE_TARGET,
		    UINT32_MAX),
		WAY(CMP_5_EDI SAHF JA MOV_EDI TAIL, VALUE_TARGET, UINT32_MAX),
		/* the register changes in between */
		WAY(CMP_5_EDI JA INC_EDI MOV_EDI TAIL, VALUE_TARGET,
		    UINT32_MAX),
		WAY(CMP_5_EDI INC_EDI JA MOV_EDI TAIL, VALUE_TARGET,
		    UINT32_MAX),
		WAY(CMP_5_EDI JA MOV_EDI LEA_RDX CPUID LOAD_RAX ADD_RDX JMP_RAX,
		    VALUE_UNKNOWN, 0),
		/* another table, or another use of it */
		WAY(CMP_5_RDI JA LEA_RDX LEA_RCX LOAD_RAX ADD_RCX JMP_RAX,
		    VALUE_UNKNOWN, 0),
		WAY(CMP_5_RDI JA LEA_RDX LOAD_RAX ADD_EDX JMP_RAX,
		    VALUE_UNKNOWN, 0),
		WAY(CMP_5_RDI JA LEA_RDX LOAD_RAX JMP_RAX, VALUE_UNKNOWN, 0),
		WAY(CMP_5_RDI JA LEA_RDX LOAD_BY_2 ADD_RDX JMP_RAX,
		    VALUE_UNKNOWN, 0),
		WAY(CMP_5_RDI JA LEA_RDX LOAD_AT_4 ADD_RDX JMP_RAX,
		    VALUE_UNKNOWN, 0),
		WAY(CMP_5_RDI JA LEA_RDX LOAD_ZX ADD_RDX JMP_RAX, VALUE_UNKNOWN,
		    0),
		WAY(CMP_5_RDI JA LEA_RDX FS_LOAD ADD_RDX JMP_RAX, VALUE_UNKNOWN,
		    0),
		WAY(CMP_5_RDI JA LEA_RDX SHORT_LOAD ADD_RDX JMP_RAX,
		    VALUE_UNKNOWN, 0),
		WAY(CMP_5_RDI JA LEA_RDX LOAD_RAX ADD_RDX JMP_MEMORY,
		    VALUE_UNKNOWN, 0),
		WAY(CMP_5_RDI JA LEA_RDX JMP_BASED, VALUE_UNKNOWN, 0),
	};

	assert_ways(*state, ways, sizeof(ways) / sizeof(ways[0]));
}

static void the_table_is_where_the_code_says(void **state)
{
	static const uint8_t code[] = CMP_5_RDI JA TAIL;
	struct value to = { 0 };

	step_all(*state, code, sizeof(code) - 1, &to);
	assert_int_equal(to.vaddr, 0x1000 + 6 + 7 + 0x100);
}

static void values_that_paths_agree_on_are_kept(void **state)
{
	struct values a = { 0 }, b = { 0 };

	a.registers[1] =
		(struct value){ .kind = VALUE_NUMBER, .bits = 64, .most = 5 };
	b.registers[1] =
		(struct value){ .kind = VALUE_NUMBER, .bits = 64, .most = 9 };
	a.registers[2] = (struct value){ .kind = VALUE_ADDRESS, .vaddr = 1 };
	b.registers[2] = a.registers[2];
	assert_int_equal(values_merge(&b, &a), 0);
	assert_int_equal(values_merge(&a, &b), 1);
	assert_int_equal(a.registers[1].most, 9);
	assert_int_equal(a.registers[2].kind, VALUE_ADDRESS);
	b.registers[2].vaddr = 2;
	b.registers[1].bits = 32;
	assert_int_equal(values_merge(&a, &b), 1);
	assert_int_equal(a.registers[1].kind, VALUE_UNKNOWN);
	assert_int_equal(a.registers[2].kind, VALUE_UNKNOWN);
	a.compared_bits = b.compared_bits = 32;
	a.compared = 3;
	assert_int_equal(values_merge(&a, &b), 1);
	assert_int_equal(a.compared_bits, 0);
	assert_int_equal(values_merge(&a, &b), 0);
}

/* ---- The processor's results ---- */

/*
 * Loads the registers except rsp, and the flags, executes the code, and stores
 * them.
 */
__asm__(".pushsection .rodata\n"
	"thunk_start:\n"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"push %rdi\n"
	"mov 0(%rdi), %rax; mov 8(%rdi), %rcx; mov 16(%rdi), %rdx\n"
	"mov 24(%rdi), %rbx; mov 40(%rdi), %rbp; mov 48(%rdi), %rsi\n"
	"mov 64(%rdi), %r8; mov 72(%rdi), %r9; mov 80(%rdi), %r10\n"
	"mov 88(%rdi), %r11; mov 96(%rdi), %r12; mov 104(%rdi), %r13\n"
	"mov 112(%rdi), %r14; mov 120(%rdi), %r15; mov 56(%rdi), %rdi\n"
	"thunk_hole:\n"
	".fill 48, 1, 0x90\n"
	"xchg %rdi, (%rsp)\n"
	"mov %rax, 0(%rdi); mov %rcx, 8(%rdi); mov %rdx, 16(%rdi)\n"
	"mov %rbx, 24(%rdi); mov %rbp, 40(%rdi); mov %rsi, 48(%rdi)\n"
	"mov %r8, 64(%rdi); mov %r9, 72(%rdi); mov %r10, 80(%rdi)\n"
	"mov %r11, 88(%rdi); mov %r12, 96(%rdi); mov %r13, 104(%rdi)\n"
	"mov %r14, 112(%rdi); mov %r15, 120(%rdi)\n"
	"pop %rax; mov %rax, 56(%rdi)\n"
	"pushfq; pop %rax; mov %rax, 128(%rdi)\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
	"thunk_end:\n"
	".popsection");
extern const uint8_t thunk_start[], thunk_hole[], thunk_end[];

#define HOLE_BYTES 48
#define FLAGS      16
#define CARRY      0x01
#define ZERO       0x40

/* Opcodes and the operands that follow them. */
struct shape {
	uint16_t first, last; /* 0x100 marks opcodes after 0f */
	const char *what;
};

/*
 * Operands: m is a ModRM byte of registers, 0 to 7 its middle field; i is a
 * byte, z a word; r is a register in the opcode.
 */
static const struct shape shapes[] = {
	{ 0x00, 0x03, "m" },     { 0x04, 0x04, "i" },    { 0x05, 0x05, "z" },
	{ 0x20, 0x23, "m" },     { 0x24, 0x24, "i" },    { 0x25, 0x25, "z" },
	{ 0x28, 0x2b, "m" },     { 0x30, 0x33, "m" },    { 0x38, 0x3b, "m" },
	{ 0x3c, 0x3c, "i" },     { 0x3d, 0x3d, "z" },    { 0x10, 0x13, "m" },
	{ 0x18, 0x1b, "m" },     { 0x08, 0x0b, "m" },    { 0x63, 0x63, "m" },
	{ 0x69, 0x69, "mz" },    { 0x6b, 0x6b, "mi" },   { 0x80, 0x80, "07i" },
	{ 0x81, 0x81, "07z" },   { 0x83, 0x83, "07i" },  { 0x84, 0x8b, "m" },
	{ 0x90, 0x97, "r" },     { 0x98, 0x99, "" },     { 0xa8, 0xa8, "i" },
	{ 0xa9, 0xa9, "z" },     { 0xb0, 0xb7, "ri" },   { 0xb8, 0xbf, "rz" },
	{ 0xc0, 0xc1, "07i" },   { 0xc6, 0xc6, "00i" },  { 0xc7, 0xc7, "00z" },
	{ 0xd0, 0xd3, "07" },    { 0xf6, 0xf7, "25" },   { 0xf6, 0xf6, "00i" },
	{ 0xf7, 0xf7, "00z" },   { 0xfe, 0xff, "01" },   { 0x11f, 0x11f, "m" },
	{ 0x140, 0x14f, "m" },   { 0x190, 0x19f, "07" }, { 0x1a3, 0x1a3, "m" },
	{ 0x1a4, 0x1a4, "mi" },  { 0x1a5, 0x1a5, "m" },  { 0x1ab, 0x1ab, "m" },
	{ 0x1af, 0x1b1, "m" },   { 0x1b3, 0x1b3, "m" },  { 0x1b6, 0x1b7, "m" },
	{ 0x1ba, 0x1ba, "47i" }, { 0x1bb, 0x1c1, "m" },  { 0x1c8, 0x1cf, "r" },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed >> 16;
}

static int is_rsp(uint8_t rex, uint8_t rex_bit, unsigned int field)
{
	return field == RSP && !(rex & rex_bit);
}

/*
 * Writes an instruction that uses registers other than rsp. Returns its length,
 * or 0 if the caller must try again.
 */
static size_t put_insn(uint8_t *code, uint64_t *seed)
{
	const struct shape *shape = &shapes[next_random(seed) % SHAPES];
	const uint64_t random = next_random(seed);
	uint16_t opcode =
		(uint16_t)(shape->first +
			   random % (shape->last - shape->first + 1U));
	const int is_word = (random >> 8) % 6 == 0;
	uint8_t rex = (random >> 16) % 3 ? 0 : 0x40 | (random >> 20 & 0xf);
	const uint64_t value = next_random(seed) % 3 ? next_random(seed) % 12
						     : next_random(seed);
	const char *what = shape->what;
	uint8_t reg = random >> 24 & 7;
	const uint8_t rm = random >> 28 & 7;
	size_t at = 0, bytes;

	if (*what == 'r' && (is_rsp(rex, 1, opcode & 7) || rex & 8))
		return 0;
	if (is_rsp(rex, 1, rm) || (*what == 'm' && is_rsp(rex, 4, reg)))
		return 0;
	if (is_word)
		code[at++] = 0x66;
	if (rex)
		code[at++] = rex;
	if (opcode & 0x100)
		code[at++] = 0x0f;
	code[at++] = (uint8_t)opcode;
	if (*what >= '0' && *what <= '7') {
		reg = (uint8_t)(what[0] - '0' + reg % (what[1] - what[0] + 1));
		code[at++] = (uint8_t)(0xc0 | reg << 3 | rm);
		what += 2;
	} else if (*what == 'm') {
		code[at++] = (uint8_t)(0xc0 | reg << 3 | rm);
		what++;
	} else if (*what == 'r') {
		what++;
	}
	if (*what == 'z')
		bytes = is_word && !(rex & 8) ? 2 : 4;
	else
		bytes = *what == 'i';
	memcpy(code + at, &value, bytes);
	return at + bytes;
}

/* Checks that the description of each register is true. */
static void assert_true_of(const struct values *values,
			   const uint64_t *registers, const uint8_t *code)
{
	for (unsigned int i = 0; i < VALUES_REGISTERS; i++) {
		const struct value *value = &values->registers[i];
		uint64_t number = registers[i];

		if (value->kind == VALUE_UNKNOWN || i == RSP)
			continue;
		assert_int_equal(value->kind, VALUE_NUMBER);
		if (value->bits < 64)
			number &= (UINT64_C(1) << value->bits) - 1;
		if (number > value->most)
			fail_msg("register %u has %lx, not %x or less in %u: "
				 "%02x %02x %02x %02x %02x %02x %02x %02x",
				 i, registers[i], value->most, value->bits,
				 code[0], code[1], code[2], code[3], code[4],
				 code[5], code[6], code[7]);
	}
}

/* Describes the registers truthfully, some of them only in part. */
static struct values describe(const uint64_t *registers, uint64_t *seed)
{
	struct values values = { 0 };

	for (unsigned int i = 0; i < VALUES_REGISTERS; i++) {
		const unsigned int bits = 8U << next_random(seed) % 4;
		uint64_t number = registers[i];

		if (bits < 64)
			number &= (UINT64_C(1) << bits) - 1;
		if (number < UINT32_MAX - 3)
			values.registers[i] = (struct value){
				.kind = VALUE_NUMBER,
				.bits = (uint8_t)bits,
				.most = (uint32_t)(number +
						   next_random(seed) % 3),
			};
	}
	return values;
}

/*
 * Checks the values after each conditional jump that may follow, for the
 * direction that the flags select.
 */
static void assert_true_behind_jumps(const struct values *values,
				     const uint64_t *registers,
				     const uint8_t *code)
{
	const int carry = (registers[FLAGS] & CARRY) != 0;
	const int above = !carry && !(registers[FLAGS] & ZERO);
	const struct insn insn = { .kind = INSN_JUMP_IF, .length = 2 };
	const struct {
		uint8_t opcode, is_taken;
	} jumps[] = { { 0x72, (uint8_t)carry },
		      { 0x73, (uint8_t)!carry },
		      { 0x76, (uint8_t)!above },
		      { 0x77, (uint8_t)above } };

	for (size_t i = 0; i < 4; i++) {
		const uint8_t jump[2] = { jumps[i].opcode, 0 };
		struct values behind = *values;

		values_pass_jump(&behind, jump, &insn, jumps[i].is_taken);
		assert_true_of(&behind, registers, code);
	}
}

static void computed_values_hold_when_code_runs(void **state)
{
	uint8_t *thunk = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *hole = thunk + (thunk_hole - thunk_start);
	uint64_t seed = 88172645463325252;
	unsigned int run = 0;

	assert_ptr_not_equal(thunk, MAP_FAILED);
	memcpy(thunk, thunk_start, (size_t)(thunk_end - thunk_start));
	for (int i = 0; i < 300000; i++) {
		uint64_t registers[FLAGS + 1];
		struct values values;
		size_t at = 0;

		for (unsigned int k = 0; k < VALUES_REGISTERS; k++) {
			registers[k] = next_random(&seed) % 12;
			if (next_random(&seed) % 3 == 0)
				registers[k] *= UINT64_C(0x1fedcba98765);
		}
		values = describe(registers, &seed);
		memset(hole, 0x90, HOLE_BYTES);
		for (unsigned int n = 0; n < 3; n++) {
			size_t bytes = put_insn(hole + at, &seed);
			struct insn insn;

			if (!bytes ||
			    decode_scan(*state, hole + at, bytes, &insn)) {
				memset(hole + at, 0x90, bytes);
				continue;
			}
			assert_int_equal(insn.length, bytes);
			values_step(&values, hole + at, &insn, 0);
			at += bytes;
			run++;
		}
		((void (*)(uint64_t *))(uintptr_t)thunk)(registers);
		assert_true_of(&values, registers, hole);
		assert_true_behind_jumps(&values, registers, hole);
	}
	assert_true(run > 300000);
	munmap(thunk, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches_of_compilers_are_understood),
		cmocka_unit_test(doubtful_values_are_unknown),
		cmocka_unit_test(the_table_is_where_the_code_says),
		cmocka_unit_test(values_that_paths_agree_on_are_kept),
		cmocka_unit_test(computed_values_hold_when_code_runs),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
