/* SPDX-License-Identifier: MIT */
/* See uninitialized.h. */
#include <string.h>

#include "classfile/bytecode.h"
#include "classfile/stack_effect.h"
#include "classfile/uninitialized.h"

#define STATES_MAX_BYTES (1 << 20) /* maximum size of all stored states */
/* maximum number of instructions and handlers that are followed */
#define STEPS_MAX (1 << 22)

enum slot { ANYTHING, THE_OBJECT };

/* The contents of slots: local variables, then the stack. */
struct init_state {
	struct init_state *next;
	uint32_t at, depth;
	uint8_t slots[];
};

struct init_flow {
	const struct method_code *code;
	const struct class_pool *pool;
	const struct classfile_caller *caller;
	uint8_t *marks, *seen;
	struct init_state *pending;
	struct init_state *now;
	uint8_t *stack; /* the stack of `now` */
	size_t kept_bytes, steps;
};

enum init_step { STEP_ON, STEP_ENDS, STEP_FAILS };

/* ---- States ---- */

static int keep(struct init_flow *flow, uint32_t at, uint32_t depth)
{
	const size_t slots = flow->code->max_locals + (size_t)depth;
	const size_t bytes = sizeof(struct init_state) + slots;
	struct init_state *state;

	if (flow->seen[at])
		return 1;
	flow->kept_bytes += bytes;
	if (flow->kept_bytes > STATES_MAX_BYTES)
		return 0;
	state = flow->caller->memory(flow->caller->context, bytes);
	if (!state)
		return 0;
	flow->seen[at] = 1;
	state->next = flow->pending;
	state->at = at;
	state->depth = depth;
	memcpy(state->slots, flow->now->slots, slots);
	flow->pending = state;
	return 1;
}

static int keep_target(struct init_flow *flow, int64_t target)
{
	if (method_code_at(flow->code, target) == NO_PLACE)
		return 0;
	return keep(flow, (uint32_t)target, flow->now->depth);
}

/*
 * Stores the states of an instruction's handlers, which have an exception on
 * the stack.
 */
static int keep_handlers(struct init_flow *flow, uint32_t at)
{
	const struct method_code *code = flow->code;
	struct class_input input = { code->exceptions,
				     code->exceptions +
					     8 * (size_t)code->exception_count,
				     0 };
	const uint8_t below = flow->stack[0];

	flow->steps += code->exception_count;
	for (uint32_t i = 0; i < code->exception_count; i++) {
		const uint32_t start = input_u2(&input);
		const uint32_t end = input_u2(&input);
		const uint32_t handler = input_u2(&input);
		int is_kept;

		input_u2(&input);
		if (at < start || at >= end)
			continue;
		if (method_code_at(code, handler) == NO_PLACE ||
		    code->max_stack == 0)
			return 0;
		flow->stack[0] = ANYTHING;
		is_kept = keep(flow, handler, 1);
		flow->stack[0] = below;
		if (!is_kept)
			return 0;
	}
	return 1;
}

/* ---- Instructions ---- */

static enum init_step pop_and_push(struct init_flow *flow, uint32_t pops,
				   uint32_t pushes)
{
	uint32_t *depth = &flow->now->depth;

	if (*depth < pops || *depth - pops + pushes > flow->code->max_stack)
		return STEP_FAILS;
	*depth -= pops;
	memset(flow->stack + *depth, ANYTHING, pushes);
	*depth += pushes;
	return STEP_ON;
}

static enum init_step load(struct init_flow *flow, uint32_t local)
{
	if (local >= flow->code->max_locals ||
	    pop_and_push(flow, 0, 1) == STEP_FAILS)
		return STEP_FAILS;
	flow->stack[flow->now->depth - 1] = flow->now->slots[local];
	return STEP_ON;
}

static enum init_step store(struct init_flow *flow, uint32_t local,
			    uint32_t slots)
{
	const uint32_t depth = flow->now->depth;

	if (local + slots > flow->code->max_locals || depth < slots)
		return STEP_FAILS;
	memcpy(flow->now->slots + local, flow->stack + depth - slots, slots);
	flow->now->depth -= slots;
	return STEP_ON;
}

static enum init_step store_insn(struct init_flow *flow,
				 const struct bytecode *insn)
{
	const uint8_t opcode = insn->opcode;
	const int is_short = opcode >= OP_ISTORE_0;
	/* The kind of istore or a similar instruction. */
	const uint32_t kind = is_short ? (opcode - OP_ISTORE_0) / 4U
				       : (uint32_t)opcode - OP_ISTORE;
	const uint32_t local =
		is_short ? (opcode - OP_ISTORE_0) % 4U : bytecode_local(insn);

	return store(flow, local,
		     kind == OP_LSTORE - OP_ISTORE ||
				     kind == OP_DSTORE - OP_ISTORE
			     ? 2
			     : 1);
}

/* Copies the top slots and inserts the copies below them and some others. */
static enum init_step duplicate(struct init_flow *flow, uint32_t copied,
				uint32_t others)
{
	uint32_t *depth = &flow->now->depth;
	uint8_t *lowest;

	if (*depth < copied + others || *depth + copied > flow->code->max_stack)
		return STEP_FAILS;
	lowest = flow->stack + *depth - copied - others;
	memmove(lowest + copied, lowest, copied + others);
	memcpy(lowest, flow->stack + *depth, copied);
	*depth += copied;
	return STEP_ON;
}

static enum init_step swap(struct init_flow *flow)
{
	const uint32_t depth = flow->now->depth;
	uint8_t upper;

	if (depth < 2)
		return STEP_FAILS;
	upper = flow->stack[depth - 1];
	flow->stack[depth - 1] = flow->stack[depth - 2];
	flow->stack[depth - 2] = upper;
	return STEP_ON;
}

static enum init_step call(struct init_flow *flow, const struct bytecode *insn)
{
	struct classfile_name name, descriptor;
	uint32_t pops, pushes;

	if (!stack_effect(flow->pool, insn, &pops, &pushes) ||
	    !pool_member(flow->pool, bytecode_u2(insn), &name, &descriptor) ||
	    pops > flow->now->depth)
		return STEP_FAILS;
	if (insn->opcode == OP_INVOKESPECIAL && name_is(&name, "<init>") &&
	    flow->stack[flow->now->depth - pops] == THE_OBJECT) {
		flow->marks[insn->at] = INITIALIZES;
		return STEP_ENDS;
	}
	return pop_and_push(flow, pops, pushes);
}

static enum init_step step(struct init_flow *flow, const struct bytecode *insn)
{
	const uint8_t opcode = insn->opcode;
	uint32_t pops, pushes;

	if (opcode == OP_ALOAD)
		return load(flow, bytecode_local(insn));
	if (opcode >= OP_ALOAD_0 && opcode <= OP_ALOAD_3)
		return load(flow, opcode - OP_ALOAD_0);
	if (opcode >= OP_ISTORE && opcode <= OP_ASTORE_3)
		return store_insn(flow, insn);
	if (opcode >= OP_INVOKEVIRTUAL && opcode <= OP_INVOKEDYNAMIC)
		return call(flow, insn);
	if (opcode >= OP_DUP && opcode < OP_DUP2)
		return duplicate(flow, 1, opcode - OP_DUP);
	if (opcode >= OP_DUP2 && opcode < OP_SWAP)
		return duplicate(flow, 2, opcode - OP_DUP2);
	if (opcode == OP_SWAP)
		return swap(flow);
	if (bytecode_is_return(insn) ||
	    !stack_effect(flow->pool, insn, &pops, &pushes))
		return STEP_FAILS;
	return pop_and_push(flow, pops, pushes);
}

/* Follows one instruction; *bytes is its length. */
static enum init_step follow_insn(struct init_flow *flow, uint32_t at,
				  uint32_t *bytes)
{
	const struct method_code *code = flow->code;
	struct bytecode insn;
	enum init_step how;

	flow->marks[at] = UNINITIALIZED;
	if (++flow->steps > STEPS_MAX || !keep_handlers(flow, at) ||
	    !bytecode_read(code->bytes, code->length, at, &insn))
		return STEP_FAILS;
	how = step(flow, &insn);
	if (how != STEP_ON)
		return how;
	for (uint32_t i = 0; i < insn.target_count; i++)
		if (!keep_target(flow, bytecode_target(&insn, i)))
			return STEP_FAILS;
	*bytes = insn.length;
	return bytecode_ends(&insn) ? STEP_ENDS : STEP_ON;
}

/* Follows instructions from `at` on, up to known ones. */
static int follow(struct init_flow *flow, uint32_t at)
{
	uint32_t bytes = 0;

	for (;;) {
		const enum init_step how = follow_insn(flow, at, &bytes);

		if (how != STEP_ON)
			return how == STEP_ENDS;
		at += bytes;
		if (at >= flow->code->length)
			return 0;
		if (flow->seen[at])
			return 1;
		flow->seen[at] = 1;
	}
}

enum classfile_refusal uninitialized_find(const struct method_code *code,
					  const struct class_pool *pool,
					  const struct classfile_caller *caller,
					  uint8_t *marks, uint8_t *seen)
{
	/* One more slot than the stack has, for a handler's exception. */
	const size_t slots = code->max_locals + (size_t)code->max_stack + 1;
	struct init_flow flow = { .code = code,
				  .pool = pool,
				  .caller = caller,
				  .marks = marks,
				  .seen = seen };

	flow.now = caller->memory(caller->context, sizeof(*flow.now) + slots);
	if (!flow.now)
		return CLASSFILE_NO_MEMORY;
	memset(flow.now, 0, sizeof(*flow.now) + slots);
	flow.stack = flow.now->slots + code->max_locals;
	if (code->max_locals == 0)
		return CLASSFILE_CODE_MALFORMED;
	flow.now->slots[0] = THE_OBJECT;
	if (!keep(&flow, 0, 0))
		return CLASSFILE_NO_MEMORY;
	while (flow.pending) {
		const struct init_state *state = flow.pending;

		flow.pending = state->next;
		flow.now->depth = state->depth;
		memcpy(flow.now->slots, state->slots,
		       code->max_locals + (size_t)state->depth);
		if (!follow(&flow, state->at))
			return CLASSFILE_CONSTRUCTOR;
	}
	return CLASSFILE_DONE;
}
