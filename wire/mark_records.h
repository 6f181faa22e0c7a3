/* SPDX-License-Identifier: MIT */
/*
 * Marks in a recording (recording.h): moments, and begins and ends of regions,
 * that a program or an agent in it has reported (agent/clew.h).
 *
 *	WIRE_MARK_NAMES	wire_mark_names | wire_mark_name | ...
 *	WIRE_MARKS	wire_marks | wire_mark | wire_mark | ...
 *
 * A process has one chunk of names and any number of chunks of marks. Several
 * threads add to each chunk of marks. Marks of one thread are in the order of
 * their time stamps, except for a region that clew records when it has ended.
 */
#ifndef CLEW_WIRE_MARK_RECORDS_H
#define CLEW_WIRE_MARK_RECORDS_H

#include <stdint.h>

#include "wire/slotted.h"

#define WIRE_MARK_NAME_BYTES 56

/*
 * clew's own marks. The number is that of a snapshot. The first two are the
 * moments at which the snapshot was written and removed. The third precedes the
 * first one in the same thread if a call caused the snapshot. It is a region if
 * the probe measured the call, otherwise a moment.
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
 * Numbers of marks that were lost, by cause, and the number of wire_mark_names
 * that follow. A mark for whose name none was free is recorded with name 0.
 */
struct wire_mark_names {
	/* any thread may add to these */
	_Atomic uint64_t lost[WIRE_MARK_LOSS_COUNT];
	uint32_t room; /* capacity of the array that follows */
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
	uint64_t number;
	uint32_t tid;
	/* 1 + the index of the name; 0: it has no name, or no room was left. */
	uint16_t name;
	/* enum wire_mark_kind; stored last, with release */
	_Atomic uint16_t kind;
};
_Static_assert(sizeof(struct wire_mark) == 32, "on the wire");

#endif
