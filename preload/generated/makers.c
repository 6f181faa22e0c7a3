/* SPDX-License-Identifier: MIT */
/* See makers.h. */
#include "preload/generated/makers.h"

#include <stdatomic.h>

#include "machine/address_space.h"
#include "preload/generated/mapped_code.h"
#include "preload/generated/memory_names.h"
#include "preload/generated/records.h"
#include "preload/hot/large_table.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/mappings.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

#define MADE_MAX    2048
#define RECORDS_MAX 65536
/*
 * After this many records, a range that the same maker makes executable again,
 * with the same name, counts as never unmapped.
 */
#define RECORDS_FINE 4096
/*
 * Maximum number of records of mapped files while the program runs, because
 * each requires a search of all mappings.
 */
#define MAPPED_MAX 256

/* A range of executable memory. Ranges in use never overlap. */
struct made {
	_Atomic uint64_t start;
	_Atomic uint64_t end; /* 0: unused */
	_Atomic uint64_t pc;  /* address in the maker's code */
	_Atomic uint32_t is_gone;
	/* the record is of a larger range, or in another part */
	uint32_t is_part;
	/*
	 * Where the record stores the time of its end; NULL: the record is in
	 * another part, of a parent process or an earlier session.
	 */
	_Atomic uint64_t *gone_tsc;
	char name[MEMORY_NAME_BYTES];
};

/*
 * Written with the patches' lock held, which is also held during fork. After a
 * system call filter was installed there is no lock (end_unlocked()).
 */
static struct {
	struct made items[MADE_MAX];
	_Atomic uint32_t count;   /* items that may be in use */
	_Atomic uint32_t changes; /* number of changes, odd during a change */
	/* Bounds of all items that were ever in use. */
	_Atomic uint64_t lowest, highest;
	uint32_t records;
	uint32_t mapped; /* number of records of mapped files */
	uint32_t pid; /* pid of the process whose part contains the records */
} makers LARGE_TABLE;

static int overlaps(const struct made *made, uint64_t start, uint64_t end)
{
	return start < made->end && end > made->start;
}

static int contains(const struct made *made, uint64_t start, uint64_t end)
{
	return start >= made->start && end <= made->end;
}

static int is_named(const struct made *made, const char *name)
{
	return same_text(made->name, name);
}

/* ---- Items ---- */

static struct made *find_overlapping(uint64_t start, uint64_t end,
				     struct made *after)
{
	struct made *const behind = makers.items + makers.count;

	for (struct made *made = after ? after + 1 : makers.items;
	     made < behind; made++)
		if (overlaps(made, start, end))
			return made;
	return NULL;
}

/*
 * Returns an unused item, or one whose memory was unmapped; such items are kept
 * as long as there is room. Returns NULL if all are in use.
 */
static struct made *find_unused(void)
{
	const uint32_t count = makers.count;

	for (uint32_t i = 0; i < count; i++)
		if (!makers.items[i].end)
			return &makers.items[i];
	if (count < MADE_MAX) {
		makers.count = count + 1;
		return &makers.items[count];
	}
	for (uint32_t i = 0; i < count; i++)
		if (makers.items[i].is_gone)
			return &makers.items[i];
	return NULL;
}

/*
 * Makes *made an item for [start, end) with the record of `of`. Both may be the
 * same item.
 */
static void fill(struct made *made, const struct made *of, uint64_t start,
		 uint64_t end)
{
	made->end = 0;
	made->start = start;
	made->pc = of->pc;
	made->is_gone = of->is_gone;
	made->is_part = of->is_part;
	made->gone_tsc = of->gone_tsc;
	if (made != of)
		copy_bytes(made->name, of->name, sizeof(made->name));
	made->end = end;
	if (!makers.lowest || start < makers.lowest)
		makers.lowest = start;
	if (end > makers.highest)
		makers.highest = end;
}

static int may_record(void)
{
	return makers.records < RECORDS_MAX;
}

static int may_search(void)
{
	return makers.mapped < MAPPED_MAX && may_record();
}

/*
 * Records that [start, end), a part of the memory in the record of `made`, does
 * not exist any more. Without room for that, records the end of the whole.
 */
static void disown(const struct made *made, uint64_t start, uint64_t end)
{
	if (may_record() && records_made(start, end, 0, "", NULL)) {
		makers.records++;
		return;
	}
	if (made->gone_tsc)
		*made->gone_tsc = records_stamp();
}

/* Removes [start, end) from an item, which may split it. */
static void cut(struct made *made, uint64_t start, uint64_t end)
{
	const uint64_t last = made->end;
	struct made *rest = NULL;

	made->is_part = 1;
	if (last > end && made->start < start)
		rest = find_unused();
	if (rest)
		fill(rest, made, end, last);
	else if (last > end && made->start < start)
		disown(made, end, last);
	if (made->start < start)
		fill(made, made, made->start, start);
	else if (last > end)
		fill(made, made, end, last);
	else
		made->end = 0;
}

static void cut_all(uint64_t start, uint64_t end)
{
	struct made *made = NULL;

	while ((made = find_overlapping(start, end, made)))
		if (made->is_gone)
			made->end = 0;
		else
			cut(made, start, end);
}

static void end_all(uint64_t start, uint64_t end)
{
	struct made *made = NULL;

	while ((made = find_overlapping(start, end, made))) {
		if (made->is_gone)
			continue;
		if (made->gone_tsc && !made->is_part && start <= made->start &&
		    end >= made->end) {
			*made->gone_tsc = records_stamp();
			made->is_gone = 1;
			continue;
		}
		disown(made, start > made->start ? start : made->start,
		       end < made->end ? end : made->end);
		cut(made, start, end);
	}
}

/*
 * Returns whether an item with these values exists. An item whose memory was
 * unmapped may be used again, if there are many records.
 */
static int is_same(uint64_t pc, uint64_t start, uint64_t end, const char *name)
{
	struct made *made = find_overlapping(start, end, NULL);

	if (!made || made->pc != pc || !contains(made, start, end) ||
	    !is_named(made, name))
		return 0;
	if (!made->is_gone)
		return 1;
	if (makers.records < RECORDS_FINE || made->is_part ||
	    made->start != start || made->end != end)
		return 0;
	*made->gone_tsc = 0;
	made->is_gone = 0;
	return 1;
}

/*
 * Adds an item and its record. `mapped` is NULL if the memory is not mapped
 * from a file.
 */
static void make_mapped(uint64_t pc, uint64_t start, uint64_t end,
			const char *name, struct wire_mapped_code *mapped)
{
	struct made new = { .pc = pc }, *made;
	struct text text = text_in(new.name, sizeof(new.name));

	text_string(&text, name);
	if (may_record())
		new.gone_tsc = records_made(start, end, pc, name, mapped);
	if (!new.gone_tsc) {
		end_all(start, end);
		atomic_fetch_add(&rt.header->makerless, 1);
		return;
	}
	makers.records++;
	cut_all(start, end);
	made = find_unused();
	if (made) {
		fill(made, &new, start, end);
	} else {
		*new.gone_tsc = records_stamp();
		atomic_fetch_add(&rt.header->makerless, 1);
	}
}

static void make(uint64_t pc, uint64_t start, uint64_t end)
{
	const char *name = memory_names_find(start);
	struct wire_mapped_code mapped;
	int is_mapped;

	if (is_same(pc, start, end, name))
		return;
	is_mapped = may_search() && mapped_code_find(start, *name, &mapped);
	makers.mapped += is_mapped;
	make_mapped(pc, start, end, name, is_mapped ? &mapped : NULL);
}

/*
 * Adds an item for memory that was executable before clew attached, if a module
 * contains the same part of its file. Its maker is known only if an earlier
 * session has observed it.
 */
static void make_earlier(uint64_t start, uint64_t end)
{
	const struct made *made = find_overlapping(start, end, NULL);
	const uint64_t pc = made && !made->is_gone ? made->pc : 0;
	struct wire_mapped_code mapped;

	if (mapped_code_find(start, 1, &mapped) && mapped.pc)
		make_mapped(pc, start, end, memory_names_find(start), &mapped);
}

static void name(uint64_t start, uint64_t end, const char *text)
{
	struct made *made = NULL;

	memory_names_set(start, end, text);
	while ((made = find_overlapping(start, end, made)))
		if (!made->is_gone && !is_named(made, text))
			make(made->pc,
			     start > made->start ? start : made->start,
			     end < made->end ? end : made->end);
}

/* ---- Without the lock ---- */

static int is_recorded(void)
{
	return rt.header && rt.recorder && rt.patches && rt.is_this_process &&
	       *rt.is_this_process;
}

static int may_overlap(uint64_t start, uint64_t end)
{
	return (start < makers.highest && end > makers.lowest &&
		find_overlapping(start, end, NULL)) ||
	       memory_names_overlap(start, end);
}

/*
 * Returns whether an item with these values exists, without taking the lock.
 * Returns false if the items change meanwhile.
 */
static int is_known(uint64_t pc, uint64_t start, uint64_t end)
{
	const uint32_t before = makers.changes;
	const struct made *made;
	int is_so;

	if (before % 2)
		return 0;
	made = find_overlapping(start, end, NULL);
	is_so = made && contains(made, start, end) && made->pc == pc &&
		!made->is_gone;
	return is_so && makers.changes == before;
}

/*
 * After a system call filter was installed there is no lock, and only ends can
 * be recorded: ends the ranges that are not this maker's.
 */
static void end_unlocked(uint64_t start, uint64_t end, uint64_t maker)
{
	struct made *made = NULL;

	while ((made = find_overlapping(start, end, made))) {
		_Atomic uint64_t *gone_tsc = made->gone_tsc;

		if (made->is_gone || !gone_tsc || made->pc == maker)
			continue;
		made->is_gone = 1;
		*gone_tsc = records_stamp();
	}
}

/*
 * Called before each change of the list. In a forked child, or after
 * makers_begin_again(), drops ended items and the earlier records, which are in
 * another part.
 */
static void begin_in_child(void)
{
	if (makers.pid == rt.header->pid)
		return;
	for (uint32_t i = 0; i < makers.count; i++) {
		makers.items[i].gone_tsc = NULL;
		makers.items[i].is_part = 1;
		if (makers.items[i].is_gone)
			makers.items[i].end = 0;
	}
	makers.records = makers.mapped = 0;
	makers.changes |= 1; /* a change that was in progress is over */
	makers.pid = rt.header->pid;
}

void makers_begin_again(void)
{
	makers.pid = 0;
}

static void begin_change(uint64_t *signals)
{
	lock_acquire(&rt.patches->lock, signals);
	makers.changes++;
	begin_in_child();
}

static void end_change(const uint64_t *signals)
{
	makers.changes++;
	lock_release(&rt.patches->lock, signals);
}

static uint64_t page_end(uint64_t start, uint64_t bytes)
{
	return (start + bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static uint64_t text_of(uint64_t pc)
{
	const struct native_range *range = native_find(pc);

	return range ? range->start : pc;
}

/* ---- Actions of the program ---- */

void makers_note(uint64_t pc, uint64_t start, uint64_t bytes)
{
	const uint64_t end = page_end(start, bytes), maker = text_of(pc);
	uint64_t signals;

	if (!is_recorded() || start >= end || is_known(maker, start, end))
		return;
	if (runtime_is_filtered()) {
		end_unlocked(start, end, maker);
		return;
	}
	begin_change(&signals);
	make(maker, start, end);
	end_change(&signals);
}

void makers_note_end(uint64_t start, uint64_t bytes)
{
	const uint64_t end = page_end(start, bytes);
	uint64_t signals;

	if (start % PAGE_BYTES || start >= end || !may_overlap(start, end) ||
	    !is_recorded())
		return;
	if (runtime_is_filtered()) {
		end_unlocked(start, end, 0);
		return;
	}
	begin_change(&signals);
	end_all(start, end);
	memory_names_set(start, end, "");
	end_change(&signals);
}

void makers_note_name(uint64_t start, uint64_t bytes, const char *text)
{
	const uint64_t end = page_end(start, bytes);
	uint64_t signals;

	if (!is_recorded() || runtime_is_filtered() || start >= end)
		return;
	begin_change(&signals);
	name(start, end, text);
	end_change(&signals);
}

/*
 * Returns whether the memory still exists. The program may have unmapped it
 * while nothing was recorded.
 */
static int is_mapped(const struct made *made)
{
	return sys_call(SYS_msync, (long)made->start,
			(long)(made->end - made->start), MS_ASYNC, 0, 0,
			0) == 0;
}

/* Records memory again that is recorded only in an earlier session's part. */
static void record_again(struct made *made)
{
	if (!is_mapped(made)) {
		memory_names_set(made->start, made->end, "");
		made->end = 0;
		return;
	}
	if (may_record())
		made->gone_tsc = records_made(made->start, made->end, made->pc,
					      made->name, NULL);
	if (!made->gone_tsc) {
		atomic_fetch_add(&rt.header->makerless, 1);
		return;
	}
	made->is_part = 0;
	makers.records++;
}

static void record_all_again(void)
{
	uint64_t signals;

	begin_change(&signals);
	for (uint32_t i = 0; i < makers.count; i++)
		if (makers.items[i].end && !makers.items[i].gone_tsc)
			record_again(&makers.items[i]);
	end_change(&signals);
}

#define EARLIER_MAX 64

struct earlier {
	struct mapped_range mappings[EARLIER_MAX];
	uint32_t count;
};

static int is_own(uint64_t at)
{
	const uint8_t window = runtime_window(at);

	return window == WINDOW_STUBS || window == WINDOW_TRAMPOLINES ||
	       own_code_is_library(at);
}

static int note_earlier(void *context, const struct mapped_range *mapping)
{
	struct earlier *earlier = context;

	if (mapping->protection & PROT_EXEC && mapping->inode &&
	    !native_find(mapping->start) && !native_find(mapping->end - 1) &&
	    !is_own(mapping->start))
		earlier->mappings[earlier->count++] = *mapping;
	return earlier->count == EARLIER_MAX;
}

void makers_note_earlier(void)
{
	struct earlier earlier = { .count = 0 };
	uint64_t signals;

	if (!is_recorded() || runtime_is_filtered())
		return;
	record_all_again();
	mappings_each(note_earlier, &earlier);
	for (uint32_t i = 0; i < earlier.count; i++) {
		begin_change(&signals);
		make_earlier(earlier.mappings[i].start,
			     earlier.mappings[i].end);
		end_change(&signals);
	}
}

uint64_t makers_find(uint64_t at)
{
	const struct made *made = find_overlapping(at, at + 1, NULL);

	return made && !made->is_gone ? made->pc : 0;
}

uint64_t makers_find_bytes(uint64_t at)
{
	const struct made *made = find_overlapping(at, at + 1, NULL);
	const uint64_t end = made && !made->is_gone ? made->end : 0;

	/* `end` may have changed since it was compared. */
	return end > at ? end - at : 0;
}
