/* SPDX-License-Identifier: MIT */
/*
 * The part of a recording (recording.h) about functions outside modules and
 * about generated code: as runtimes have reported it, above all Java's, or as
 * clew has observed it. Also has the requests of native methods to JNI.
 */
#ifndef CLEW_WIRE_RUNTIME_RECORDS_H
#define CLEW_WIRE_RUNTIME_RECORDS_H

#include <stdint.h>

/* The kind of functions that a range of numbers is for. */
enum wire_range_kind {
	WIRE_RANGE_MODULE, /* functions of a module: see struct wire_module */
	WIRE_RANGE_JAVA,   /* methods */
	WIRE_RANGE_GENERATED, /* code generated while the process runs */
	WIRE_RANGE_PROBE,     /* addresses with a user's probe */
	/*
	 * Java methods that call each other, as one function: the name is the
	 * array of their numbers, outermost first (WIRE_STACK_CUT: more follow
	 * farther out).
	 */
	WIRE_RANGE_JAVA_STACK,
	WIRE_RANGE_JNI, /* functions of JNI's table (JNINativeInterface_) */
	/* Not functions: names that native methods looked up through JNI. */
	WIRE_RANGE_JNI_NAME,
	WIRE_RANGE_JAVA_NATIVE, /* native methods whose code is not hooked */
	/*
	 * Call sites in generated code: the return address and the time stamp
	 * of the first call, in hexadecimal, separated by a blank. 0 stands for
	 * all sites that found no room.
	 */
	WIRE_RANGE_GENERATED_CALLER,
	/*
	 * Not functions: Java methods that do not report their calls, though
	 * other methods do. A digit after the texts of the name gives the
	 * reason (wire_java_digit()).
	 */
	WIRE_RANGE_JAVA_LEFT,
	WIRE_RANGE_KIND_COUNT
};

/* Why a Java method, or a class ("*"), was not changed. */
enum wire_java_left {
	WIRE_JAVA_COUNTS, /* changed: it reports its calls */
	WIRE_JAVA_SMALL,  /* smaller than the requested minimum */
	WIRE_JAVA_CODE,   /* its code or its class cannot be parsed */
	WIRE_JAVA_SUBROUTINES,
	/*
	 * The method would exceed 65,535 bytes, or the limit for compilation.
	 */
	WIRE_JAVA_LARGE,
	WIRE_JAVA_JUMP,        /* a jump distance would be too large */
	WIRE_JAVA_CONSTRUCTOR, /* a constructor that clew cannot parse */
	WIRE_JAVA_CONSTANTS,   /* the constant pool is full */
	WIRE_JAVA_ROOM,        /* no memory, or no number left */
	WIRE_JAVA_MACHINE,     /* the JVM refused to change the class */
	WIRE_JAVA_PATTERN,     /* it matches none of the requested patterns */
	WIRE_JAVA_NEEDED,      /* clew or the JVM needs it unchanged */
	WIRE_JAVA_STANDS_BY,   /* changed: it reports its calls at times */
	WIRE_JAVA_SHAPE,       /* some of its compiled code is not recognized */
	WIRE_JAVA_LOADER,      /* its class loader does not find the tracker */
	WIRE_JAVA_LEFT_COUNT
};

static inline char wire_java_digit(enum wire_java_left why)
{
	return (char)('0' + why);
}

/* Function numbers outside modules. Each number in use has a wire_name. */
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
 * The name of a function of a wire_range. The text follows (no NUL, padded to
 * 8). The text of a Java method, also of a native one, is that of a
 * wire_binding, including its NULs. If the method reports its calls, the digit
 * of WIRE_JAVA_COUNTS or WIRE_JAVA_STANDS_BY follows. The chunk's `used` covers
 * complete names only.
 */
struct wire_name {
	uint32_t number;
	uint32_t bytes; /* of text, at most WIRE_NAME_BYTES_MAX */
};
_Static_assert(sizeof(struct wire_name) == 8, "on the wire");

/*
 * WIRE_SOURCES: source files and lines of Java methods, as far as their classes
 * contain them. The text is the file's path by package, with a NUL, padded to 4
 * bytes, then wire_lines in any order. A bytecode belongs to the wire_line with
 * the greatest `bytecode` at or below it.
 */
struct wire_line {
	uint16_t bytecode; /* index of the line's first bytecode */
	uint16_t line;
};
_Static_assert(sizeof(struct wire_line) == 4, "on the wire");

#define WIRE_SOURCE_BYTES_MAX 60000

/*
 * WIRE_CALL_PLACES: the bytecodes of the calls in a WIRE_RANGE_JAVA_STACK. The
 * text is the array of their indices (uint16_t), one for each method. The
 * innermost index belongs to this stack; the others are the first that were
 * seen.
 */
#define WIRE_BYTECODE_NONE UINT16_MAX

/*
 * A native Java method and the address of its code. The text follows (padded to
 * 8): the class as its signature has it, the method's name, and its signature,
 * each with a NUL. A method may be bound again, and several methods to one
 * address. The chunk's `used` covers complete bindings only.
 */
struct wire_binding {
	uint64_t pc;
	uint64_t bound_ns; /* CLOCK_REALTIME */
	uint32_t bytes;    /* of text, at most WIRE_BINDING_BYTES_MAX */
	/*
	 * The number in a WIRE_RANGE_JAVA_NATIVE that its calls are counted as;
	 * 0 or WIRE_INTRINSIC: the number of its code.
	 */
	uint32_t number;
};
_Static_assert(sizeof(struct wire_binding) == 24, "on the wire");

#define WIRE_BINDING_BYTES_MAX 8192

/* The JVM may replace the method by code of its own and not call it. */
#define WIRE_INTRINSIC UINT32_MAX

enum wire_code_kind {
	WIRE_CODE_JAVA,  /* a method; the text is that of a wire_binding */
	WIRE_CODE_OTHER, /* code of the runtime itself; the text is a name */
	WIRE_CODE_GONE,  /* the code that began there was freed; no text */
	/* A symbol of a registered object; the text is its name. */
	WIRE_CODE_REGISTERED,
	WIRE_CODE_UNREAD, /* registered without names; `object` is the reason */
};

/* Why registered code has no names. */
enum wire_unread {
	WIRE_UNREAD_FILE, /* its symbol file could not be parsed */
	WIRE_UNREAD_ALL,  /* registrations of a module are not observed */
};

/*
 * Generated code, as a runtime has reported it. The newest record of an address
 * is valid. The text follows (padded to 8). The chunk's `used` covers complete
 * records only.
 */
struct wire_code {
	uint64_t start;
	/*
	 * Time of the report: after the code was created, or (REGISTERED)
	 * before it ran.
	 */
	uint64_t tsc;
	uint32_t code_bytes;
	uint32_t bytes; /* of text, at most WIRE_BINDING_BYTES_MAX */
	uint32_t kind;  /* enum wire_code_kind */
	/* REGISTERED, and its GONE: number of the object; 0: none */
	uint32_t object;
};
_Static_assert(sizeof(struct wire_code) == 32, "on the wire");

/* The subject of a note on JNI. */
enum wire_jni_what {
	WIRE_JNI_LOOKUP,   /* a name was looked up */
	WIRE_JNI_COPY,     /* amount: bytes copied; most: in one call */
	WIRE_JNI_CRITICAL, /* sections over 1 ms; amount: ns; most: in one */
	/* Native calls with too many local references; most: in one. */
	WIRE_JNI_LOCALS,
	WIRE_JNI_GLOBALS, /* created; amount: deleted ones of these */
	WIRE_JNI_WHAT_COUNT
};

/*
 * A summary of the calls of one JNI function in one context and one tally.
 * Valid if id is not 0 (stored last, release). The tally's thread writes the
 * rest; any thread adds to the amount of GLOBALS, atomically.
 */
struct wire_jni_note {
	_Atomic uint64_t id; /* context of the function's call */
	uint64_t key;        /* private to the library: key of the name */
	uint32_t tally;      /* its number */
	uint32_t what;       /* enum wire_jni_what */
	/* LOOKUP: number in a WIRE_RANGE_JNI_NAME; 0: several names */
	uint32_t name;
	uint32_t reserved;
	_Atomic uint64_t count, amount, most;
	uint64_t unused;
};
_Static_assert(sizeof(struct wire_jni_note) == 64, "on the wire");

/*
 * Memory that a module's code made executable or named. The newest record of an
 * address is valid. The name of the mapping follows, if it has one (no NUL,
 * padded to 8). The chunk's `used` covers complete records only.
 */
struct wire_maker {
	uint64_t start, end;
	uint64_t tsc; /* before any code there can run */
	/* Written by the library; time of unmapping; 0: mapped. */
	_Atomic uint64_t gone_tsc;
	/* Address in the text of the module that requested it; 0: unknown. */
	uint64_t pc;
	uint32_t bytes; /* of text, at most WIRE_MAKER_BYTES_MAX */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_maker) == 48, "on the wire");

#define WIRE_MAKER_BYTES_MAX 256

/*
 * The memory of the wire_maker with the same start and stamp is a mapping of a
 * file at `offset`. If a module is loaded from that file, the code at `start`
 * equals the module's code at `pc`.
 */
struct wire_mapped_code {
	uint64_t start;
	uint64_t tsc;
	uint64_t device; /* major << 32 | minor */
	uint64_t inode;
	uint64_t offset;
	uint64_t pc; /* 0: no module is loaded from the file */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct wire_mapped_code) == 64, "on the wire");

/*
 * The inlined methods in a piece of code (WIRE_CODE_JAVA) with the same start
 * and stamp. `methods` numbers of methods follow, then LEB128 values, `bytes`
 * bytes in total, padded to 8. For each place, in order of address:
 *
 *	the end of its code, in bytes after the end of the place before, or
 *		after the start: a pc belongs to the first place that does not
 *		end before it
 *	the number of new frames, and for each of them
 *		its method, as an index into the numbers
 *		1 + index of the bytecode; 0: unknown
 *		its caller: by how many frames it is older; 0: outermost frame
 *	without new frames: by how many frames the place's frame is older than
 *		the newest
 *
 * The frame of a place is its innermost one: the newest frame, if any is new.
 * The chunk's `used` covers complete records only.
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
