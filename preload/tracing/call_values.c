/* SPDX-License-Identifier: MIT */
/*
 * A thread keeps the values of its active calls in a hash table, by stack slot
 * (call_values.h).
 *
 * An entry is created or reused by storing its id last; until then it belongs
 * to no call. A signal handler may use the same entry meanwhile, and has
 * finished when the thread continues. Entries of calls that have returned are
 * detected when another call needs them: an entry is valid if slot, id and the
 * stack agree.
 */
#include "preload/tracing/call_values.h"

#include <stdatomic.h>

#include "preload/host/config.h"
#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/switch.h"
#include "preload/record/numbers.h"
#include "preload/record/recorder.h"
#include "preload/stack/walk.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/range.h"
#include "preload/sys/sys.h"
#include "preload/tracing/packet_words.h"
#include "preload/tracing/surroundings.h"
#include "preload/tracing/trace_depth.h"
#include "preload/tracing/trace_window.h"
#include "wire/packet.h"

#define ENTRIES_LOG2 13
#define ENTRIES      (1 << ENTRIES_LOG2)
/* number of entries that may hold a slot, from the index of its hash on */
#define NEIGHBOURS   16
#define AROUND_BYTES 40960
#define STAMP_BYTES  (4 * WIRE_PACKET_STAMP_WORDS)

struct call_entry {
	uint64_t id; /* id of the call; 0 if the entry is free */
	uint64_t slot;
	uint32_t probe;
	uint32_t reserved;
	union {
		struct wire_probe_event event;
		unsigned char bytes[CALL_VALUES_BYTES];
	};
};
_Static_assert(sizeof(struct call_entry) == 256, "no line is shared");

/*
 * The entries of a thread. They lie in the memory of its tally, because they do
 * not fit into its struct hot_thread.
 */
struct call_entries {
	struct call_entry of[ENTRIES + NEIGHBOURS];
};

static struct {
	struct call_value values[WIRE_PROBE_FIELDS_MAX];
	/* number of values, stored last; 0 if no values are kept */
	_Atomic uint32_t count;
} described[WIRE_PROBES_MAX];

/* the size of the largest event of a probe in a packet */
static _Atomic uint64_t most_bytes;

/* ---- What is kept ---- */

static uint32_t words_of(uint32_t string_bytes)
{
	return (uint32_t)(sizeof(struct wire_packet_value) / 4) +
	       (string_bytes + 3) / 4;
}

void call_values_describe(uint32_t probe, const struct call_value *values,
			  uint32_t count, uint32_t event_bytes)
{
	struct trace_file *trace = &rt.recorder->trace;
	uint64_t bytes = STAMP_BYTES;

	if (!trace->blocks || event_bytes > CALL_VALUES_BYTES)
		return;
	for (uint32_t i = 0; i < count; i++) {
		described[probe].values[i] = values[i];
		bytes += UINT64_C(4) * words_of(values[i].string_bytes);
	}
	if (bytes > most_bytes)
		most_bytes = bytes;
	trace->keeps |= WIRE_KEEPS_VALUES;
	trace->blocks->keeps = trace->keeps;
	atomic_store_explicit(&described[probe].count, count,
			      memory_order_release);
}

void call_values_forget_probes(void)
{
	for (uint32_t i = 0; i < WIRE_PROBES_MAX; i++)
		atomic_store(&described[i].count, 0);
	atomic_store(&most_bytes, 0);
}

uint64_t call_values_room(void)
{
	return atomic_load_explicit(&most_bytes, memory_order_relaxed);
}

/* ---- Entries ---- */

/* Returns the thread's entries, or NULL. */
static struct call_entries *entries(void)
{
	return hot.tally ? hot.tally->packets.values : NULL;
}

/*
 * Returns the thread's entries, after creating them if there are none, or NULL.
 * A signal handler may create them meanwhile.
 */
static struct call_entries *make_entries(void)
{
	struct call_entries *made = entries(), *none = NULL;

	if (made || !hot.tally || runtime_is_filtered())
		return made;
	made = sys_map_private(sizeof(*made));
	if (sys_failed(made))
		return NULL;
	if (__atomic_compare_exchange_n(&hot.tally->packets.values, &none, made,
					0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return made;
	sys_munmap(made, sizeof(*made));
	return none;
}

void call_values_unmap(struct tally *tally)
{
	if (tally->packets.values)
		sys_munmap(tally->packets.values,
			   sizeof(*tally->packets.values));
	tally->packets.values = NULL;
}

static struct call_entry *home_of(struct call_entries *all, uint64_t slot)
{
	return &all->of[slot / 8 % ENTRIES];
}

/*
 * Returns the entry that has this slot, of a running or a former call, or NULL.
 */
static struct call_entry *find(uint64_t slot)
{
	struct call_entries *all = entries();
	struct call_entry *home = all ? home_of(all, slot) : NULL;

	for (unsigned int i = 0; home && i < NEIGHBOURS; i++)
		if (home[i].id && home[i].slot == slot)
			return &home[i];
	return NULL;
}

static int is_running(const struct call_entry *entry)
{
	const struct shadow_slot *shadow = shadow_of(entry->slot);
	uint64_t page = 0;

	return shadow && walk_is_live(entry->slot, &page) &&
	       numbers_function_between(shadow->caller_id, entry->id);
}

/*
 * Returns an entry for a slot that has none. Returns NULL if running calls use
 * all entries near its hash, or if there is no memory.
 */
static struct call_entry *take(uint64_t slot)
{
	struct call_entries *all = make_entries();
	struct call_entry *home = all ? home_of(all, slot) : NULL;

	for (unsigned int i = 0; home && i < NEIGHBOURS; i++)
		if (!home[i].id)
			return &home[i];
	for (unsigned int i = 0; home && i < NEIGHBOURS; i++)
		if (!is_running(&home[i]))
			return &home[i];
	return NULL;
}

static void set_id(struct call_entry *entry, uint64_t id)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)&entry->id = id;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void call_values_forget(uint64_t slot)
{
	struct call_entry *entry = find(slot);

	if (entry)
		set_id(entry, 0);
}

/* ---- Words ---- */

static uint32_t string_bytes_of(const struct call_entry *entry, uint32_t value)
{
	const struct call_value *of = &described[entry->probe].values[value];
	uint64_t bytes;

	if (!of->string_bytes || entry->event.failed >> value & 1)
		return 0;
	copy_bytes(&bytes, entry->bytes + of->offset, sizeof(bytes));
	return bytes < of->string_bytes ? (uint32_t)bytes : of->string_bytes;
}

static uint64_t bytes_of(const struct call_entry *entry)
{
	const uint32_t count = described[entry->probe].count;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += UINT64_C(4) * words_of(string_bytes_of(entry, i));
	return bytes;
}

/*
 * Writes one value of an entry to `at`. Returns the end of the 32-bit words
 * that it wrote.
 */
static uint32_t *put_value(uint32_t *at, const struct call_entry *entry,
			   uint32_t value, uint32_t place, uint32_t out,
			   uint8_t flags)
{
	const struct call_value *of = &described[entry->probe].values[value];
	const uint32_t string = string_bytes_of(entry, value);
	const uint32_t words = words_of(string);
	struct wire_packet_value *to = (void *)at;

	to->head = wire_packet_odd(WIRE_PACKET_VALUE, words);
	to->probe = (uint8_t)entry->probe;
	to->field = (uint8_t)value;
	to->reserved = 0;
	to->flags = flags;
	if (entry->event.failed >> value & 1)
		to->flags |= WIRE_VALUE_IS_MISSING;
	to->place = place;
	to->out = out;
	copy_bytes(to->number, entry->bytes + of->offset, sizeof(to->number));
	if (of->string_bytes) {
		to->number[0] = string;
		to->number[1] = 0;
	}
	copy_bytes(to + 1, entry->bytes + of->offset + 8, string);
	return at + words;
}

/*
 * Writes the values of an entry into the packet. Returns 0 if there is no room,
 * or if a signal handler has moved the stack window (trace_window.h) meanwhile.
 */
static int put_entry(const struct call_entry *entry, uint64_t base,
		     uint32_t place, uint32_t out, uint8_t flags)
{
	const uint32_t count = described[entry->probe].count;
	const uint64_t bytes = bytes_of(entry);
	uint32_t *at = (uint32_t *)packet_claim(bytes);

	if (!at)
		return 0;
	if (trace_window_base() != base) {
		packet_give_back((uintptr_t)at, bytes, 0);
		return 0;
	}
	for (uint32_t i = 0; i < count; i++)
		at = put_value(at, entry, i, place, out, flags);
	return 1;
}

/* ---- Hits ---- */

/*
 * Returns whether the function that was entered last has its return address in
 * this slot. The stub of a leaf function does not replace the return address.
 * It sets trace_left as a return from this slot would.
 */
static int is_entry(uint64_t slot)
{
	const struct shadow_slot *shadow = shadow_of(slot);
	/* The word at `slot` has just been pushed, so it can be read. */
	uint64_t page = slot & ~(PAGE_BYTES - 1);

	return (rt.leaf_stub && hot.trace_left == slot + 8) ||
	       (shadow && walk_is_live(slot, &page) &&
		numbers_function_between(shadow->caller_id, hot.id));
}

/*
 * Returns whether the thread's calls are recorded, and the call at this slot
 * was not omitted by --trace-depth.
 */
static int is_heard(uint64_t slot)
{
	return switch_is_on() && hot.packet.end &&
	       !(rt.config->trace_depth &&
		 trace_depth_has_omitted((const uint64_t *)slot));
}

/* Returns whether the contexts in the packet still agree with the stack. */
static int is_in_step(void)
{
	return !hot.packet.moved || hot.packet.settled_from;
}

static void count_lost(void)
{
	atomic_fetch_add_explicit(&rt.recorder->trace.blocks->values_lost, 1,
				  memory_order_relaxed);
}

struct wire_probe_event *call_values_begin(uint64_t slot, uint32_t probe)
{
	struct call_entry *entry;

	if (!atomic_load_explicit(&described[probe].count,
				  memory_order_acquire))
		return NULL;
	call_values_forget(slot);
	if (!is_heard(slot) || !is_entry(slot))
		return NULL;
	entry = is_in_step() ? take(slot) : NULL;
	if (!entry) {
		count_lost();
		return NULL;
	}
	set_id(entry, 0);
	entry->slot = slot;
	entry->probe = probe;
	fill_zero(entry->bytes, sizeof(entry->bytes));
	return &entry->event;
}

int call_values_end(struct wire_probe_event *event)
{
	struct call_entry *entry =
		(void *)((char *)event - offsetof(struct call_entry, event));

	for (int i = 0; i < 3 && is_in_step(); i++) {
		const uint64_t base = trace_window_base();

		if (entry->slot >= base &&
		    put_entry(entry, base,
			      trace_window_place(base, entry->slot), 0, 0)) {
			set_id(entry, hot.id);
			return 1;
		}
	}
	count_lost();
	return 0;
}

/* ---- Contexts ---- */

struct around {
	uint64_t bytes; /* size of the values so far, in bytes */
	uint64_t base;
	uint32_t left_out, left_out_count;
	uint32_t place;
	uint8_t writes;
	uint8_t is_full;
};

static void take_around(void *context, uint32_t at, const struct link *link)
{
	struct around *around = context;
	const struct call_entry *entry = find(link->at);
	const uint64_t bytes =
		entry && entry->id == link->id ? bytes_of(entry) : 0;
	const int is_behind = at >= around->left_out;
	const int is_left_out =
		is_behind && at - around->left_out < around->left_out_count;

	if (!bytes || is_left_out || around->is_full)
		return;
	if (around->bytes + bytes > AROUND_BYTES ||
	    (around->writes &&
	     !put_entry(entry, around->base, around->place,
			is_behind ? at - around->left_out_count : at,
			WIRE_VALUE_IS_AGAIN)))
		around->is_full = 1;
	else
		around->bytes += bytes;
}

static uint64_t read_around(const uint64_t *slot, struct around *around)
{
	const struct surroundings_of of = { .report = take_around,
					    .context = around };

	if (entries())
		surroundings_find(&of, slot);
	return around->bytes;
}

uint64_t call_values_bytes(const uint64_t *slot)
{
	return read_around(slot,
			   &(struct around){ .left_out = SURROUNDINGS_NONE });
}

void call_values_put_around(const uint64_t *slot, uint64_t base, uint32_t place,
			    uint32_t left_out, uint32_t left_out_count)
{
	read_around(slot, &(struct around){ .base = base,
					    .place = place,
					    .left_out = left_out,
					    .left_out_count = left_out_count,
					    .writes = 1 });
}
