/* SPDX-License-Identifier: MIT */
/*
 * See tiers.h. Tiers are assigned in rounds, the best first: all functions that
 * can have a 5-byte jump get one, then the rest are tried with a 2-byte jump,
 * and so on. Every byte that a tier writes, or needs unchanged, is taken; a
 * tier cannot use a byte that is taken.
 */
#include "image/tiers.h"

#include "disasm/jumps.h"
#include "disasm/prologue.h"
#include "image/islands.h"

struct choice {
	const struct tiers *tiers;
	struct wire_function *list;
	struct marks taken;
};

typedef struct prologue (*judgement)(const struct decoder *decoder,
				     const struct prologue_query *query);

/*
 * Returns the number of bytes between the end of a function and the next
 * function, or the end of the segment. `left` is the number of bytes from the
 * function's start to the end of the segment.
 */
static uint64_t padding_behind(const struct functions *functions,
			       uint32_t index, uint64_t left)
{
	const struct function *function = &functions->list[index];
	uint64_t past = left - function->size;
	uint64_t gap;

	if (index + 1 == functions->count)
		return past;
	gap = function[1].vaddr - function->vaddr;
	gap = gap > function->size ? gap - function->size : 0;
	return gap < past ? gap : past;
}

static struct prologue judged(const struct choice *c, uint32_t index,
			      judgement judge)
{
	const struct function *function = &c->tiers->functions->list[index];
	struct prologue_query query = { .size_bytes = function->size };
	uint64_t left = 0;

	query.code = image_at(c->tiers->image, function->vaddr, &left);
	query.padding_bytes = padding_behind(c->tiers->functions, index, left);
	query.targets =
		marks_from(&c->tiers->branches->targets, function->vaddr);
	return judge(c->tiers->decoder, &query);
}

/*
 * Returns whether a function without an FDE has a jump to one of its own bytes
 * from the first to the patched one. Without unwind information it is not
 * certain that the stack pointer is then the same as directly after a call.
 */
static int loops_blindly(const struct choice *c, uint32_t index,
			 const struct prologue *prologue)
{
	uint32_t up_to_site = (UINT32_C(2) << prologue->patch_offset) - 1;

	return !c->tiers->functions->list[index].has_fde &&
	       (c->tiers->branches->notes[index].loops & up_to_site) != 0;
}

static int is_free(const struct choice *c, uint64_t vaddr, unsigned int bytes)
{
	return !(marks_from(&c->taken, vaddr) & ((UINT32_C(1) << bytes) - 1));
}

static void take(struct choice *c, uint64_t vaddr, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		marks_set(&c->taken, vaddr + i);
}

static void accept(struct choice *c, uint32_t index,
		   const struct prologue *prologue, int8_t island,
		   unsigned int bytes)
{
	struct wire_function *function = &c->list[index];

	function->verdict = (uint8_t)prologue->verdict;
	function->patch_offset = prologue->patch_offset;
	function->displaced = prologue->displaced_bytes;
	function->island = island;
	take(c, function->vaddr + prologue->patch_offset, bytes);
}

/*
 * Tries a 5-byte jump. Only this round stores why a function cannot have its
 * tier.
 */
static void try_jump(struct choice *c, uint32_t index)
{
	struct prologue prologue = judged(c, index, prologue_judge);

	if (verdict_class(prologue.verdict) != VERDICT_HOOKED)
		c->list[index].verdict = (uint8_t)prologue.verdict;
	else if (loops_blindly(c, index, &prologue))
		c->list[index].verdict = VERDICT_IS_BRANCH_INTO;
	else
		accept(c, index, &prologue, 0, PATCH_BYTES);
}

/* Tries a jump to a probe, for a function that is not hooked. */
static void try_watch(struct choice *c, uint32_t index)
{
	struct prologue prologue = judged(c, index, prologue_judge);

	if (prologue.verdict != VERDICT_IS_JUMP ||
	    loops_blindly(c, index, &prologue)) {
		c->list[index].verdict = VERDICT_IS_UNWINDER;
		return;
	}
	prologue.verdict = VERDICT_IS_RAISES;
	accept(c, index, &prologue, 0, PATCH_BYTES);
}

static void try_short(struct choice *c, uint32_t index)
{
	struct prologue prologue = judged(c, index, prologue_judge_short);
	uint64_t site = c->list[index].vaddr + prologue.patch_offset;
	struct islands islands = {
		.image = c->tiers->image,
		.decoder = c->tiers->decoder,
		.functions = c->tiers->functions,
		.branches = c->tiers->branches,
		.taken = &c->taken,
	};
	int8_t island;

	if (verdict_class(prologue.verdict) != VERDICT_HOOKED ||
	    loops_blindly(c, index, &prologue) ||
	    !is_free(c, site, PATCH_SHORT_BYTES))
		return;
	island = islands_find(&islands, index, site);
	if (!island)
		return;
	accept(c, index, &prologue, island, PATCH_SHORT_BYTES);
	take(c, site + PATCH_SHORT_BYTES + (uint64_t)(int64_t)island,
	     PATCH_BYTES);
}

/*
 * Returns the displacement from a 2-byte jump to the bytes after another
 * function's 5-byte jump, or 0.
 */
static int8_t island_in(const struct choice *c, uint32_t host, uint64_t site)
{
	const struct wire_function *function = &c->list[host];
	uint64_t island =
		function->vaddr + function->patch_offset + PATCH_BYTES;
	int64_t rel = (int64_t)(island - site - PATCH_SHORT_BYTES);

	if (function->verdict != VERDICT_IS_JUMP || rel != (int8_t)rel ||
	    !is_free(c, island, PATCH_BYTES) ||
	    judged(c, host, prologue_judge_host).verdict != VERDICT_IS_JUMP)
		return 0;
	return (int8_t)rel;
}

/*
 * upper bound of the offset in a function at which another one's island begins
 */
#define FIRST_BYTES 16

/*
 * Finds a function whose first bytes have room for its own 5-byte jump and a
 * second one, for function `index` with a 2-byte jump at `site`. Returns the
 * displacement of the 2-byte jump, or 0 if there is no such function in reach;
 * *host is the found function's index.
 */
static int8_t find_host(const struct choice *c, uint32_t index, uint64_t site,
			uint32_t *host)
{
	int8_t rel = 0;

	*host = index;
	while (*host > 0 &&
	       c->list[*host - 1].vaddr + FIRST_BYTES + INT8_MAX > site)
		--*host;
	for (; *host < c->tiers->functions->count && !rel; ++*host) {
		if (c->list[*host].vaddr > site + INT8_MAX)
			break;
		rel = island_in(c, *host, site);
	}
	--*host;
	return rel;
}

/*
 * Tries a 2-byte jump to the bytes of another function. Dense code (gcc -Os)
 * has no padding. But if the first ten bytes of another function can be
 * displaced, that function's jump leaves five of them free.
 */
static void try_guest(struct choice *c, uint32_t index)
{
	struct prologue prologue = judged(c, index, prologue_judge_short);
	uint64_t site = c->list[index].vaddr + prologue.patch_offset;
	uint32_t host;
	int8_t island;

	if (verdict_class(prologue.verdict) != VERDICT_HOOKED ||
	    loops_blindly(c, index, &prologue) ||
	    !is_free(c, site, PATCH_SHORT_BYTES))
		return;
	island = find_host(c, index, site, &host);
	if (!island)
		return;
	accept(c, index, &prologue, island, PATCH_SHORT_BYTES);
	prologue = judged(c, host, prologue_judge_host);
	c->list[host].displaced = prologue.displaced_bytes;
	take(c, c->list[host].vaddr + prologue.patch_offset, 2 * PATCH_BYTES);
}

/* Returns the bounds of the module's segments. */
static void module_range(const struct image *image, uint64_t *start,
			 uint64_t *end)
{
	*start = UINT64_MAX;
	*end = 0;
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_vaddr < *start)
			*start = segment->p_vaddr;
		if (segment->p_vaddr + segment->p_memsz > *end)
			*end = segment->p_vaddr + segment->p_memsz;
	}
}

/*
 * By default (vm.mmap_min_addr), no process can map memory below this address.
 */
#define LOWEST_PC 65536

static int is_below_memory(const struct image *image, int64_t vaddr)
{
	const Elf64_Ehdr *header = (const void *)image->bytes;

	return header->e_type == ET_EXEC && vaddr < LOWEST_PC;
}

/*
 * Returns whether the jump can lead outside the module. The bytes of its
 * displacement that are not displaced stay, so it ends in one block of 256, 64
 * Ki or 16 Mi addresses.
 */
static int leads_out(const struct choice *c, uint64_t site,
		     unsigned int displaced_bytes)
{
	const uint8_t *code = image_at(c->tiers->image, site, NULL);
	uint64_t first;
	uint64_t last;
	uint64_t start;
	uint64_t end;

	jump_reach(code, displaced_bytes, site, &first, &last);
	module_range(c->tiers->image, &start, &end);
	return !is_below_memory(c->tiers->image, (int64_t)last) &&
	       ((int64_t)first < (int64_t)start || last >= end);
}

/* Returns whether a further tier may be tried. */
static int is_left(const struct wire_function *function)
{
	return function->verdict == VERDICT_IS_TOO_SHORT ||
	       function->verdict == VERDICT_IS_BRANCH_INTO ||
	       function->verdict == VERDICT_IS_UNMOVABLE;
}

/*
 * Returns whether the next function starts before `end` and may still need its
 * bytes.
 */
static int next_is_left(const struct choice *c, uint32_t index, uint64_t end)
{
	return index + 1 < c->tiers->functions->count &&
	       c->list[index + 1].vaddr < end && is_left(&c->list[index + 1]);
}

static void try_punned(struct choice *c, uint32_t index)
{
	struct prologue prologue = judged(c, index, prologue_judge_punned);
	uint64_t site = c->list[index].vaddr + prologue.patch_offset;
	uint64_t left = 0;

	if (verdict_class(prologue.verdict) != VERDICT_HOOKED ||
	    loops_blindly(c, index, &prologue) ||
	    !image_at(c->tiers->image, site, &left) || left < PATCH_BYTES ||
	    !is_free(c, site, PATCH_BYTES) ||
	    next_is_left(c, index, site + PATCH_BYTES) ||
	    !leads_out(c, site, prologue.displaced_bytes))
		return;
	accept(c, index, &prologue, 0, PATCH_BYTES);
}

static void try_trap(struct choice *c, uint32_t index)
{
	struct prologue prologue = judged(c, index, prologue_judge_trap);
	uint64_t site = c->list[index].vaddr + prologue.patch_offset;

	if (verdict_class(prologue.verdict) == VERDICT_HOOKED &&
	    !loops_blindly(c, index, &prologue) && is_free(c, site, 1))
		accept(c, index, &prologue, 0, 1);
}

/*
 * Tries a breakpoint. If part of a function cannot be decoded, its branches are
 * unknown. But no branch leads into an instruction, and a breakpoint has a
 * single byte.
 */
static void try_unclear(struct choice *c, uint32_t index)
{
	if (c->list[index].verdict == VERDICT_IS_UNDECODABLE &&
	    c->tiers->functions->list[index].has_fde)
		try_trap(c, index);
}

int tiers_choose(const struct tiers *tiers, struct arena *scratch,
		 struct wire_function *list)
{
	static void (*const lesser[])(struct choice *, uint32_t) = {
		try_short,
		try_guest,
		try_punned,
		try_trap,
	};
	const struct marks *targets = &tiers->branches->targets;
	struct choice c = { .tiers = tiers, .list = list };
	uint32_t count = tiers->functions->count;
	size_t rounds = sizeof(lesser) / sizeof(lesser[0]);

	if (marks_init(&c.taken, scratch, targets->vaddr_start,
		       targets->vaddr_end))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (list[i].verdict == VERDICT_IS_UNKNOWN)
			try_jump(&c, i);
		else if (list[i].verdict == VERDICT_IS_RAISES)
			try_watch(&c, i);
	for (size_t round = 0; round < rounds - !tiers->has_traps; round++)
		for (uint32_t i = 0; i < count; i++)
			if (is_left(&list[i]))
				lesser[round](&c, i);
	for (uint32_t i = 0; i < count && tiers->has_traps; i++)
		try_unclear(&c, i);
	return 0;
}
