/* SPDX-License-Identifier: MIT */
/*
 * Marks in a recording (recording.h): moments, and begins and ends of regions.
 * The program or an agent in it has reported them (agent/clew.h), or a probe or
 * clew itself.
 *
 *	WIRE_MARK_NAMES	wire_mark_names | wire_mark_name | ...
 *	WIRE_MARKS	wire_marks | wire_mark | wire_mark | ...
 *
 * A process has at most one chunk of names and any number of chunks of marks.
 * Any thread may add to each of these chunks. Marks of one thread need not be
 * in the order of their time stamps: clew records some regions only when they
 * have ended.
 */
#ifndef CLEW_WIRE_MARK_RECORDS_H
#define CLEW_WIRE_MARK_RECORDS_H

#include <stdint.h>

#include "wire/slotted.h"

#define WIRE_MARK_NAME_BYTES 56

/*
 * Names of clew's own marks. The number of such a mark is the number N of a
 * snapshot. "snapshot" and "snapshot removed" are the moments at which the
 * snapshot was written and removed. If a call caused the snapshot, the same
 * thread records "call of snapshot" before "snapshot": a region if the probe
 * measured the call, otherwise a moment.
 */
#define WIRE_MARK_SNAPSHOT         "snapshot"
#define WIRE_MARK_SNAPSHOT_REMOVED "snapshot removed"
#define WIRE_MARK_SNAPSHOT_CALL    "call of snapshot"

enum wire_mark_loss {
	WIRE_MARK_NO_SPACE, /* the recording could not grow */
	/* The process reached its maximum number of marks. */
	WIRE_MARK_TOO_MANY,
	WIRE_MARK_LOSS_COUNT = 4
};

/*
 * Numbers of lost marks, by cause, and the capacity of the array of
 * wire_mark_name that follows. If the array has no free element for a mark's
 * name, the mark is recorded with name 0.
 */
struct wire_mark_names {
	/* any thread may add to these */
	_Atomic uint64_t lost[WIRE_MARK_LOSS_COUNT];
	uint32_t room; /* number of wire_mark_name that follow */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_mark_names) == 40, "on the wire");

enum wire_name_state { WIRE_NAME_FREE, WIRE_NAME_CLAIMED, WIRE_NAME_THERE };

struct wire_mark_name {
	/* enum wire_name_state; stored last, with release */
	_Atomic uint32_t state;
	uint32_t reserved;
	/* NUL-terminated; several records may have the same text. */
	char text[WIRE_MARK_NAME_BYTES];
};
_Static_assert(sizeof(struct wire_mark_name) == 64, "on the wire");

struct wire_marks {
	struct wire_slots slots;
};
_Static_assert(sizeof(struct wire_marks) == 8, "on the wire");

enum wire_mark_kind {
	WIRE_MARK_FREE,
	WIRE_MARK_MOMENT,
	WIRE_MARK_BEGIN,
	WIRE_MARK_END,
	WIRE_MARK_KIND_COUNT
};

struct wire_mark {
	uint64_t tsc;
	uint64_t id; /* the id of the context, or 0 outside of all contexts */
	uint64_t number; /* from the reporter of the mark */
	uint32_t tid;
	/*
	 * 1 + the index of the name in the chunk of names; 0: the mark has no
	 * name, or the chunk had no room for its name.
	 */
	uint16_t name;
	/* enum wire_mark_kind; stored last, with release */
	_Atomic uint16_t kind;
};
_Static_assert(sizeof(struct wire_mark) == 32, "on the wire");

#endif
