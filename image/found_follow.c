/* SPDX-License-Identifier: MIT */
/*
 * See found_search.h. A function may be hooked if it is entered by calls and
 * uses its return address only to return. Without unwind information, the code
 * is followed from the start along every branch, with the height of the stack
 * at each instruction (disasm/stack). No instruction may access the slot of the
 * return address, every return must find the stack's initial height, and
 * heights must agree where two paths meet. An indirect jump is assumed to be a
 * switch: code after an end of flow later in the function is also followed,
 * with the jump's height.
 *
 * A target of a direct call, from such code or from known functions, is a
 * function: if it fails the test it is listed and refused. A target of only a
 * pointer, in code or data, or a marked target of indirect calls, may be a
 * label: it counts as a function only if it passes the test and begins where
 * other code ends.
 */
#include "image/found_search.h"

#include "disasm/function_code.h"
#include "image/entry_flags.h"
#include "image/idioms.h"
#include "image/pointers.h"
#include "wire/verdict.h"

#define UNKNOWN_WORDS INT16_MIN

void found_push_step(struct found_search *s, uint64_t vaddr, struct stack stack)
{
	struct step *step = found_pile_add(s, &s->steps, sizeof(*step));

	if (step)
		*step = (struct step){ vaddr, stack };
}

static int16_t words_of(int32_t bytes)
{
	if (bytes == STACK_UNKNOWN)
		return UNKNOWN_WORDS;
	return bytes % 8 == 0 && bytes / 8 <= INT16_MAX ? (int16_t)(bytes / 8)
							: -1;
}

static void refuse(struct found_search *s, enum verdict verdict)
{
	struct one *one = found_one_of(s, s->current);

	if (one->verdict == VERDICT_IS_UNKNOWN)
		one->verdict = (uint8_t)verdict;
}

/*
 * Returns whether this location is new and must be followed; refuses a function
 * whose heights disagree.
 */
static int claim(struct found_search *s, struct found_place *place,
		 const struct stack *stack)
{
	const int16_t height = words_of(stack->height);
	const int16_t frame = words_of(stack->frame);
	struct found_place **logged;

	if (place->owner != FOUND_NOBODY) {
		if (place->owner != s->current &&
		    found_one_of(s, place->owner)->verdict)
			refuse(s, VERDICT_IS_BLIND);
		if (place->height != height)
			refuse(s, VERDICT_IS_BLIND);
		return 0;
	}
	place->owner = s->current;
	place->height = height;
	place->frame = frame;
	logged = found_pile_add(s, &s->log, sizeof(void *));
	if (logged)
		*logged = place;
	if (height == -1)
		refuse(s, VERDICT_IS_BLIND);
	return height != -1;
}

/*
 * Handles a branch. If the stack has the height of an entry, the branch may be
 * a tail call, which concerns only the other function. Otherwise the branch
 * must lead to code that is no function's start.
 */
static void follow_branch(struct found_search *s, const struct insn *insn,
			  uint64_t target, struct stack stack)
{
	struct found_place *place = found_place_at(s, target);
	struct jump *jump;

	if (insn->kind == INSN_CALL ||
	    (stack.height == 0 && (!place || place->is_start)))
		return;
	if (place && insn->kind == INSN_JUMP && stack.height == 0) {
		jump = found_pile_add(s, &s->jumps, sizeof(*jump));
		if (jump)
			*jump = (struct jump){ s->current, target };
	}
	if (place && place->is_start) {
		place->is_midway = 1;
		if (target != found_one_of(s, s->current)->vaddr)
			refuse(s, VERDICT_IS_BLIND);
	} else if (place) {
		found_push_step(s, target, stack);
	} else {
		refuse(s, VERDICT_IS_BLIND);
	}
}

static void note_switch(struct found_search *s, const struct stack *stack)
{
	struct one *one = found_one_of(s, s->current);

	if (one->has_switch && one->at_switch.height != stack->height)
		refuse(s, VERDICT_IS_BLIND);
	one->has_switch = 1;
	one->at_switch = *stack;
}

static int note_label(void *context, uint64_t vaddr)
{
	struct found_search *s = context;
	struct found_place *place = found_place_at(s, vaddr);

	if (!place || s->entries_left == 0)
		return 0;
	s->entries_left--;
	place->is_label = 1;
	return 1;
}

/*
 * Reads the entries of a table that an instruction of the current function
 * uses.
 */
static void note_table(struct found_search *s, uint64_t vaddr)
{
	if (s->current)
		found_one_of(s, s->current)->has_table = 1;
	pointers_walk_addresses(s->image, vaddr, note_label, s);
}

void found_note_pointer(struct found_search *s, uint64_t vaddr)
{
	struct found_place *place = found_place_at(s, vaddr);

	if (place)
		place->is_pointed = 1;
}

/* Notes the address of a function, or of a table. */
static void note_address(struct found_search *s, uint64_t vaddr)
{
	found_note_pointer(s, vaddr);
	if (s->current && !found_place_at(s, vaddr))
		found_one_of(s, s->current)->has_table = 1;
}

/*
 * Notes the function that an instruction calls directly, the address that it
 * takes, or the entries of the table of addresses that it uses.
 */
void found_note_insn(struct found_search *s, const uint8_t *code,
		     const struct insn *insn, uint64_t next_vaddr)
{
	const Elf64_Ehdr *header = (const void *)s->image->bytes;
	uint64_t vaddr;

	if (insn->kind == INSN_CALL)
		found_add_function(
			s, next_vaddr + (uint64_t)(int64_t)insn->branch_bytes);
	else if (idioms_takes_address(code, insn, next_vaddr,
				      header->e_type == ET_EXEC, &vaddr))
		note_address(s, vaddr);
	else if (idioms_has_table(code, insn, &vaddr))
		note_table(s, vaddr);
}

/*
 * Padding and another function follow a call that does not return; padding
 * before a loop looks the same. Returns whether to postpone the step after a
 * call until all starts of functions are known.
 */
static int hold(struct found_search *s, const struct region *region,
		uint64_t at, const struct stack *stack)
{
	const uint64_t start = at;
	struct held *held;
	struct insn insn;

	while (at < region->end &&
	       found_is_padding(s, region->code + (at - region->vaddr),
				region->end - at, &insn))
		at += insn.length;
	if (at == region->end)
		return 1;
	if (at == start && at % FUNCTION_ALIGNMENT != 0)
		return 0;
	held = found_pile_add(s, &s->returns, sizeof(*held));
	if (held)
		*held = (struct held){ s->current, { at, *stack } };
	return 1;
}

/* Follows the flow from one step to its end. */
static void follow(struct found_search *s, struct step step)
{
	struct region *region = found_region_at(s, step.vaddr);
	struct stack stack = step.stack;
	uint64_t at = step.vaddr;
	struct insn insn;

	while (region && at < region->end && !s->err) {
		const uint8_t *code = region->code + (at - region->vaddr);
		struct found_place *place = &region->places[at - region->vaddr];
		enum stack_use use;

		if (place->is_start &&
		    at != found_one_of(s, s->current)->vaddr) {
			place->is_midway |= stack.height != 0;
			if (stack.height != 0)
				refuse(s, VERDICT_IS_BLIND);
			return; /* the flow continues into another function */
		}
		if (!claim(s, place, &stack))
			return;
		if (decode_scan(s->decoder, code, region->end - at, &insn)) {
			refuse(s, VERDICT_IS_UNDECODABLE);
			return;
		}
		at += insn.length;
		found_note_insn(s, code, &insn, at);
		use = stack_step(s->decoder, code, &insn, &stack);
		if (use != STACK_IS_KEPT) {
			refuse(s, use == STACK_IS_LOOKED_AT
					  ? VERDICT_IS_READS_RETURN_ADDRESS
					  : VERDICT_IS_BLIND);
			return;
		}
		if (insn.kind == INSN_JUMP_INDIRECT)
			note_switch(s, &stack);
		if (insn_is_direct_branch(&insn))
			follow_branch(s, &insn,
				      at + (uint64_t)(int64_t)insn.branch_bytes,
				      stack);
		if (insn_ends_flow(&insn) || insn.kind == INSN_TRAP ||
		    ((insn.kind == INSN_CALL ||
		      insn.kind == INSN_CALL_INDIRECT) &&
		     hold(s, region, at, &stack)))
			return;
	}
	refuse(s, VERDICT_IS_BLIND);
}

void found_follow_all(struct found_search *s)
{
	while (s->steps.count > 0 && !s->err) {
		struct step step =
			((struct step *)s->steps.items)[--s->steps.count];

		follow(s, step);
	}
}

/* Examines a function from its start. */
void found_examine(struct found_search *s, uint32_t number)
{
	struct one *one = found_one_of(s, number);
	struct found_place *place = found_place_at(s, one->vaddr);

	s->current = number;
	s->log.count = 0;
	/* called code inside another function */
	if (place->owner != FOUND_NOBODY) {
		one->verdict = found_one_of(s, place->owner)->verdict;
		if (place->height != 0)
			one->verdict = VERDICT_IS_BLIND;
		return;
	}
	if (entry_takes_flags(s->image, s->decoder, one->vaddr) ||
	    !place->is_boundary)
		refuse(s, VERDICT_IS_BLIND);
	found_push_step(s, one->vaddr,
			(struct stack){ .height = 0, .frame = STACK_UNKNOWN });
	found_follow_all(s);
}
