/* SPDX-License-Identifier: MIT */
/*
 * See prologue.h. The verdict is found by decoding whole instructions from the
 * patch site until they cover the bytes to be written. Each instruction must be
 * one that relocate() can move; all others are refused.
 */
#include "disasm/prologue.h"

#include "disasm/movable.h"

static struct prologue refuse(enum verdict verdict)
{
	return (struct prologue){ .verdict = verdict };
}

/*
 * Returns whether [from, to) has only padding: linkers and compilers use nops,
 * int3 and zeros. A long nop may extend past `to`.
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

/* The bytes to be written, and the patch site. */
struct patch_span {
	/* The verdict if the patch fits into the function. */
	enum verdict inside;
	/* The verdict if the patch extends into padding. */
	enum verdict over_end;
	size_t start;
	size_t bytes;
};

/* Returns whether a branch targets a patched byte other than the first. */
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
 * Handles a return or jump at `end`, before the patch is covered. The bytes
 * after it are padding, or code that a branch enters, whether it was found or
 * not.
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

/*
 * Returns VERDICT_IS_UNKNOWN, or the verdict if the instruction at `at` cannot
 * be read.
 */
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

/*
 * Finds the patch site, after the endbr64 if there is one. Returns
 * VERDICT_IS_UNKNOWN, or the obstacle.
 */
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
 * Returns the length of as many instructions as leave at least one byte of the
 * rel32 unchanged: each further byte gives 256 times as many targets of the
 * jump.
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
