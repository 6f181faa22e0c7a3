/* SPDX-License-Identifier: MIT */
#include "tests/unit/model_x86_64.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "preload/hot/thread.h"
#include "preload/stubs/stub_write.h"
#include "tests/unit/unit.h"

/* All thunks are between these two symbols and the code after them. */
extern const uint8_t hot_thunk_miss_call[], hot_thunk_probe[];

#define THUNKS_BEHIND  256
#define FS_BASE        UINT64_C(0x7f0000000000)
#define STACK          UINT64_C(0x7ffd00008000)
#define FUNCTION_BYTES 64
#define STORES_MAX     512
#define STEPS_MAX      400 /* steps of one path */
#define VISITS_MAX     2   /* visits of one branch in a path */
#define SEEN_MAX       (1 << 20)
#define BODIES_MAX     3 /* runs of functions in a path */
#define INSNS_MAX      4096

struct access {
	uint64_t at;
	uint64_t value;
	uint8_t bytes;
};

struct cached {
	uint64_t pc;
	cs_insn *insn;
	uint8_t visits;
};

struct machine {
	csh decoder;
	uint64_t registers[16]; /* in the order of the registers' numbers */
	uint64_t pc;
	struct access stores[STORES_MAX];
	uint32_t store_count;
	uint32_t steps;
	uint32_t bodies; /* number of functions that have run */
	uint8_t *code;   /* a stub, or other code under test */
	uint64_t entry, code_bytes;
	uint32_t paths, stalls;
	/*
	 * The result of the last comparison; known only for bytes of the code
	 * and values that were loaded from it.
	 */
	enum { ANYTHING, IS_EQUAL, IS_NOT_EQUAL } compared;
	struct cached cache[INSNS_MAX];
	/*
	 * Hashes of the states in which a branch was followed; 0 means a free
	 * entry.
	 */
	uint64_t seen[SEEN_MAX];
	uint32_t seen_count;
};

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

char model_said[256];

static struct machine machine;

/* ---- Memory ---- */

static uint64_t scramble(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return (x ^ x >> 29) & UINT64_C(0x3ffffffffff8);
}

static int is_code(const struct machine *m, uint64_t pc)
{
	return pc - (uintptr_t)m->code < m->code_bytes ||
	       (pc >= (uintptr_t)hot_thunk_miss_call &&
		pc < (uintptr_t)hot_thunk_probe + THUNKS_BEHIND);
}

/*
 * Returns the value of memory that no store has written: the thread's block,
 * the code's constants, or an arbitrary value.
 */
static uint64_t initial(const struct machine *m, uint64_t at, uint8_t bytes)
{
	const uint64_t block = FS_BASE + (uint64_t)(int64_t)stub_tls_offset();
	uint64_t value = 0;

	if (at - block < sizeof(hot))
		memcpy(&value, (const uint8_t *)&hot + (at - block), bytes);
	else if (at - (uintptr_t)m->code < m->code_bytes)
		memcpy(&value, (const void *)at, bytes);
	else
		value = scramble(at);
	return value;
}

static void stall(struct machine *m, const struct access *store, uint64_t at,
		  uint8_t bytes)
{
	if (!m->stalls++)
		snprintf(model_said, sizeof(model_said),
			 "at code %+ld, thunks %+ld: %u bytes at %#lx are "
			 "loaded, where %u at %#lx were stored",
			 (long)(m->pc - (uintptr_t)m->code),
			 (long)(m->pc - (uintptr_t)hot_thunk_miss_call), bytes,
			 (unsigned long)at, store->bytes,
			 (unsigned long)store->at);
}

/* Returns the last store to any of these bytes, or NULL. */
static const struct access *find_store(const struct machine *m, uint64_t at,
				       uint8_t bytes)
{
	for (uint32_t i = m->store_count; i-- > 0;)
		if (m->stores[i].at < at + bytes &&
		    at < m->stores[i].at + m->stores[i].bytes)
			return &m->stores[i];
	return NULL;
}

static uint64_t load(struct machine *m, uint64_t at, uint8_t bytes)
{
	const struct access *store = find_store(m, at, bytes);
	uint64_t value = initial(m, at, bytes);

	if (!store)
		return value;
	if (store->at != at || store->bytes < bytes)
		stall(m, store, at, bytes);
	for (uint8_t i = 0; i < bytes; i++) {
		store = find_store(m, at + i, 1);
		if (store)
			memcpy((uint8_t *)&value + i,
			       (const uint8_t *)&store->value +
				       (at + i - store->at),
			       1);
	}
	return value;
}

static void store(struct machine *m, uint64_t at, uint64_t value, uint8_t bytes)
{
	assert_true(m->store_count < STORES_MAX);
	m->stores[m->store_count++] = (struct access){ at, value, bytes };
}

static void push(struct machine *m, uint64_t value)
{
	m->registers[RSP] -= 8;
	store(m, m->registers[RSP], value, 8);
}

static uint64_t pop(struct machine *m)
{
	uint64_t value = load(m, m->registers[RSP], 8);

	m->registers[RSP] += 8;
	return value;
}

/* ---- Operands ---- */

/* Returns the number of the register that contains this one, or -1. */
static int number_of(x86_reg reg)
{
	static const x86_reg names[16][4] = {
		{ X86_REG_RAX, X86_REG_EAX, X86_REG_AL, X86_REG_AX },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CL, X86_REG_CX },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DL, X86_REG_DX },
		{ X86_REG_RBX, X86_REG_EBX, X86_REG_BL, X86_REG_BX },
		{ X86_REG_RSP, X86_REG_ESP, X86_REG_SPL, X86_REG_SP },
		{ X86_REG_RBP, X86_REG_EBP, X86_REG_BPL, X86_REG_BP },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SIL, X86_REG_SI },
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DIL, X86_REG_DI },
		{ X86_REG_R8, X86_REG_R8D, X86_REG_R8B, X86_REG_R8W },
		{ X86_REG_R9, X86_REG_R9D, X86_REG_R9B, X86_REG_R9W },
		{ X86_REG_R10, X86_REG_R10D, X86_REG_R10B, X86_REG_R10W },
		{ X86_REG_R11, X86_REG_R11D, X86_REG_R11B, X86_REG_R11W },
		{ X86_REG_R12, X86_REG_R12D, X86_REG_R12B, X86_REG_R12W },
		{ X86_REG_R13, X86_REG_R13D, X86_REG_R13B, X86_REG_R13W },
		{ X86_REG_R14, X86_REG_R14D, X86_REG_R14B, X86_REG_R14W },
		{ X86_REG_R15, X86_REG_R15D, X86_REG_R15B, X86_REG_R15W },
	};

	for (int i = 0; i < 16; i++)
		for (int part = 0; part < 4; part++)
			if (names[i][part] == reg)
				return i;
	return -1;
}

static uint64_t address_of(const struct machine *m, const cs_insn *insn,
			   const x86_op_mem *mem)
{
	uint64_t at = (uint64_t)mem->disp;
	int base = number_of(mem->base), index = number_of(mem->index);

	if (mem->base == X86_REG_RIP)
		at += insn->address + insn->size;
	else if (base >= 0)
		at += m->registers[base];
	if (index >= 0)
		at += m->registers[index] * (uint64_t)mem->scale;
	if (mem->segment == X86_REG_FS)
		at += FS_BASE;
	return at;
}

static uint64_t read_operand(struct machine *m, const cs_insn *insn, int i)
{
	const cs_x86_op *op = &insn->detail->x86.operands[i];
	int reg;

	switch (op->type) {
	case X86_OP_IMM:
		return (uint64_t)op->imm;
	case X86_OP_MEM:
		return load(m, address_of(m, insn, &op->mem), op->size);
	default:
		reg = number_of(op->reg);
		assert_true(reg >= 0);
		return m->registers[reg];
	}
}

static void write_operand(struct machine *m, const cs_insn *insn, int i,
			  uint64_t value)
{
	const cs_x86_op *op = &insn->detail->x86.operands[i];

	if (op->type == X86_OP_MEM)
		store(m, address_of(m, insn, &op->mem), value, op->size);
	else
		m->registers[number_of(op->reg)] = value;
}

/* ---- Instructions ---- */

/*
 * Computes the operations that occur in addresses. Returns an arbitrary value
 * for others.
 */
static uint64_t compute(unsigned int id, uint64_t a, uint64_t b)
{
	switch (id) {
	case X86_INS_ADD:
		return a + b;
	case X86_INS_SUB:
		return a - b;
	case X86_INS_AND:
		return a & b;
	case X86_INS_BTS:
		return a | UINT64_C(1) << b;
	case X86_INS_SHL:
		return a << b;
	case X86_INS_SHR:
		return a >> b;
	case X86_INS_INC:
		return a + 1;
	case X86_INS_DEC:
		return a - 1;
	case X86_INS_NOT:
		return ~a;
	case X86_INS_NEG:
		return -a;
	default:
		return scramble(a + 3 * b + id);
	}
}

static void compute_operands(struct machine *m, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	uint64_t a = read_operand(m, insn, 0), b = 0;

	if (x86->op_count > 1)
		b = read_operand(m, insn, 1);
	write_operand(m, insn, 0, compute(insn->id, a, b));
}

static void exchange(struct machine *m, const cs_insn *insn)
{
	uint64_t a = read_operand(m, insn, 0), b = read_operand(m, insn, 1);

	write_operand(m, insn, 0, b);
	write_operand(m, insn, 1, a);
}

/*
 * Skips a C function: gives arbitrary values to the registers that the ABI lets
 * a function change.
 */
static void pass_over_c(struct machine *m)
{
	static const uint8_t lost[] = { RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11 };

	for (size_t i = 0; i < sizeof(lost); i++)
		m->registers[lost[i]] = scramble(m->registers[lost[i]] + m->pc);
}

static void call(struct machine *m, const cs_insn *insn)
{
	uint64_t target = read_operand(m, insn, 0);
	uint64_t next = insn->address + insn->size;

	if (is_code(m, target)) {
		push(m, next);
		m->pc = target;
	} else {
		pass_over_c(m);
		m->pc = next;
	}
}

static int is_conditional(const cs_insn *insn)
{
	return insn->id >= X86_INS_JAE && insn->id <= X86_INS_JS &&
	       insn->id != X86_INS_JMP;
}

/*
 * Notes the result of comparing a byte of the stub with a number, or bits of
 * its address.
 */
static void compare(struct machine *m, const cs_insn *insn)
{
	const cs_x86_op *op = insn->detail->x86.operands;
	uint64_t a = op[0].type == X86_OP_MEM ? address_of(m, insn, &op[0].mem)
					      : read_operand(m, insn, 0);

	read_operand(m, insn, 0);
	read_operand(m, insn, 1);
	if (op[1].type != X86_OP_IMM || !is_code(m, a))
		return;
	if (insn->id == X86_INS_CMP && op[0].type == X86_OP_MEM &&
	    op[0].size == 1)
		m->compared = *(const uint8_t *)a == (uint8_t)op[1].imm
				      ? IS_EQUAL
				      : IS_NOT_EQUAL;
	if (insn->id == X86_INS_TEST && op[0].type == X86_OP_REG)
		m->compared = a & (uint64_t)op[1].imm ? IS_NOT_EQUAL : IS_EQUAL;
}

/* Executes any instruction except branches. */
static void execute(struct machine *m, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	m->pc = insn->address + insn->size;
	m->compared = ANYTHING;
	switch (insn->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVSXD:
		write_operand(m, insn, 0, read_operand(m, insn, 1));
		break;
	case X86_INS_LEA:
		write_operand(m, insn, 0,
			      address_of(m, insn, &x86->operands[1].mem));
		break;
	case X86_INS_PUSH:
		push(m, read_operand(m, insn, 0));
		break;
	case X86_INS_POP:
		write_operand(m, insn, 0, pop(m));
		break;
	case X86_INS_PUSHFQ:
		push(m, 0);
		break;
	case X86_INS_POPFQ:
		pop(m);
		break;
	case X86_INS_CMP:
	case X86_INS_TEST:
		compare(m, insn);
		break;
	case X86_INS_XCHG:
		exchange(m, insn);
		break;
	case X86_INS_RDTSC:
		m->registers[RDX] = 1;
		/* fall through */
	case X86_INS_LAHF:
		m->registers[RAX] = 2;
		break;
	case X86_INS_CLC:
	case X86_INS_STC:
	case X86_INS_CLD:
	case X86_INS_SAHF:
	case X86_INS_NOP:
		break;
	default:
		compute_operands(m, insn);
	}
}

static struct cached *decode(struct machine *m, uint64_t pc)
{
	struct cached *cached = &m->cache[pc % INSNS_MAX];

	while (cached->insn && cached->pc != pc)
		if (++cached == m->cache + INSNS_MAX)
			cached = m->cache;
	if (!cached->insn) {
		cached->pc = pc;
		assert_int_equal(cs_disasm(m->decoder, (const uint8_t *)pc, 16,
					   pc, 1, &cached->insn),
				 1);
	}
	return cached;
}

/* ---- Paths ---- */

static void follow(struct machine *m);

/* Follows a path from a pc, and then restores the state. */
static void follow_to(struct machine *m, uint64_t pc)
{
	uint64_t registers[16];
	const uint32_t store_count = m->store_count, steps = m->steps;
	const uint64_t here = m->pc;
	const uint32_t bodies = m->bodies;

	memcpy(registers, m->registers, sizeof(registers));
	m->pc = pc;
	follow(m);
	memcpy(m->registers, registers, sizeof(registers));
	m->store_count = store_count;
	m->steps = steps;
	m->pc = here;
	m->bodies = bodies;
}

static uint64_t hash_of(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/*
 * Hashes all state that decides how the path continues, except its length
 * limits.
 */
static uint64_t hash_of_state(const struct machine *m)
{
	uint64_t hash = hash_of(m->pc, m->bodies);

	for (int i = 0; i < 16; i++)
		hash = hash_of(hash, m->registers[i]);
	for (uint32_t i = 0; i < m->store_count; i++) {
		hash = hash_of(hash, m->stores[i].at);
		hash = hash_of(hash, m->stores[i].value + m->stores[i].bytes);
	}
	return hash ? hash : 1;
}

/*
 * Returns whether an earlier path was here in the same state, so that this path
 * would continue like it.
 */
static int is_seen(struct machine *m)
{
	const uint64_t hash = hash_of_state(m);
	uint32_t i = (uint32_t)hash % SEEN_MAX;

	for (; m->seen[i]; i = (i + 1) % SEEN_MAX)
		if (m->seen[i] == hash)
			return 1;
	assert_true(++m->seen_count < SEEN_MAX / 2);
	m->seen[i] = hash;
	return 0;
}

static void branch(struct machine *m, struct cached *cached)
{
	const cs_insn *insn = cached->insn;
	const uint64_t target = (uint64_t)insn->detail->x86.operands[0].imm;
	const uint64_t next = insn->address + insn->size;

	if (insn->id == X86_INS_JE && m->compared != ANYTHING) {
		follow_to(m, m->compared == IS_EQUAL ? target : next);
		return;
	}
	if (cached->visits == VISITS_MAX || is_seen(m))
		return;
	cached->visits++;
	follow_to(m, target);
	follow_to(m, next);
	cached->visits--;
}

/* Frees the stack that displaced instructions have used. */
static void leave_frame(struct machine *m)
{
	for (;;) {
		const struct access *top = find_store(m, m->registers[RSP], 8);

		if (m->registers[RSP] > STACK ||
		    (top &&
		     (top->value == MODEL_CALLER || is_code(m, top->value) ||
		      top->value - MODEL_FUNCTION < FUNCTION_BYTES)))
			return;
		m->registers[RSP] += 8;
	}
}

/*
 * Runs the stub's function, which the path has reached: follows its return and,
 * for the first such call, also its tail call to the stub's entry, if there is
 * one.
 */
static void run_body(struct machine *m)
{
	if (m->bodies == BODIES_MAX)
		return;
	m->bodies++;
	leave_frame(m);
	if (m->bodies == 1 && m->entry)
		follow_to(m, m->entry);
	follow_to(m, pop(m));
}

static void follow(struct machine *m)
{
	while (m->pc != MODEL_CALLER) {
		struct cached *cached;
		const cs_insn *insn;

		if (!is_code(m, m->pc)) {
			run_body(m);
			return;
		}
		if (m->steps++ == STEPS_MAX)
			return; /* a path that never occurs */
		cached = decode(m, m->pc);
		insn = cached->insn;
		if (is_conditional(insn)) {
			branch(m, cached);
			return;
		}
		if (insn->id == X86_INS_CALL)
			call(m, insn);
		else if (insn->id == X86_INS_JMP)
			m->pc = read_operand(m, insn, 0);
		else if (insn->id == X86_INS_RET)
			m->pc = pop(m);
		else
			execute(m, insn);
	}
	m->paths++;
}

/* Lets Capstone allocate memory from libc. decode.c gives it none. */
static void open_capstone(csh *handle)
{
	cs_opt_mem memory = { malloc, calloc, realloc, free, vsnprintf };

	assert_int_equal(cs_option(0, CS_OPT_MEM, (size_t)&memory), 0);
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, handle), 0);
	assert_int_equal(cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON), 0);
}

uint32_t model_count_stalls(uint8_t *code, size_t bytes, size_t entry_at,
			    int may_tail_call)
{
	struct machine *m = &machine;

	memset(m, 0, sizeof(*m));
	m->code = code;
	m->code_bytes = bytes;
	open_capstone(&m->decoder);
	for (int i = 0; i < 16; i++)
		m->registers[i] = scramble((uint64_t)i + 1);
	m->registers[RSP] = STACK;
	m->pc = (uintptr_t)code + entry_at;
	if (may_tail_call)
		m->entry = m->pc;
	push(m, MODEL_CALLER);
	follow(m);
	for (int i = 0; i < INSNS_MAX; i++)
		if (m->cache[i].insn)
			cs_free(m->cache[i].insn, 1);
	cs_close(&m->decoder);
	assert_true(m->paths > 0);
	return m->stalls;
}
