/* SPDX-License-Identifier: MIT */
/*
 * A user's probes (clew record --probe): how each is reached, or why it is not, and
 * what of that is in a recording.
 *
 * A probe stands at one place or at several: one with %return has one for each
 * instruction by which its function is left. Its hits are values of contexts
 * (context_values.h) by the name p1, p2, ... in the order in which probes were asked
 * for.
 */
#ifndef CLEW_WIRE_USER_PROBE_H
#define CLEW_WIRE_USER_PROBE_H

#include <stdint.h>

#include "wire/slotted.h"

#define WIRE_PROBES_MAX 32 /* as many as a table of values has columns */

/* p1, p2, ... */
static inline int wire_is_probe_name(const char *name)
{
	if (*name++ != 'p' || !*name)
		return 0;
	while (*name >= '0' && *name <= '9')
		name++;
	return !*name;
}

/* How a probe is reached. name, text for humans */
#define PROBE_TIERS(X)                                                         \
	X(NONE, "none")                                                        \
	X(JUMP, "jump")                                                        \
	X(TRAP, "int3")                                                        \
	X(STUB, "stub") /* of a hooked function: in its first bytes */

/*
 * Why there is no jump, or nothing at all. name, text for humans. Numbers lie in
 * recordings: append, never reorder.
 */
#define PROBE_REASONS(X)                                                       \
	X(NONE, "")                                                            \
	X(NOT_MAPPED, "no part of the file is mapped there")                   \
	X(NOT_EXECUTABLE, "not executable")                                    \
	X(NO_FUNCTION, "not inside a function that clew found")                \
	X(INSIDE_INSN, "in the middle of an instruction")                      \
	X(UNDECODABLE, "the instruction cannot be decoded")                    \
	X(BLIND, "its function contains bytes that cannot be decoded")         \
	X(UNREACHED, "no known control flow reaches it: it may be data")       \
	X(UNMOVABLE,                                                           \
	  "the instruction exposes its own address: it cannot be moved")       \
	X(BRANCH_INTO, "a branch targets the bytes that a jump needs")         \
	X(TOO_SHORT, "its function ends in the bytes that a jump needs")       \
	X(COMPUTED, "its function has computed jumps, which may target the "   \
		    "bytes after it")                                          \
	X(CALL_INSIDE,                                                         \
	  "a call or a similar instruction is in the bytes that a jump needs") \
	X(OTHER_PROBE, "a probe or hook is in the bytes that a jump needs")    \
	X(WATCHED, "inside bytes that clew displaces to follow exceptions")    \
	X(SIGNAL_FRAME,                                                        \
	  "signal trampoline: unwinders recognize it by its bytes")            \
	X(NO_TRAP, "needs a breakpoint, which clew cannot use in its module")  \
	X(TWICE, "another probe is at the same address")                       \
	X(NO_MODULE, "no such module was loaded")                              \
	X(NO_NAME, "no hooked module has a function of that name")             \
	X(MODULE, "its module is not hooked")                                  \
	X(CHANGED, "code in memory differs from the file")                     \
	X(NO_ROOM, "no free memory within reach of a jump")                    \
	X(NO_MEMORY, "out of memory")                                          \
	X(UNPATCHABLE, "the code could not be written")                        \
	X(NO_RETURN, "its function has no instruction that returns")           \
	X(LEAVES_IF, "its function returns through a conditional jump")        \
	X(DISPLACED,                                                           \
	  "its bytes are displaced by a hook: use clew record --probe")        \
	X(NO_HOOK, "its function is not counted now, to keep the --budget")

enum probe_tier {
#define X(name, text) PROBE_BY_##name,
	PROBE_TIERS(X)
#undef X
		PROBE_TIER_COUNT
};

enum probe_reason {
#define X(name, text) PROBE_IS_##name,
	PROBE_REASONS(X)
#undef X
		PROBE_REASON_COUNT
};

static inline const char *probe_tier_text(unsigned int tier)
{
	static const char *const texts[] = {
#define X(name, text) text,
		PROBE_TIERS(X)
#undef X
	};

	return tier < PROBE_TIER_COUNT ? texts[tier] : "unknown";
}

static inline const char *probe_reason_text(unsigned int reason)
{
	static const char *const texts[] = {
#define X(name, text) (text),
		PROBE_REASONS(X)
#undef X
	};

	return reason < PROBE_REASON_COUNT ? texts[reason] : "unknown reason";
}

/*
 * The ':' between a module and a place, which a C++ name has none of but in "::". NULL:
 * no module is named. What follows a blank is a remark.
 */
static inline const char *probe_text_colon(const char *text)
{
	for (; *text && *text != ' '; text++) {
		if (*text != ':')
			continue;
		if (text[1] != ':')
			return text;
		text++;
	}
	return 0;
}

/* A probe that was asked for, and its text: p1 is number 0. */
struct wire_probe {
	uint32_t bytes; /* of this record, text included, a multiple of 8 */
	uint32_t text_bytes;
	uint32_t number;
	uint32_t is_removed; /* by clew probe rm; its hits stay */
};
_Static_assert(sizeof(struct wire_probe) == 16, "on the wire");

/* A place of a probe in a module, which need not be loaded any more. */
struct wire_probe_place {
	uint64_t vaddr; /* of the instruction, in the module's file */
	/* The number of a function of the module's; 0: its module has none. */
	uint32_t function;
	uint16_t probe; /* its number */
	uint8_t tier;   /* enum probe_tier */
	uint8_t reason; /* enum probe_reason */
};
_Static_assert(sizeof(struct wire_probe_place) == 16, "on the wire");

/*
 * What they do is told likewise (WIRE_PROBE_ACTIONS): a wire_probe for each line that
 * was said of one (expression/probe_action.h).
 */

#define WIRE_PROBE_FIELDS_MAX 16

/* How a value is shown, numbers or what is there. */
enum wire_field_format {
	WIRE_FIELD_DECIMAL = 'd',
	WIRE_FIELD_UNSIGNED = 'u',
	WIRE_FIELD_HEX = 'x',
	WIRE_FIELD_CHARACTER = 'c',
	WIRE_FIELD_STRING = 's',
};

/* A value that is kept of each hit, and the text by which it was asked for. */
struct wire_probe_field {
	uint32_t bytes; /* of this record, text included, a multiple of 8 */
	uint32_t text_bytes;
	uint16_t probe; /* its number */
	uint8_t index;  /* among the probe's */
	uint8_t format; /* enum wire_field_format */
	/*
	 * Where it is in an event: a word. Of a string the number of its bytes, which
	 * follow it; as many as are asked for may be some of them only.
	 */
	uint16_t offset;
	uint16_t
		string_bytes; /* that were asked for; the room is a multiple of 8 */
};
_Static_assert(sizeof(struct wire_probe_field) == 16, "on the wire");

/* ---- What was found ---- */

/*
 * Hits of one probe, in a chunk of several, filled by any thread:
 *
 *	wire_probe_events | event | event | ...
 *
 * where an event is a wire_probe_event and its values.
 */
struct wire_probe_events {
	struct wire_slots slots;
	uint32_t event_bytes; /* a multiple of 8 */
	uint32_t probe;       /* its number */
};
_Static_assert(sizeof(struct wire_probe_events) == 16, "on the wire");

struct wire_probe_event {
	uint64_t tsc;
	uint64_t id; /* of the context, 0: none */
	uint32_t tid;
	uint16_t failed; /* bit by index: a value that could not be had */
	_Atomic uint16_t is_there; /* stored last, release */
};
_Static_assert(sizeof(struct wire_probe_event) == 24, "on the wire");

/* Of each probe, by number: hits that left nothing else behind. Any thread. */
struct wire_probe_hits {
	_Atomic uint64_t refused; /* its condition did not hold */
	_Atomic uint64_t unknown; /* ... could not be told: no such memory */
	_Atomic uint64_t wanted; /* passed the condition; beyond a limit, too */
	_Atomic uint64_t over;   /* the limit: neither counted nor kept */
	_Atomic uint64_t lost_no_space; /* counted, but the recording is full */
	_Atomic uint64_t lost_too_many; /* ... there are more than are kept */
	/*
	 * While the thread was in a handler (WIRE_PROBE_ACTIONS has "call"): by the
	 * handler itself, or by a signal's on top of it. Not counted, nor anything else.
	 */
	_Atomic uint64_t inside;
	_Atomic uint64_t
		uncalled; /* counted, when the handler was not loaded */
};
_Static_assert(sizeof(struct wire_probe_hits) == 64, "on the wire");

/* A handler that crashed, and the name of the file whose code did (may be another's). */
struct wire_handler_crash {
	uint32_t bytes; /* of this record, text included, a multiple of 8 */
	uint32_t text_bytes;
	uint64_t vaddr;   /* in that file; without one, in memory */
	uint64_t address; /* that the signal tells of */
	uint32_t tid;
	uint16_t probe; /* its number */
	uint8_t signal;
	uint8_t reserved;
};
_Static_assert(sizeof(struct wire_handler_crash) == 32, "on the wire");

#endif
