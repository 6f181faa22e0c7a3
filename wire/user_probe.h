/* SPDX-License-Identifier: MIT */
/*
 * A user's probes (clew record --probe, clew probe): how the code at a probe's
 * address leads to the probe, or why a probe could not be set, and the records
 * about probes.
 *
 * A probe is set at one address or at several: a probe with %return is set at
 * each instruction that leaves its function. Hits are counted as values of
 * contexts (context_values.h). The columns have the names p1, p2, ... in the
 * order in which the probes were requested.
 */
#ifndef CLEW_WIRE_USER_PROBE_H
#define CLEW_WIRE_USER_PROBE_H

#include <stdint.h>

#include "wire/slotted.h"

/* Maximum number of probes: a table of values has at most 32 columns. */
#define WIRE_PROBES_MAX 32

/* Returns whether the name is a p with one or more digits, as in p1. */
static inline int wire_is_probe_name(const char *name)
{
	if (*name++ != 'p' || !*name)
		return 0;
	while (*name >= '0' && *name <= '9')
		name++;
	return !*name;
}

/* The kinds of patches that lead to a probe: name, text for humans. */
#define PROBE_TIERS(X)                                                         \
	X(NONE, "none")                                                        \
	X(JUMP, "jump")                                                        \
	X(TRAP, "int3")                                                        \
	X(STUB, "stub") /* the probe is in the bytes that a hook displaces */

/*
 * Why a probe has no jump, or could not be set at all: name, text for humans.
 * The numbers are part of recordings: append, never reorder.
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
	X(NO_HOOK, "its function is not counted now, to keep the --budget")    \
	X(NO_END, "clew can see the end of a call only if the function is "    \
		  "hooked and calls another one")

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
 * Returns the ':' between the module and the location in the text of a probe,
 * or NULL if the text names no module. C++ names contain ':' only in "::". The
 * search ends at a blank, because the text behind it is a remark.
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

/* A requested probe; its text follows. Number 0 is p1. */
struct wire_probe {
	uint32_t bytes; /* size of this record with its text, a multiple of 8 */
	uint32_t text_bytes;
	uint32_t number;
	/*
	 * 1 if the probe was removed by `clew probe rm`. The probe's hits stay
	 * in the recording.
	 */
	uint32_t is_removed;
};
_Static_assert(sizeof(struct wire_probe) == 16, "on the wire");

/*
 * An address of a probe in a module, which may have been unloaded since. The
 * probe is set there unless tier is PROBE_BY_NONE.
 */
struct wire_probe_place {
	uint64_t vaddr; /* address of the instruction in the module's file */
	/*
	 * Number of the module's function that contains the address; 0: none.
	 */
	uint32_t function;
	uint16_t probe; /* number of the probe */
	uint8_t tier;   /* enum probe_tier */
	/*
	 * enum probe_reason: why the tier is PROBE_BY_NONE or PROBE_BY_TRAP;
	 * otherwise PROBE_IS_NONE.
	 */
	uint8_t reason;
};
_Static_assert(sizeof(struct wire_probe_place) == 16, "on the wire");

/*
 * The actions of probes (WIRE_PROBE_ACTIONS): a wire_probe for each line of a
 * probe's actions (expression/probe_action.h).
 */

#define WIRE_PROBE_FIELDS_MAX 16

/* How a value is displayed. */
enum wire_field_format {
	WIRE_FIELD_DECIMAL = 'd',
	WIRE_FIELD_UNSIGNED = 'u',
	WIRE_FIELD_HEX = 'x',
	WIRE_FIELD_CHARACTER = 'c',
	WIRE_FIELD_STRING = 's',
};

/*
 * A value that is recorded with each event of a probe. The text by which the
 * user has requested it follows.
 */
struct wire_probe_field {
	uint32_t bytes; /* size of this record with its text, a multiple of 8 */
	uint32_t text_bytes;
	uint16_t probe; /* number of the probe */
	uint8_t index;  /* index in the probe's fields */
	uint8_t format; /* enum wire_field_format */
	/*
	 * Index of the value's 8-byte word in an event. For a string this word
	 * is the length in bytes, and the bytes follow; a string of the maximum
	 * length may be cut.
	 */
	uint16_t offset;
	/*
	 * Requested maximum length of a string; its space in the event is
	 * rounded up to a multiple of 8.
	 */
	uint16_t string_bytes;
};
_Static_assert(sizeof(struct wire_probe_field) == 16, "on the wire");

/* ---- Results ---- */

/*
 * The recorded hits of one probe. A probe may have several such chunks, to
 * which any thread adds:
 *
 *	wire_probe_events | event | event | ...
 *
 * An event is a wire_probe_event, followed by its values.
 */
struct wire_probe_events {
	struct wire_slots slots;
	uint32_t event_bytes; /* size of an event, a multiple of 8 */
	uint32_t probe;       /* number of the probe */
};
_Static_assert(sizeof(struct wire_probe_events) == 16, "on the wire");

struct wire_probe_event {
	uint64_t tsc;
	uint64_t id; /* id of the context; 0: none */
	uint32_t tid;
	/* bit i is set if the value with index i could not be read */
	uint16_t failed;
	/* 1 if the event is complete. Stored last, with release. */
	_Atomic uint16_t is_there;
};
_Static_assert(sizeof(struct wire_probe_event) == 24, "on the wire");

/*
 * Numbers of one probe's hits with special outcomes; context_values.h has the
 * ordinary count. The index in the array of these structs is the probe's
 * number. Any thread may add to these numbers.
 */
struct wire_probe_hits {
	/*
	 * Neither counted nor recorded: the probe's condition did not hold, or
	 * the call was shorter than the action `slower` requires.
	 */
	_Atomic uint64_t refused;
	/*
	 * The condition, or the number of a region, could not be evaluated
	 * (unreadable memory, division by zero), or `slower` does not know when
	 * the call began. Neither counted nor recorded; for a region: counted,
	 * but the region is missing.
	 */
	_Atomic uint64_t unknown;
	/*
	 * For a probe with the action `limit`: hits whose condition held, also
	 * those beyond the limit. Otherwise 0.
	 */
	_Atomic uint64_t wanted;
	/*
	 * Beyond the limit: neither counted nor recorded. With the action
	 * `snapshot slowest`: counted, but without a snapshot that was
	 * retained.
	 */
	_Atomic uint64_t over;
	/* Counted, but not recorded: the recording could not grow. */
	_Atomic uint64_t lost_no_space;
	/*
	 * Counted, but not recorded: the maximum number of events was reached.
	 */
	_Atomic uint64_t lost_too_many;
	/*
	 * Hits while the thread was in a handler (WIRE_PROBE_ACTIONS has
	 * "call"): by the handler itself, or by a signal handler that
	 * interrupted it. Neither counted nor recorded.
	 */
	_Atomic uint64_t inside;
	/* Counted, but the handler could not be called: it is not loaded. */
	_Atomic uint64_t uncalled;
};
_Static_assert(sizeof(struct wire_probe_hits) == 64, "on the wire");

/*
 * A crash in a probe's handler. The name of the file whose code crashed
 * follows; it may be another file than the handler's.
 */
struct wire_handler_crash {
	uint32_t bytes; /* size of this record with its text, a multiple of 8 */
	uint32_t text_bytes;
	/*
	 * Where the code crashed: address in that file; without a file, in
	 * memory.
	 */
	uint64_t vaddr;
	uint64_t address; /* the address that the signal reports (si_addr) */
	uint32_t tid;
	uint16_t probe; /* number of the probe */
	uint8_t signal;
	uint8_t reserved;
};
_Static_assert(sizeof(struct wire_handler_crash) == 32, "on the wire");

#endif
