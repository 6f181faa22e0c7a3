/* SPDX-License-Identifier: MIT */
/*
 * What a stress build of the runtime found wrong with its own structures.
 *
 * A build with CLEW_STRESS walks them at each fork and at the end of the
 * process. Finding one broken is a defect of clew, never of the program: it is
 * recorded (wire/recording.h), and every report shows it as a problem.
 *
 * Numbers are part of the recording: append, never reorder.
 */
#ifndef CLEW_WIRE_VIOLATION_H
#define CLEW_WIRE_VIOLATION_H

/* name, text for humans */
#define VIOLATIONS(X)                                                          \
	X(NONE, "nothing")                                                     \
	X(CHUNK_BYTES, "a chunk's length does not fit where it is mapped")     \
	X(CHUNK_KIND, "a chunk is of no known kind")                           \
	X(CHUNK_USED, "a chunk says that it holds more than it can")           \
	X(CHUNK_FREE, "a chunk that was given back is in use")                 \
	X(CHUNKS_END, "the chunks do not end where the header says")           \
	X(MODULE_BYTES, "a module's record does not fit its chunk")            \
	X(MODULE_NUMBERS, "functions of two modules have the same number")     \
	X(MODULES_MISSING, "functions of no module have a number")

enum violation {
#define X(name, text) VIOLATION_IS_##name,
	VIOLATIONS(X)
#undef X
		VIOLATION_COUNT
};

static inline const char *violation_text(unsigned int violation)
{
	static const char *const texts[] = {
#define X(name, text) text,
		VIOLATIONS(X)
#undef X
	};

	return violation < VIOLATION_COUNT ? texts[violation]
					   : "unknown violation";
}

#endif
