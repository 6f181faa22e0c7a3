/* SPDX-License-Identifier: MIT */
/*
 * The verdict is given by walking whole instructions from the patch site until
 * they cover what is written there. Every step must prove itself harmless;
 * whatever is not on the list of what relocate() handles is refused.
 */
#include "disasm/prologue.h"

#include "disasm/movable.h"

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

/* What is written at the patch site, and where that is. */
struct patch_span {
	enum verdict inside;   /* the verdict if it fits in the function */
	enum verdict over_end; /* ... if it takes of the padding */
	size_t start;
	size_t bytes;
};

/* Of the patched bytes only the first may be entered. */
static int is_entered(const struct prologue_query *query, size_t start,
		      size_t bytes)
{
	uint32_t behind_first = (UINT32_C(1) << bytes) - 2;

	return (query->targets >> start & behind_first) != 0;
}

static struct prologue accept(const struct prologue_query *query,
			      const struct patch_span *patch, size_t end)
{
	int inside = patch->start + patch->bytes <= query->size_bytes;

	if (is_entered(query, patch->start, patch->bytes))
		return refuse(VERDICT_IS_BRANCH_INTO);
	return (struct prologue){
		.verdict = inside ? patch->inside : patch->over_end,
		.patch_offset = (uint8_t)patch->start,
		.displaced_bytes = (uint8_t)(end - patch->start),
	};
}

/*
 * The flow has ended at `end`, before the patch is covered. What follows is
 * either padding or entered by a branch, seen or not.
 */
static struct prologue judge_early_end(const struct decoder *decoder,
				       const struct prologue_query *query,
				       const struct patch_span *patch,
				       size_t end)
{
	size_t patch_end = patch->start + patch->bytes;

	if (is_padding(decoder, query, end, patch_end))
		return accept(query, patch, end);
	if (patch_end > query->size_bytes)
		return refuse(VERDICT_IS_TOO_SHORT);
	return refuse(VERDICT_IS_BRANCH_INTO);
}

/* UNKNOWN, or the verdict that stands against the instruction at `at`. */
static enum verdict read_insn(const struct decoder *decoder,
			      const struct prologue_query *query, size_t at,
			      struct insn *insn)
{
	if (at >= query->size_bytes)
		return VERDICT_IS_TOO_SHORT;
	if (decode_operands(decoder, query->code + at, query->size_bytes - at,
			    insn))
		return VERDICT_IS_UNDECODABLE;
	return VERDICT_IS_UNKNOWN;
}

static struct prologue judge(const struct decoder *decoder,
			     const struct prologue_query *query,
			     const struct patch_span *patch)
{
	size_t patch_end = patch->start + patch->bytes;
	size_t at = patch->start;
	struct insn insn;

	while (at < patch_end) {
		const uint8_t *code = query->code + at;
		enum verdict obstacle = read_insn(decoder, query, at, &insn);

		if (obstacle)
			return refuse(obstacle);
		at += insn.length;
		if (!insn_is_movable(&insn, code, at >= patch_end))
			return refuse(VERDICT_IS_UNMOVABLE);
		if (insn_ends_flow(&insn) && at < patch_end)
			return judge_early_end(decoder, query, patch, at);
	}
	return accept(query, patch, at);
}

/* Behind the endbr64, or at once: UNKNOWN and *start, or what is against it. */
static enum verdict find_site(const struct decoder *decoder,
			      const struct prologue_query *query, size_t *start)
{
	struct insn first;
	enum verdict obstacle = read_insn(decoder, query, 0, &first);

	if (!obstacle)
		*start = first.kind == INSN_ENDBR ? first.length : 0;
	return obstacle;
}

static struct prologue judge_from_start(const struct decoder *decoder,
					const struct prologue_query *query,
					struct patch_span patch)
{
	enum verdict obstacle = find_site(decoder, query, &patch.start);

	return obstacle ? refuse(obstacle) : judge(decoder, query, &patch);
}

struct prologue prologue_judge(const struct decoder *decoder,
			       const struct prologue_query *query)
{
	struct patch_span patch = {
		.inside = VERDICT_IS_JUMP,
		.over_end = VERDICT_IS_JUMP_PADDED,
		.bytes = PATCH_BYTES,
	};

	return judge_from_start(decoder, query, patch);
}

struct prologue prologue_judge_short(const struct decoder *decoder,
				     const struct prologue_query *query)
{
	struct patch_span patch = {
		.inside = VERDICT_IS_JUMP_SHORT,
		.over_end = VERDICT_IS_JUMP_SHORT,
		.bytes = PATCH_SHORT_BYTES,
	};

	return judge_from_start(decoder, query, patch);
}

struct prologue prologue_judge_host(const struct decoder *decoder,
				    const struct prologue_query *query)
{
	struct patch_span patch = {
		.inside = VERDICT_IS_JUMP,
		.over_end = VERDICT_IS_TOO_SHORT,
		.bytes = 2 * PATCH_BYTES,
	};

	return judge_from_start(decoder, query, patch);
}

struct prologue prologue_judge_trap(const struct decoder *decoder,
				    const struct prologue_query *query)
{
	struct patch_span patch = { .inside = VERDICT_IS_TRAP,
				    .bytes = PATCH_TRAP_BYTES };

	return judge_from_start(decoder, query, patch);
}

/*
 * As many instructions as leave at least a byte of the rel32 alone, for every
 * byte more is 256 times the choice of where the jump may lead.
 */
static size_t punned_bytes(const struct decoder *decoder,
			   const struct prologue_query *query, size_t start)
{
	size_t at = start;
	struct insn insn;

	while (!read_insn(decoder, query, at, &insn)) {
		if (at + insn.length >= start + PATCH_BYTES ||
		    !insn_is_movable(&insn, query->code + at, 1))
			break;
		at += insn.length;
		if (insn_ends_flow(&insn) || insn.kind == INSN_CALL ||
		    insn.kind == INSN_CALL_INDIRECT || query->targets >> at & 1)
			break;
	}
	return at - start;
}

struct prologue prologue_judge_punned(const struct decoder *decoder,
				      const struct prologue_query *query)
{
	size_t start;
	size_t bytes;
	enum verdict obstacle = find_site(decoder, query, &start);

	if (obstacle)
		return refuse(obstacle);
	bytes = punned_bytes(decoder, query, start);
	if (bytes < 2)
		return refuse(VERDICT_IS_TOO_SHORT);
	if (is_entered(query, start, bytes))
		return refuse(VERDICT_IS_BRANCH_INTO);
	return (struct prologue){
		.verdict = VERDICT_IS_JUMP_PUNNED,
		.patch_offset = (uint8_t)start,
		.displaced_bytes = (uint8_t)bytes,
	};
}
