/* SPDX-License-Identifier: MIT */
/*
 * See probe_site.h. A function is decoded from its start, so the first bytes of
 * instructions are known up to the first undecodable byte. After an end of
 * flow, such as a return, only targets of branches are taken for code.
 *
 * The branches are those of the whole module (branches.h). The targets of
 * register jumps are known for a compiler's switch, but not for hand-written
 * code. In a function with such a jump, or with one in a cold part, a jump is
 * written over one instruction only.
 */
#include "image/probe_site.h"

#include "disasm/movable.h"
#include "disasm/prologue.h"
#include "image/code_ranges.h"
#include "image/dynamic.h"

/* A function, with the properties that matter to each of its instructions. */
struct probed_function {
	const struct probe_map *map;
	const struct function *function;
	const uint8_t *code;
	uint64_t bytes;
	uint64_t padding_bytes;
	int is_blind; /* whether some byte of the function cannot be decoded */
	/* whether some targets of the function's jumps are unknown */
	int is_computed;
};

int probe_map_init(struct probe_map *map, const struct inquiry *inquiry,
		   struct arena *arena)
{
	uint64_t start, end;

	image_text_range(inquiry->image, &start, &end);
	map->inquiry = inquiry;
	map->has_traps = !dynamic_is_libc(inquiry->image);
	return marks_init(&map->taken, arena, start, end);
}

/* ---- Properties of a whole function ---- */

static int jumps_anywhere(const struct decoder *decoder, const uint8_t *code,
			  uint64_t left)
{
	struct insn insn;

	/*
	 * A jump through memory relative to rip: a pointer to another function.
	 */
	return decode_operands(decoder, code, left, &insn) ||
	       insn.kind != INSN_JUMP_INDIRECT || !insn.rip_disp_at;
}

/*
 * Returns whether some targets of the function's jumps are unknown: of a jump
 * through a register or a table, or because a byte cannot be decoded. In the
 * latter case sets *is_blind.
 */
static int is_computed(const struct inquiry *q, const struct function *function,
		       int *is_blind)
{
	uint64_t left = 0, at = 0;
	const uint8_t *code = image_at(q->image, function->vaddr, &left);
	struct insn insn;

	if (!code || left < function->size) {
		*is_blind = 1;
		return 1;
	}
	while (at < function->size) {
		left = function->size - at;
		if (decode_scan(&q->decoder, code + at, left, &insn)) {
			*is_blind = 1;
			return 1;
		}
		if (insn.kind == INSN_JUMP_INDIRECT &&
		    jumps_anywhere(&q->decoder, code + at, left))
			return 1;
		at += insn.length;
	}
	return 0;
}

/* Returns whether a cold part of function `index` has computed jumps. */
static int has_computed_part(const struct inquiry *q, uint32_t index)
{
	int is_blind = 0;

	for (uint32_t i = 0; i < q->functions.count; i++)
		if (i != index && q->branches.notes[i].jumps_into == index &&
		    is_computed(q, &q->functions.list[i], &is_blind))
			return 1;
	return 0;
}

static uint64_t padding_behind(const struct functions *functions,
			       uint32_t index, uint64_t left)
{
	const struct function *function = &functions->list[index];
	const uint64_t end = function->vaddr + function->size;
	uint64_t past = left - function->size;

	for (uint32_t i = index + 1; i < functions->count; i++) {
		if (functions->list[i].vaddr < end)
			continue;
		if (functions->list[i].vaddr - end < past)
			past = functions->list[i].vaddr - end;
		break;
	}
	return past;
}

static struct probed_function read_function(const struct probe_map *map,
					    uint32_t index)
{
	const struct inquiry *q = map->inquiry;
	struct probed_function f = { .map = map,
				     .function = &q->functions.list[index] };
	uint64_t left = 0;

	f.code = image_at(q->image, f.function->vaddr, &left);
	f.bytes = f.function->size < left ? f.function->size : left;
	if (f.code && f.bytes == f.function->size && !f.function->is_inside)
		f.padding_bytes = padding_behind(&q->functions, index, left);
	f.is_computed = is_computed(q, f.function, &f.is_blind) ||
			has_computed_part(q, index);
	return f;
}

/* ---- One instruction ---- */

static uint32_t entered_from(const struct probe_map *map, uint64_t vaddr)
{
	return marks_from(&map->inquiry->branches.targets, vaddr) |
	       marks_from(&map->taken, vaddr);
}

static struct prologue judged_at(
	const struct probed_function *f, uint64_t at,
	struct prologue (*judge)(const struct decoder *decoder,
				 const struct prologue_query *query))
{
	const struct prologue_query query = {
		.code = f->code + at,
		.size_bytes = f->bytes - at,
		.padding_bytes = f->padding_bytes,
		.targets = entered_from(f->map, f->function->vaddr + at),
	};

	return judge(&f->map->inquiry->decoder, &query);
}

static int is_entered_by(const struct marks *marks, uint64_t vaddr)
{
	return (marks_from(marks, vaddr) & 0x1e) != 0;
}

/* Returns why a jump does not fit, or PROBE_IS_NONE. */
static enum probe_reason jump_obstacle(const struct probed_function *f,
				       const struct probe_site *site,
				       const struct prologue *prologue)
{
	const struct marks *targets = &f->map->inquiry->branches.targets;
	const uint64_t vaddr = f->function->vaddr;
	struct insn insn = { 0 };

	switch (prologue->verdict) {
	case VERDICT_IS_JUMP:
	case VERDICT_IS_JUMP_PADDED:
		break;
	case VERDICT_IS_TOO_SHORT:
		return PROBE_IS_TOO_SHORT;
	case VERDICT_IS_UNDECODABLE:
		return PROBE_IS_BLIND;
	case VERDICT_IS_UNMOVABLE:
		return PROBE_IS_CALL_INSIDE;
	default:
		if (is_entered_by(&f->map->taken, site->patch_vaddr))
			return PROBE_IS_OTHER_PROBE;
		return f->is_computed && !is_entered_by(targets,
							site->patch_vaddr)
			       ? PROBE_IS_COMPUTED
			       : PROBE_IS_BRANCH_INTO;
	}
	if (is_entered_by(&f->map->taken, site->patch_vaddr))
		return PROBE_IS_OTHER_PROBE;
	decode_scan(&f->map->inquiry->decoder,
		    f->code + (site->patch_vaddr - vaddr),
		    f->bytes - (site->patch_vaddr - vaddr), &insn);
	if (insn.length >= PATCH_BYTES)
		return PROBE_IS_NONE;
	if (f->is_blind)
		return PROBE_IS_BLIND;
	return f->is_computed ? PROBE_IS_COMPUTED : PROBE_IS_NONE;
}

static void choose(const struct probed_function *f, struct probe_site *site)
{
	const uint64_t at = site->vaddr - f->function->vaddr;
	struct prologue prologue = judged_at(f, at, prologue_judge_trap);

	if (prologue.verdict != VERDICT_IS_TRAP) {
		site->reason = prologue.verdict == VERDICT_IS_UNDECODABLE
				       ? PROBE_IS_UNDECODABLE
				       : PROBE_IS_UNMOVABLE;
		return;
	}
	site->patch_vaddr = site->vaddr + prologue.patch_offset;
	/* After an endbr64 the probe would also count jumps to that address. */
	if (prologue.patch_offset &&
	    marks_from(&f->map->inquiry->branches.targets, site->patch_vaddr) &
		    1) {
		site->reason = PROBE_IS_BRANCH_INTO;
		return;
	}
	site->tier = PROBE_BY_TRAP;
	site->displaced_bytes = prologue.displaced_bytes;
	prologue = judged_at(f, at, prologue_judge);
	site->reason = (uint8_t)jump_obstacle(f, site, &prologue);
	if (site->reason == PROBE_IS_NONE) {
		site->tier = PROBE_BY_JUMP;
		site->displaced_bytes = prologue.displaced_bytes;
	} else if (!f->map->has_traps) {
		site->tier = PROBE_BY_NONE;
		site->displaced_bytes = 0;
		site->reason = PROBE_IS_NO_TRAP;
	}
}

/* Returns whether function `part` was moved out of function `whole`. */
static int is_part_of(const struct inquiry *q, uint32_t part, uint32_t whole)
{
	const struct code_notes *notes = &q->branches.notes[part];

	return part != whole &&
	       (q->functions.list[part].verdict == VERDICT_IS_COLD_PART ||
		(!q->functions.list[part].is_named && !notes->is_called)) &&
	       (notes->jumped_from == whole || notes->jumps_into == whole);
}

static int stays(const struct probed_function *f, uint64_t target)
{
	const struct inquiry *q = f->map->inquiry;
	const uint32_t from = (uint32_t)(f->function - q->functions.list);
	const uint32_t to = functions_at(&q->functions, target);

	return target - f->function->vaddr < f->bytes ||
	       (to != UINT32_MAX &&
		(is_part_of(q, to, from) || is_part_of(q, from, to)));
}

static enum probe_leaving leaving(const struct probed_function *f,
				  const struct insn *insn, uint64_t next)
{
	const uint64_t target = next + (uint64_t)(int64_t)insn->branch_bytes;

	switch (insn->kind) {
	case INSN_RETURN:
		return PROBE_LEAVES;
	case INSN_JUMP_INDIRECT:
		return f->is_computed ? PROBE_LEAVES_IF : PROBE_LEAVES;
	case INSN_JUMP:
		return stays(f, target) ? PROBE_STAYS : PROBE_LEAVES;
	case INSN_JUMP_IF:
	case INSN_LOOP:
		return stays(f, target) ? PROBE_STAYS : PROBE_LEAVES_IF;
	default:
		return PROBE_STAYS;
	}
}

void probe_sites_walk(const struct probe_map *map, uint32_t function,
		      probe_site_visit visit, void *context)
{
	const struct probed_function f = read_function(map, function);
	const struct marks *targets = &map->inquiry->branches.targets;
	int is_reached = 1;
	struct insn insn;

	for (uint64_t at = 0; f.code && at < f.bytes; at += insn.length) {
		struct probe_site site = { .vaddr = f.function->vaddr + at };

		site.patch_vaddr = site.vaddr;
		is_reached |= (int)(marks_from(targets, site.vaddr) & 1);
		if (decode_scan(&map->inquiry->decoder, f.code + at,
				f.bytes - at, &insn)) {
			site.reason = PROBE_IS_UNDECODABLE;
			visit(context, &site);
			return;
		}
		site.insn_bytes = insn.length;
		site.leaves =
			(uint8_t)leaving(&f, &insn, site.vaddr + insn.length);
		if (f.function->verdict == VERDICT_IS_SIGNAL_FRAME)
			site.reason = PROBE_IS_SIGNAL_FRAME;
		else if (is_reached)
			choose(&f, &site);
		else
			site.reason = PROBE_IS_UNREACHED;
		visit(context, &site);
		is_reached &= !insn_ends_flow(&insn);
	}
}

void probe_exits_walk(const struct probe_map *map, uint32_t function,
		      probe_site_visit visit, void *context)
{
	const struct inquiry *q = map->inquiry;

	probe_sites_walk(map, function, visit, context);
	for (uint32_t i = 0; i < q->functions.count; i++)
		if (is_part_of(q, i, function))
			probe_sites_walk(map, i, visit, context);
}

int probe_site_text(const struct probe_map *map, const struct probe_site *site,
		    decoder_format format, const char **mnemonic,
		    const char **operands)
{
	const struct inquiry *q = map->inquiry;
	uint64_t left = 0;
	const uint8_t *code = image_at(q->image, site->vaddr, &left);

	return decode_text(&q->decoder, code, left, site->vaddr, format,
			   mnemonic, operands);
}

/* ---- One address ---- */

struct site_search {
	struct probe_site site;
	int is_found;
	int is_inside; /* whether the address is inside an instruction */
};

static void visit_site(void *context, const struct probe_site *site)
{
	struct site_search *search = context;
	const uint64_t vaddr = search->site.vaddr;

	if (site->vaddr == vaddr) {
		search->site = *site;
		search->is_found = 1;
	} else if (vaddr - site->vaddr < site->insn_bytes) {
		search->is_inside = 1;
	}
}

static int is_executable(const struct image *image, uint64_t vaddr)
{
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    vaddr - segment->p_vaddr < segment->p_memsz)
			return 1;
	}
	return 0;
}

static struct probe_site refuse(uint64_t vaddr, enum probe_reason reason)
{
	return (struct probe_site){ .vaddr = vaddr,
				    .patch_vaddr = vaddr,
				    .reason = (uint8_t)reason };
}

struct probe_site probe_site_at(const struct probe_map *map, uint64_t vaddr)
{
	const struct inquiry *q = map->inquiry;
	const uint32_t index = functions_at(&q->functions, vaddr);
	struct site_search search = { .site = { .vaddr = vaddr } };

	if (!image_at(q->image, vaddr, NULL))
		return refuse(vaddr, PROBE_IS_NOT_MAPPED);
	if (!is_executable(q->image, vaddr))
		return refuse(vaddr, PROBE_IS_NOT_EXECUTABLE);
	if (index == UINT32_MAX)
		return refuse(vaddr, PROBE_IS_NO_FUNCTION);
	probe_sites_walk(map, index, visit_site, &search);
	if (search.is_found)
		return search.site;
	return refuse(vaddr,
		      search.is_inside ? PROBE_IS_INSIDE_INSN : PROBE_IS_BLIND);
}
