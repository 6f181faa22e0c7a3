/* SPDX-License-Identifier: MIT */
/*
 * The verdict is given by walking whole instructions from the patch site until
 * they cover the jump. Every step must prove itself harmless; whatever is not
 * on the list of what relocate() handles is refused.
 */
#include "disasm/prologue.h"

#include "disasm/movable_x86_64.h"

#define ENDBR_BYTES 4

static struct prologue refuse(enum verdict verdict)
{
	return (struct prologue){ .verdict = verdict };
}

/*
 * Whether nothing but padding lies in [from, to): linkers and compilers fill
 * with nops, int3 and zeros. A long nop may reach past `to`.
 */
static int is_padding(const struct decoder *decoder,
		      const struct prologue_query *query, size_t from,
		      size_t to)
{
	size_t end = query->size_bytes + query->padding_bytes;
	struct insn insn;

	if (to > end)
		return 0;
	while (from < to) {
		if (query->code[from] == 0x00) {
			from++;
			continue;
		}
		if (decode_scan(decoder, query->code + from, end - from, &insn))
			return 0;
		if (insn.kind != INSN_NOP && insn.kind != INSN_TRAP)
			return 0;
		from += insn.length;
	}
	return 1;
}

/*
 * Of the patched bytes only the first may be entered, and that by others only:
 * a loop back to the entry would be counted as a call each time round.
 */
static int is_entered(const struct prologue_query *query, size_t patch_offset)
{
	uint32_t up_to_site = (UINT32_C(2) << patch_offset) - 1;

	return (query->targets >> patch_offset & 0x1e) != 0 ||
	       (query->loops & up_to_site) != 0;
}

static struct prologue accept(const struct prologue_query *query, size_t start,
			      size_t end)
{
	int inside = start + PATCH_BYTES <= query->size_bytes;

	if (is_entered(query, start))
		return refuse(VERDICT_IS_BRANCH_INTO);
	return (struct prologue){
		.verdict = inside ? VERDICT_IS_JUMP : VERDICT_IS_JUMP_PADDED,
		.patch_offset = (uint8_t)start,
		.displaced_bytes = (uint8_t)(end - start),
	};
}

/*
 * The flow has ended at `end`, before the jump is covered. What follows is
 * either padding or entered by a branch, seen or not.
 */
static struct prologue judge_early_end(const struct decoder *decoder,
				       const struct prologue_query *query,
				       size_t start, size_t end)
{
	size_t patch_end = start + PATCH_BYTES;

	if (is_padding(decoder, query, end, patch_end))
		return accept(query, start, end);
	if (patch_end > query->size_bytes)
		return refuse(VERDICT_IS_TOO_SHORT);
	return refuse(VERDICT_IS_BRANCH_INTO);
}

static struct prologue judge_from(const struct decoder *decoder,
				  const struct prologue_query *query,
				  size_t start)
{
	size_t at = start;
	struct insn insn;

	while (at < start + PATCH_BYTES) {
		const uint8_t *code = query->code + at;

		if (at >= query->size_bytes)
			return refuse(VERDICT_IS_TOO_SHORT);
		if (decode_operands(decoder, code, query->size_bytes - at,
				    &insn))
			return refuse(VERDICT_IS_UNDECODABLE);
		at += insn.length;
		if (!insn_is_movable(&insn, code, at >= start + PATCH_BYTES))
			return refuse(VERDICT_IS_UNMOVABLE);
		if (insn_ends_flow(&insn) && at < start + PATCH_BYTES)
			return judge_early_end(decoder, query, start, at);
	}
	return accept(query, start, at);
}

struct prologue prologue_judge(const struct decoder *decoder,
			       const struct prologue_query *query)
{
	struct insn first;

	if (query->size_bytes == 0)
		return refuse(VERDICT_IS_TOO_SHORT);
	if (decode_scan(decoder, query->code, query->size_bytes, &first))
		return refuse(VERDICT_IS_UNDECODABLE);
	return judge_from(decoder, query,
			  first.kind == INSN_ENDBR ? ENDBR_BYTES : 0);
}
