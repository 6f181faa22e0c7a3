/* SPDX-License-Identifier: MIT */
/* See analysis.h. */
#include "image/analysis.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "digest/digest_links.h"
#include "disasm/function_code.h"
#include "disasm/padding.h"
#include "image/analysis_cache.h"
#include "image/analysis_claim.h"
#include "image/analysis_place.h"
#include "image/dynamic.h"
#include "image/entry_flags.h"
#include "image/entry_start.h"
#include "image/image_copy.h"
#include "image/inquiry.h"
#include "image/leaves.h"
#include "image/tiers.h"
#include "image/traits.h"
#include "image/unwinder.h"
#include "wire/verdict.h"

/*
 * Returns whether a function is a compiler's cold part whose frame looks like a
 * new call's, and whose name was stripped. Only one function jumps to its
 * start, and no instruction calls it or takes its address. Besides, it jumps
 * back into the middle of that function, or a conditional jump leads to its
 * unaligned address: compilers align functions but not the parts that they move
 * out of them. In doubt the code counts as a function that is tail-called.
 */
static int is_cold_part(const struct inquiry *q, uint32_t index)
{
	const struct function *function = &q->functions.list[index];
	const struct code_notes *notes = &q->branches.notes[index];

	if (function->is_named || notes->is_called ||
	    notes->jumped_from >= BRANCHES_SEVERAL)
		return 0;
	return notes->jumps_into == notes->jumped_from ||
	       (notes->is_jcc_target &&
		function->vaddr % FUNCTION_ALIGNMENT != 0);
}

/*
 * Returns whether a part consists of landing pads. Offset 0 means "no landing
 * pad", so compilers begin such a part with a nop.
 */
static int is_landing_part(const struct inquiry *q, uint32_t index)
{
	const struct function *function = &q->functions.list[index];
	const struct code_notes *notes = &q->branches.notes[index];
	struct bytes b = image_bytes_at(q->image, function->vaddr);

	return notes->lands_second && !function->is_named &&
	       !notes->is_called && notes->jumped_from == BRANCHES_NOBODY &&
	       padding_is_nop(bytes_u8(&b));
}

/*
 * Returns whether the function is an unwinder's _Unwind_RaiseException(), which
 * starts exceptions. The list of functions that are never hooked contains its
 * name.
 */
static int raises(const struct inquiry *q, uint32_t index)
{
	const struct function *function = &q->functions.list[index];
	struct bytes b = image_bytes_at(q->image, function->vaddr);
	uint64_t left = bytes_left(&b);

	return q->branches.notes[index].lands &&
	       unwinder_raises(b.at,
			       left < function->size ? left : function->size);
}

/*
 * Returns whether a function that is known only by a symbol without a size is
 * in doubt. The function may be called; but its code must show that it is
 * always called, not entered by jumps with an unknown stack, and that it does
 * not read its return address.
 */
static int is_in_doubt(const struct inquiry *q, uint32_t index)
{
	const struct function *function = &q->functions.list[index];
	const struct code_notes *notes = &q->branches.notes[index];

	return function->is_unsized &&
	       (function->size == 0 || notes->is_undecodable ||
		notes->is_run_into || notes->is_jumped_to || notes->uses_stack);
}

/*
 * Returns a function's verdict, as far as it does not depend on the tier, or
 * VERDICT_IS_UNKNOWN.
 */
static enum verdict foregone(const struct inquiry *q, uint32_t index)
{
	const enum verdict verdict = q->functions.list[index].verdict;

	if (verdict != VERDICT_IS_UNKNOWN &&
	    (verdict != VERDICT_IS_NAMED || !raises(q, index)))
		return verdict;
	if (is_in_doubt(q, index))
		return VERDICT_IS_UNSIZED;
	if (q->functions.list[index].is_found &&
	    q->branches.notes[index].is_jumped_to)
		return VERDICT_IS_BLIND;
	if (q->branches.notes[index].is_undecodable)
		return VERDICT_IS_UNDECODABLE;
	if (is_cold_part(q, index) || is_landing_part(q, index))
		return VERDICT_IS_COLD_PART;
	if (raises(q, index))
		return VERDICT_IS_RAISES;
	if (q->branches.notes[index].reads_return)
		return VERDICT_IS_READS_RETURN_ADDRESS;
	if (q->branches.notes[index].calls_mcount)
		return VERDICT_IS_CALLS_MCOUNT;
	if (q->branches.notes[index].lends_return)
		return VERDICT_IS_LENDS_RETURN_ADDRESS;
	if (q->branches.notes[index].is_unwinders)
		return VERDICT_IS_UNWINDER;
	if (entry_is_start(q->image, &q->decoder,
			   q->functions.list[index].vaddr))
		return VERDICT_IS_NO_RETURN_ADDRESS;
	if (entry_takes_flags(q->image, &q->decoder,
			      q->functions.list[index].vaddr))
		return VERDICT_IS_TAKES_FLAGS;
	return VERDICT_IS_UNKNOWN;
}

#define INSIDE_OF_JUMP 0x1eU /* bits of marks_from(): bytes 1 to 4 of a jump */

/*
 * Finds the function that an unwinder calls to announce where it lands, and
 * sets its verdict and its patch location.
 */
static void find_landing(const struct inquiry *q, struct wire_function *list,
			 uint32_t count)
{
	if (!unwinder_is_here(&q->branches, count))
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct bytes b = image_bytes_at(q->image, list[i].vaddr);
		uint64_t left = bytes_left(&b);
		uint8_t offset;
		unsigned int bytes = unwinder_sets_ip(
			b.at,
			left < list[i].size_bytes ? left : list[i].size_bytes,
			&offset);

		if (!bytes ||
		    marks_from(&q->branches.targets, list[i].vaddr + offset) &
			    INSIDE_OF_JUMP)
			continue;
		list[i].verdict = VERDICT_IS_LANDS;
		list[i].patch_offset = offset;
		list[i].displaced = (uint8_t)bytes;
		list[i].island = 0;
	}
}

/* Context of doubt_for_part(). */
struct doubts {
	const struct code_notes *notes;
	struct wire_function *list;
};

/*
 * Handles a jump. If a compiler's cold part jumps to the start of its own
 * function, that function may loop.
 */
static void doubt_for_part(void *context, const struct reference *jump)
{
	const struct doubts *doubts = context;
	const struct code_notes *notes = &doubts->notes[jump->from];

	if (doubts->list[jump->from].verdict == VERDICT_IS_COLD_PART &&
	    (notes->jumped_from == jump->to || notes->jumps_into == jump->to))
		doubts->list[jump->to].displaced |= WIRE_LOOPS;
}

/*
 * Marks the functions that jump to their own entry, and those that perhaps do
 * so: from code that cannot be decoded, or from a cold part. The jump arrives
 * in the stub like a tail call: for these functions the stub takes it for a
 * loop (wire_loops()).
 */
static void find_loops(const struct inquiry *q, struct wire_function *list,
		       uint32_t count)
{
	const struct code_notes *notes = q->branches.notes;
	struct doubts doubts = { .notes = notes, .list = list };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t up_to_site = (UINT32_C(2) << list[i].patch_offset) - 1;

		if (notes[i].is_undecodable || notes[i].loops & up_to_site)
			list[i].displaced |= WIRE_LOOPS;
	}
	references_walk(&q->branches.jumps, doubt_for_part, &doubts);
	for (uint32_t i = 0; i < count; i++)
		if (verdict_class(list[i].verdict) != VERDICT_HOOKED)
			list[i].displaced &= WIRE_DISPLACED_BYTES;
}

static int judge_all(struct inquiry *q, struct arena *arena,
		     struct analysis *out)
{
	uint32_t count = q->functions.count;
	uint64_t room =
		(uint64_t)count + q->branches.leaps.count + q->bare.count;
	struct wire_function *list = arena_alloc(arena, room * sizeof(*list));
	struct tiers tiers = {
		.image = q->image,
		.decoder = &q->decoder,
		.functions = &q->functions,
		.branches = &q->branches,
		.has_traps = !dynamic_is_libc(q->image),
	};
	int err;

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		list[i].vaddr = q->functions.list[i].vaddr;
		list[i].size_bytes = (uint32_t)q->functions.list[i].size;
		list[i].verdict = (uint8_t)foregone(q, i);
	}
	err = tiers_choose(&tiers, &q->scratch, list);
	if (err)
		return err;
	find_landing(q, list, count);
	find_loops(q, list, count);
	err = leaves_find(q, list);
	if (err)
		return err;
	count = leaps_merge(&q->branches.leaps, &q->branches.targets, list,
			    count);
	out->functions = list;
	out->function_count = bare_merge(&q->bare, list, count);
	if (out->function_count == 0)
		return -ENODATA;
	return 0;
}

static int inquire(struct inquiry *q, struct arena *arena, struct analysis *out)
{
	int err = inquiry_begin(q);

	return err ? err : judge_all(q, arena, out);
}

/* Returns whether the image's bytes still equal the hashed ones. */
static int is_unchanged_file(const struct image *image, const char *path,
			     const struct analysis *analysis)
{
	struct file_stamp stamp;
	struct content now;
	int fd;

	if (image->is_copy)
		return 1;
	fd = image_open_file(path, &stamp);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && image->stamp.is_settled && stamp.is_settled &&
	    file_stamp_is_same(&stamp, &image->stamp))
		return 1;
	now = content_of(image);
	return !memcmp(&now, &analysis->content, sizeof(now));
}

/* Computes an analysis that is not in the cache. */
static int make(const struct image *image, const char *path,
		const struct analysis_place *place, struct arena *arena,
		struct analysis *made)
{
	struct inquiry q = { .image = image };
	int err;

	made->traits = traits_of(image);
	err = inquire(&q, arena, made);
	if (q.branches.switches)
		made->traits |= TRAIT_SWITCHES;
	if (q.branches.may_map)
		made->traits |= TRAIT_MAPPER;
	arena_fini(&q.scratch);
	/*
	 * A module without code is also stored, because that may take long to
	 * find out.
	 */
	if ((!err || err == -ENODATA) && place->cache &&
	    is_unchanged_file(image, path, made))
		analysis_cache_store(analysis_place_folder(place), made);
	return err;
}

static int load(const struct analysis_place *place, struct arena *arena,
		struct analysis *made)
{
	int err = analysis_cache_load(place->cache, arena, made);

	if (err && place->cache && !place->is_guarded)
		err = analysis_cache_load(place->apart.text, arena, made);
	return err;
}

/*
 * If another process computes the same analysis now, or has done so since this
 * process searched the cache, loads the result. Otherwise calls make().
 */
static int make_once(const struct image *image, const char *path,
		     const struct analysis_place *place, struct arena *arena,
		     struct analysis *made)
{
	struct analysis_claim *claim = arena_alloc(arena, sizeof(*claim));
	int err;

	if (!claim)
		return -ENOMEM;
	analysis_place_make(place);
	analysis_claim_begin(claim,
			     place->cache ? analysis_place_folder(place) : NULL,
			     made);
	err = load(place, arena, made);
	if (err)
		err = make(image, path, place, arena, made);
	analysis_claim_end(claim);
	return err;
}

/*
 * Returns the hash of the file's content. If only root and the cache's owner
 * can change the file, the cache may contain the hash under the file's stamp;
 * otherwise the hash is computed from the bytes.
 */
static struct content find_content(const struct image *image,
				   const struct analysis_place *place)
{
	struct content content;

	if (place->is_guarded &&
	    !digest_link_find(place->cache, &image->stamp, content.digest))
		return content;
	content = content_of(image);
	if (place->is_guarded && content_is_known(&content))
		digest_link_keep(place->cache, &image->stamp, content.digest);
	return content;
}

static int analyse(const struct image *image, const char *path,
		   const struct analysis_place *place,
		   void (*begun)(const char *path), struct arena *arena,
		   struct analysis *out)
{
	struct analysis made = { 0 };
	int err;

	made.build_id_bytes = (uint32_t)image_build_id(image, made.build_id,
						       sizeof(made.build_id));
	made.is_guarded = place->is_guarded;
	if (place->cache)
		made.content = find_content(image, place);
	image_text_range(image, &made.vaddr_start, &made.vaddr_end);
	err = load(place, arena, &made);
	if (err && begun)
		begun(path);
	if (err)
		err = make_once(image, path, place, arena, &made);
	if (!err && !made.function_count)
		err = -ENODATA;
	if (!err)
		*out = made;
	return err;
}

static int analyse_image(const struct image *image, const char *path,
			 const char *cache_dir, void (*begun)(const char *path),
			 struct arena *arena, struct analysis *out)
{
	struct analysis_place *place = arena_alloc(arena, sizeof(*place));

	if (!place)
		return -ENOMEM;
	analysis_place_of(place, cache_dir, &image->stamp);
	return analyse(image, path, place, begun, arena, out);
}

int analysis_of_module(const char *path, const char *cache_dir,
		       void (*begun)(const char *path), struct arena *arena,
		       struct analysis *out)
{
	struct image image;
	int err = image_open_for(&image, path, analysis_place_owner(cache_dir));

	/* the file is too large to be copied, so its analysis is not cached */
	if (err == -EFBIG) {
		cache_dir = NULL;
		err = image_open(&image, path);
	}
	if (err)
		return err;
	err = analyse_image(&image, path, cache_dir, begun, arena, out);
	image_close(&image);
	return err;
}

int analysis_of_file(const char *path, const char *cache_dir,
		     struct arena *arena, struct analysis *out)
{
	struct image image;
	int err = image_open_for(&image, path, analysis_place_owner(cache_dir));

	if (err)
		return err;
	err = analyse_image(&image, path, cache_dir, NULL, arena, out);
	image_close(&image);
	return err;
}

int analysis_of_foreign_file(const char *path, const char *cache_dir,
			     const char *session_dir, struct arena *arena,
			     struct analysis *out)
{
	struct analysis_place *place = arena_alloc(arena, sizeof(*place));
	struct image image;
	int err;

	if (!place)
		return -ENOMEM;
	err = image_open_copy(&image, path);
	if (err)
		return err;
	*place = (struct analysis_place){ .cache = NULL };
	if (session_dir) {
		place->cache = cache_dir;
		cache_path_add(&place->apart, session_dir);
	}
	err = analyse(&image, path, place, NULL, arena, out);
	image_close(&image);
	return err;
}
