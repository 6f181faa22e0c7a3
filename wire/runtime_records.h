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
	/* Java methods that call each other, as one function. */
	WIRE_RANGE_JAVA_STACK,
	WIRE_RANGE_JNI, /* functions of JNI's table (JNINativeInterface_) */
	/* Not functions: names that native methods looked up through JNI. */
	WIRE_RANGE_JNI_NAME,
	WIRE_RANGE_JAVA_NATIVE, /* native methods whose code is not hooked */
	WIRE_RANGE_GENERATED_CALLER, /* call sites in generated code */
	/*
	 * Not functions: Java methods that do not report their calls, though
	 * other methods do.
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

/* Of a method whose name alone is recorded, since it calls native methods. */
#define WIRE_JAVA_NAMED UINT32_MAX

/*
 * Function numbers outside modules. Each number in use has a record of the kind
 * in WIRE_NUMBER_RECORDS.
 */
struct wire_range {
	uint32_t first;
	uint32_t count;
	uint32_t kind; /* enum wire_range_kind */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_range) == 16, "on the wire");

/*
 * The records about function numbers outside modules: the kind of chunk
 * (WIRE_...), the structure (wire_...), and the maximum size of what follows
 * the structure. All records of a chunk are of its kind. Each begins with a
 * wire_numbered and is padded to 8 bytes. The chunk's `used` covers complete
 * records only.
 *
 *	NAMES		functions that have only a name; names for JNI
 *	METHODS		Java methods
 *	STACKS		Java methods that call each other
 *	SOURCES		file and lines of a Java method, in addition to METHODS
 *	CALLERS		call sites in generated code
 */
#define WIRE_NUMBER_RECORDS(X)                                                 \
	X(NAMES, name, WIRE_NAME_BYTES_MAX)                                    \
	X(METHODS, method, WIRE_METHOD_BYTES_MAX)                              \
	X(STACKS, stack, WIRE_STACK_MAX *WIRE_STACK_METHOD_BYTES)              \
	X(SOURCES, source, WIRE_SOURCE_BYTES_MAX)                              \
	X(CALLERS, caller, 0)

#define WIRE_NAME_BYTES_MAX   4096
#define WIRE_METHOD_BYTES_MAX 8192
#define WIRE_SOURCE_BYTES_MAX 60000
#define WIRE_STACK_MAX        1024 /* methods */

struct wire_numbered {
	uint32_t number;
	/* Of the record with what follows, before the padding. */
	uint32_t bytes;
};
_Static_assert(sizeof(struct wire_numbered) == 8, "on the wire");

/* The text follows, up to the end of the record; it has no NUL. */
struct wire_name {
	struct wire_numbered head;
};
_Static_assert(sizeof(struct wire_name) == 8, "on the wire");

/*
 * The sizes of the texts of a method, which follow the record in this order.
 * Each text has a NUL, which its size includes; the size 0 stands for an empty
 * text. The sum is at most WIRE_METHOD_BYTES_MAX.
 */
struct wire_method_texts {
	uint16_t class_bytes;     /* as a type signature: "La/b/C;" */
	uint16_t name_bytes;      /* of the method */
	uint16_t signature_bytes; /* "(ILjava/lang/String;)V" */
	uint16_t reserved;
};
_Static_assert(sizeof(struct wire_method_texts) == 8, "on the wire");

/* A Java method, native ones included. The texts follow. */
struct wire_method {
	struct wire_numbered head;
	struct wire_method_texts texts;
	uint32_t left; /* enum wire_java_left, or WIRE_JAVA_NAMED */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_method) == 24, "on the wire");

/*
 * Java methods that call each other, outermost first. `count` numbers of
 * methods (uint32_t) follow, at least one, and then the indices (uint16_t) of
 * the bytecodes of their calls, or WIRE_BYTECODE_NONE. The innermost index
 * belongs to this stack; the others are the first that were seen.
 */
struct wire_stack {
	struct wire_numbered head;
	uint32_t count; /* of methods */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_stack) == 16, "on the wire");

#define WIRE_STACK_METHOD_BYTES (sizeof(uint32_t) + sizeof(uint16_t))
/* Instead of the first method: more methods follow farther out. */
#define WIRE_STACK_CUT     UINT32_MAX
#define WIRE_BYTECODE_NONE UINT16_MAX

/*
 * The source file and lines of a Java method, as far as its class contains
 * them. `lines` wire_lines follow in any order, and then the file's path by
 * package, with a NUL. A bytecode belongs to the wire_line with the greatest
 * `bytecode` at or below it.
 */
struct wire_source {
	struct wire_numbered head;
	uint32_t lines;
	uint32_t path_bytes; /* with the NUL */
};
_Static_assert(sizeof(struct wire_source) == 16, "on the wire");

struct wire_line {
	uint16_t bytecode; /* index of the line's first bytecode */
	uint16_t line;
};
_Static_assert(sizeof(struct wire_line) == 4, "on the wire");

/* A call site in generated code. */
struct wire_caller {
	struct wire_numbered head;
	/* Return address; 0: all sites that found no room. */
	uint64_t pc;
	uint64_t tsc; /* time stamp of the first call */
};
_Static_assert(sizeof(struct wire_caller) == 24, "on the wire");

/*
 * A native Java method and the address of its code. The texts follow (padded to
 * 8). A method may be bound again, and several methods to one address. The
 * chunk's `used` covers complete bindings only.
 */
struct wire_binding {
	uint64_t pc;
	uint64_t bound_ns; /* CLOCK_REALTIME */
	struct wire_method_texts texts;
	/*
	 * The number in a WIRE_RANGE_JAVA_NATIVE that its calls are counted as;
	 * 0 or WIRE_INTRINSIC: the number of its code.
	 */
	uint32_t number;
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_binding) == 32, "on the wire");

/* The JVM may replace the method by code of its own and not call it. */
#define WIRE_INTRINSIC UINT32_MAX

enum wire_code_kind {
	WIRE_CODE_JAVA,  /* a method, with its three texts */
	WIRE_CODE_OTHER, /* code of the runtime itself, with a name */
	WIRE_CODE_GONE,  /* the code that began there was freed; no text */
	/* A symbol of a registered object, with its name. */
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
 * is valid. The texts follow (padded to 8). The chunk's `used` covers complete
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
	uint32_t kind; /* enum wire_code_kind */
	/* REGISTERED, and its GONE: number of the object; 0: none */
	uint32_t object;
	uint32_t reserved;
	struct wire_method_texts texts; /* a name alone has the name's size */
};
_Static_assert(sizeof(struct wire_code) == 40, "on the wire");

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
