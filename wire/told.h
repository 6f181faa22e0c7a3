/* SPDX-License-Identifier: MIT */
/*
 * What a recording (recording.h) knows of functions that no module has, and of
 * generated code: as other runtimes have told of it, Java's above all, or as clew has
 * seen it made. What natives ask of JNI is here, too.
 */
#ifndef CLEW_WIRE_TOLD_H
#define CLEW_WIRE_TOLD_H

#include <stdint.h>

/* What kind of functions a range of numbers is for. */
enum wire_range_kind {
	WIRE_RANGE_MODULE,    /* a module's: struct wire_module has the range */
	WIRE_RANGE_JAVA,      /* methods */
	WIRE_RANGE_GENERATED, /* other code that was made while the process ran */
	WIRE_RANGE_PROBE,     /* places that somebody has set a probe at */
	/*
	 * Java methods that call each other, as one function: the name is the array of
	 * their numbers, outermost first (WIRE_STACK_CUT: more are farther out).
	 */
	WIRE_RANGE_JAVA_STACK,
	WIRE_RANGE_JNI, /* functions of JNI's table (JNINativeInterface_) */
	/* Not functions: what natives asked JNI for by name */
	WIRE_RANGE_JNI_NAME,
	WIRE_RANGE_JAVA_NATIVE, /* native methods whose code is not hooked */
	/*
	 * Places that generated code calls from: where a call returns to and the
	 * time stamp of the first, in hexadecimal, with a blank between them. 0 is
	 * anywhere, for want of room.
	 */
	WIRE_RANGE_GENERATED_CALLER,
	/*
	 * Not functions: Java methods that do not tell of their calls, though others
	 * do. Behind the texts of the name one character says why (wire_java_digit()).
	 */
	WIRE_RANGE_JAVA_LEFT,
	WIRE_RANGE_KIND_COUNT
};

/* Why a Java method, or "*", a class, is as it was. */
enum wire_java_left {
	WIRE_JAVA_COUNTS, /* it is not: it tells of its calls */
	WIRE_JAVA_SMALL,  /* smaller than was asked for */
	WIRE_JAVA_CODE,   /* code that cannot be read, or a class */
	WIRE_JAVA_SUBROUTINES,
	WIRE_JAVA_LARGE, /* it would be larger than 65,535 bytes, or is compiled */
	WIRE_JAVA_JUMP,        /* a jump would be too far */
	WIRE_JAVA_CONSTRUCTOR, /* that is not understood */
	WIRE_JAVA_CONSTANTS,   /* no room for more */
	WIRE_JAVA_ROOM,        /* no memory, or no number */
	WIRE_JAVA_MACHINE,     /* refused to change the class */
	WIRE_JAVA_PATTERN,     /* it is none of those that were asked for */
	WIRE_JAVA_NEEDED,      /* clew or the machine needs it as it is */
	WIRE_JAVA_STANDS_BY,   /* it is not: it tells of its calls at times */
	WIRE_JAVA_SHAPE,       /* some of its compiled code is not understood */
	WIRE_JAVA_LOADER,      /* the loader does not find the tracker */
	WIRE_JAVA_LEFT_COUNT
};

static inline char wire_java_digit(enum wire_java_left why)
{
	return (char)('0' + why);
}

/* Function numbers that are no module's. Those in use have a wire_name. */
struct wire_range {
	uint32_t first;
	uint32_t count;
	uint32_t kind; /* enum wire_range_kind */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_range) == 16, "on the wire");

#define WIRE_NAME_BYTES_MAX 4096
#define WIRE_STACK_MAX      (WIRE_NAME_BYTES_MAX / sizeof(uint32_t))
#define WIRE_STACK_CUT      UINT32_MAX

/*
 * What a function of a wire_range is called. Followed by the text (no NUL, padded
 * to 8); of a method of Java's, native ones, too, by the texts of a wire_binding, NULs
 * and all; and of one that tells of its calls by the digit of WIRE_JAVA_COUNTS or
 * WIRE_JAVA_STANDS_BY. The chunk's `used` covers whole ones only.
 */
struct wire_name {
	uint32_t number;
	uint32_t bytes; /* of text, at most WIRE_NAME_BYTES_MAX */
};
_Static_assert(sizeof(struct wire_name) == 8, "on the wire");

/*
 * WIRE_SOURCES: where methods of Java's are written, as far as their classes say. The
 * text is the file's path by the package, with a NUL, padded to 4 bytes, and
 * wire_lines in any order. A bytecode is of the line whose first one is the last
 * up to it.
 */
struct wire_line {
	uint16_t bytecode; /* index of the line's first */
	uint16_t line;
};
_Static_assert(sizeof(struct wire_line) == 4, "on the wire");

#define WIRE_SOURCE_BYTES_MAX 60000

/*
 * WIRE_CALL_PLACES: which bytecodes of a WIRE_RANGE_JAVA_STACK call. The text is the
 * array of their indices (uint16_t), one for each of its methods: that of the
 * innermost is the stack's own, those of others the first that were met.
 */
#define WIRE_BYTECODE_NONE UINT16_MAX

/*
 * A native method of Java's, and where its code was found. Followed by the text
 * (padded to 8): the class as its signature has it, the method's name, and its
 * signature, each with a NUL. A method may be bound again, and an address be bound to
 * several methods. The chunk's `used` covers whole ones only.
 */
struct wire_binding {
	uint64_t pc;
	uint64_t bound_ns; /* CLOCK_REALTIME */
	uint32_t bytes;    /* of text, at most WIRE_BINDING_BYTES_MAX */
	/*
	 * That it counts as, in a WIRE_RANGE_JAVA_NATIVE; 0, WIRE_INTRINSIC: it counts
	 * as its code does
	 */
	uint32_t number;
};
_Static_assert(sizeof(struct wire_binding) == 24, "on the wire");

#define WIRE_BINDING_BYTES_MAX 8192

/* The machine may have code of its own for it, and not call it. */
#define WIRE_INTRINSIC UINT32_MAX

enum wire_code_kind {
	WIRE_CODE_JAVA,  /* of a method, with the text of a wire_binding */
	WIRE_CODE_OTHER, /* the runtime's own; the text is a name */
	WIRE_CODE_GONE,  /* what began there; without a text */
	/* Of a symbol of an object that was registered; the text is its name */
	WIRE_CODE_REGISTERED,
	WIRE_CODE_UNREAD, /* registered, without names; `object` is why */
};

/* Why code that was registered has no names. */
enum wire_unread {
	WIRE_UNREAD_FILE, /* of a symbol file nothing was understood */
	WIRE_UNREAD_ALL,  /* registrations of a module are not noticed */
};

/*
 * Code that a runtime has made, as it told of it. Of what is at one address the
 * newest counts. Followed by the text (padded to 8). The chunk's `used` covers whole
 * ones only.
 */
struct wire_code {
	uint64_t start;
	/* When it was told: later than it came, or before it ran (REGISTERED) */
	uint64_t tsc;
	uint32_t code_bytes;
	uint32_t bytes;  /* of text, at most WIRE_BINDING_BYTES_MAX */
	uint32_t kind;   /* enum wire_code_kind */
	uint32_t object; /* REGISTERED, and when it is GONE: whose; 0: none */
};
_Static_assert(sizeof(struct wire_code) == 32, "on the wire");

/* What a note on JNI is about. */
enum wire_jni_what {
	WIRE_JNI_LOOKUP,   /* one name was asked for */
	WIRE_JNI_COPY,     /* amount: bytes that were copied; most: at once */
	WIRE_JNI_CRITICAL, /* sections of over 1 ms; amount: ns; most: of one */
	WIRE_JNI_LOCALS,   /* calls of natives with too many; most: at once */
	WIRE_JNI_GLOBALS,  /* made; amount: deleted of these */
	WIRE_JNI_WHAT_COUNT
};

/*
 * What is worth knowing of the calls of one of JNI's functions in one context, in
 * one tally. Valid once id is not 0 (stored last, release). The tally's thread writes
 * what follows; of GLOBALS any thread adds to the amount, atomically.
 */
struct wire_jni_note {
	_Atomic uint64_t id; /* the context: that of the function's call */
	uint64_t key;        /* the runtime's own: of the name */
	uint32_t tally;      /* its number */
	uint32_t what;       /* enum wire_jni_what */
	uint32_t name; /* LOOKUP: of a WIRE_RANGE_JNI_NAME; 0: of several */
	uint32_t reserved;
	_Atomic uint64_t count, amount, most;
	uint64_t unused;
};
_Static_assert(sizeof(struct wire_jni_note) == 64, "on the wire");

/*
 * Memory that a module's code made executable, or that it has a name from then on: of
 * what is at one address the newest counts. Followed by the name of the mapping, if it
 * has one (no NUL, padded to 8). The chunk's `used` covers whole ones only.
 */
struct wire_maker {
	uint64_t start, end;
	uint64_t tsc;              /* before anything there can run */
	_Atomic uint64_t gone_tsc; /* runtime; it is unmapped; 0: it is not */
	/* In the text of the module that asked for it; 0: nobody knows who did */
	uint64_t pc;
	uint32_t bytes; /* of text, at most WIRE_MAKER_BYTES_MAX */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_maker) == 48, "on the wire");

#define WIRE_MAKER_BYTES_MAX 256

/*
 * The memory of the wire_maker with the same start and stamp is mapped from a file,
 * from `offset` on. If a module is loaded from that file, its code at `pc` is what the
 * memory has at `start`.
 */
struct wire_mapped_code {
	uint64_t start;
	uint64_t tsc;
	uint64_t device; /* major << 32 | minor */
	uint64_t inode;
	uint64_t offset;
	uint64_t pc; /* 0: no module is */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct wire_mapped_code) == 64, "on the wire");

/*
 * What is inlined where in a piece of code (WIRE_CODE_JAVA) that has the same start
 * and stamp. Followed by the numbers of methods, as many as it says, and numbers in
 * LEB128, in all so many bytes, padded to 8: for each place, in order of address,
 *
 *	how many bytes its code ends behind that of the place before, or the start: a
 *	pc is of the first place that does not end before it
 *	how many new frames there are, and for each of them
 *		its method, an index into the numbers
 *		1 + index of the bytecode; 0: unknown
 *		its caller: by how many frames it is older; 0: the frame is outermost
 *	if none is new: by how many frames that of the place is older than the newest
 *
 * The frame of a place, the innermost there, is the newest if any is new. The chunk's
 * `used` covers whole ones only.
 */
struct wire_code_lines {
	uint64_t start;
	uint64_t tsc;
	uint32_t bytes; /* at most WIRE_CODE_LINES_BYTES_MAX */
	uint32_t methods;
};
_Static_assert(sizeof(struct wire_code_lines) == 24, "on the wire");

#define WIRE_CODE_LINES_BYTES_MAX 30000

#endif
