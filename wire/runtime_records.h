/* SPDX-License-Identifier: MIT */
/*
 * Records in a recording (recording.h) about functions outside modules, about
 * generated code, and about calls of JNI functions by native methods. A
 * language runtime, usually the JVM, has reported their data, or clew has
 * observed it.
 */
#ifndef CLEW_WIRE_RUNTIME_RECORDS_H
#define CLEW_WIRE_RUNTIME_RECORDS_H

#include <stdint.h>

/* The meaning of the numbers in a wire_range. */
enum wire_range_kind {
	WIRE_RANGE_MODULE, /* functions of a module: see struct wire_module */
	WIRE_RANGE_JAVA,   /* Java methods */
	WIRE_RANGE_GENERATED, /* code generated while the process runs */
	WIRE_RANGE_PROBE,     /* addresses with a user's probe */
	/*
	 * Stacks of Java methods, each of which calls the next; a whole stack
	 * has one number, like a function.
	 */
	WIRE_RANGE_JAVA_STACK,
	/* functions of JNI, by their indices in JNINativeInterface_ */
	WIRE_RANGE_JNI,
	/* Not functions: names that native methods looked up through JNI. */
	WIRE_RANGE_JNI_NAME,
	WIRE_RANGE_JAVA_NATIVE, /* native methods whose code is not hooked */
	WIRE_RANGE_GENERATED_CALLER, /* call sites in generated code */
	/*
	 * Java methods whose calls are not counted, though those of other
	 * methods are.
	 */
	WIRE_RANGE_JAVA_LEFT,
	WIRE_RANGE_IMPORTED, /* functions of another tool: imported.h */
	WIRE_RANGE_KIND_COUNT
};

/* Why a Java method, or a whole class (method "*"), was not changed. */
enum wire_java_left {
	WIRE_JAVA_COUNTS, /* the method was changed and reports its calls */
	WIRE_JAVA_SMALL,  /* the method is smaller than the requested minimum */
	WIRE_JAVA_CODE,   /* the method's code or its class cannot be parsed */
	WIRE_JAVA_SUBROUTINES,
	/*
	 * The method's code, stack, local variables or stack map would exceed
	 * a limit of class files, or its code the JVM's limit for compilation.
	 */
	WIRE_JAVA_LARGE,
	WIRE_JAVA_JUMP,        /* a jump distance would be too large */
	WIRE_JAVA_CONSTRUCTOR, /* a constructor that clew cannot parse */
	WIRE_JAVA_CONSTANTS,   /* the class's constant pool is full */
	WIRE_JAVA_ROOM,        /* no memory, or no number left */
	WIRE_JAVA_MACHINE,     /* the JVM refused to change the class */
	WIRE_JAVA_PATTERN,     /* the user's patterns do not select it */
	WIRE_JAVA_NEEDED,      /* clew or the JVM needs it unchanged */
	/*
	 * The method was changed. The method reports its calls only while
	 * counting is switched on (--java=standby).
	 */
	WIRE_JAVA_STANDS_BY,
	WIRE_JAVA_SHAPE,  /* some of its compiled code is not recognized */
	WIRE_JAVA_LOADER, /* the class's loader does not find the tracker */
	WIRE_JAVA_LEFT_COUNT
};

/*
 * Value of wire_method.left for a method that is recorded only because it calls
 * native methods.
 */
#define WIRE_JAVA_NAMED UINT32_MAX

/*
 * A range of function numbers outside modules. Each number that is used has a
 * record of one of the kinds in WIRE_NUMBER_RECORDS.
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
 * wire_numbered and is padded to 8 bytes. The chunk's `used` includes only
 * records that are completely written.
 *
 *	NAMES		functions that have only a name; names for JNI
 *	METHODS		Java methods
 *	STACKS		stacks of Java methods, each of which calls the next
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
#define WIRE_STACK_MAX        1024 /* methods in a stack */

struct wire_numbered {
	uint32_t number;
	/* Size of the record with what follows, without the padding. */
	uint32_t bytes;
};
_Static_assert(sizeof(struct wire_numbered) == 8, "on the wire");

/* The name follows, up to the end of the record, without a NUL. */
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
	/* size of the class, as a type signature "La/b/C;" */
	uint16_t class_bytes;
	uint16_t name_bytes; /* size of the method's name */
	/* size of a signature like "(ILjava/lang/String;)V" */
	uint16_t signature_bytes;
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
 * A stack of Java methods, outermost first; each method calls the next. `count`
 * numbers of methods (uint32_t) follow, at least one. Then follows for each
 * method the index (uint16_t) of its calling bytecode, or WIRE_BYTECODE_NONE.
 * The innermost index holds for all calls from the stack. The other indices are
 * those of the first call and may differ in later ones.
 */
struct wire_stack {
	struct wire_numbered head;
	uint32_t count; /* number of methods */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_stack) == 16, "on the wire");

#define WIRE_STACK_METHOD_BYTES (sizeof(uint32_t) + sizeof(uint16_t))
/*
 * Stored instead of the first method's number if the stack was cut: the next
 * method then has further callers.
 */
#define WIRE_STACK_CUT     UINT32_MAX
#define WIRE_BYTECODE_NONE UINT16_MAX

/*
 * The source file and lines of a Java method, as far as its class contains
 * them. `lines` records wire_line follow in any order, and then the file's path
 * as the package implies it ("a/b/C.java"), with a NUL. A bytecode belongs to
 * the wire_line with the greatest `bytecode` that does not exceed its index.
 */
struct wire_source {
	struct wire_numbered head;
	uint32_t lines;
	uint32_t path_bytes; /* size of the path with its NUL */
};
_Static_assert(sizeof(struct wire_source) == 16, "on the wire");

struct wire_line {
	/* Index of the first bytecode that belongs to the line. */
	uint16_t bytecode;
	uint16_t line;
};
_Static_assert(sizeof(struct wire_line) == 4, "on the wire");

/* A call site in generated code. */
struct wire_caller {
	struct wire_numbered head;
	/*
	 * The return address of the call. 0 stands for all call sites for which
	 * there was no room.
	 */
	uint64_t pc;
	uint64_t tsc; /* time stamp of the first call */
};
_Static_assert(sizeof(struct wire_caller) == 24, "on the wire");

/*
 * A native Java method and the address of its code. The texts follow (padded to
 * 8). A method may be bound several times, and several methods may be bound to
 * one address. The chunk's `used` includes only bindings that are completely
 * written.
 */
struct wire_binding {
	uint64_t pc;
	uint64_t bound_ns; /* CLOCK_REALTIME */
	struct wire_method_texts texts;
	/*
	 * The number under which the method's calls are counted, in a
	 * WIRE_RANGE_JAVA_NATIVE. 0 or WIRE_INTRINSIC: its calls are counted
	 * under the number of the function at pc, if this function is hooked.
	 */
	uint32_t number;
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_binding) == 32, "on the wire");

/*
 * Value of wire_binding.number: the JVM may execute code of its own instead of
 * a call of the method.
 */
#define WIRE_INTRINSIC UINT32_MAX

enum wire_code_kind {
	WIRE_CODE_JAVA,  /* a Java method, with its three texts */
	WIRE_CODE_OTHER, /* code of the runtime itself, with a name */
	/* the code at `start` was freed; the record has no text */
	WIRE_CODE_GONE,
	/* A symbol of a registered object, with its name. */
	WIRE_CODE_REGISTERED,
	/* Registered code without names; `object` is an enum wire_unread. */
	WIRE_CODE_UNREAD,
};

/* Why registered code has no names. */
enum wire_unread {
	WIRE_UNREAD_FILE, /* its symbol file could not be parsed */
	WIRE_UNREAD_ALL,  /* registrations of a module are not observed */
};

/*
 * A piece of generated code that a runtime has reported. If several records
 * contain an address, the newest one before a given time is valid for that
 * time. The texts follow (padded to 8). The chunk's `used` includes only
 * records that are completely written.
 */
struct wire_code {
	uint64_t start;
	/*
	 * Time stamp of the report, which is after the code was created; for
	 * WIRE_CODE_REGISTERED before the code runs.
	 */
	uint64_t tsc;
	uint32_t code_bytes;
	uint32_t kind; /* enum wire_code_kind */
	/*
	 * WIRE_CODE_REGISTERED, and WIRE_CODE_GONE of such code: number of the
	 * registered object; 0: none
	 */
	uint32_t object;
	uint32_t reserved;
	struct wire_method_texts texts; /* a name alone has the name's size */
};
_Static_assert(sizeof(struct wire_code) == 40, "on the wire");

/*
 * The kind of event that a wire_jni_note counts, and the meaning of the note's
 * numbers. `count` is always the number of events.
 */
enum wire_jni_event {
	WIRE_JNI_LOOKUP, /* a name was looked up */
	/* A copy; amount: bytes copied; most: greatest number in one call. */
	WIRE_JNI_COPY,
	/*
	 * A critical section of more than 1 ms; amount: total nanoseconds;
	 * most: nanoseconds of the longest section.
	 */
	WIRE_JNI_CRITICAL,
	/*
	 * A call of a native method that held too many local references; most:
	 * greatest number of these in one call.
	 */
	WIRE_JNI_LOCALS,
	/*
	 * A global reference that was created; amount: number of these that
	 * were deleted.
	 */
	WIRE_JNI_GLOBALS,
	WIRE_JNI_EVENT_COUNT
};

/*
 * A note on JNI functions: the sum of events of one kind and name, in one
 * context and one tally. Valid if id is not 0 (stored last, release). Only the
 * tally's thread writes it, except that any thread adds to `amount` of
 * WIRE_JNI_GLOBALS, atomically.
 */
struct wire_jni_note {
	_Atomic uint64_t id; /* context of the call of the JNI function */
	uint64_t key;        /* used by the library only: key of the name */
	uint32_t tally;      /* number of the tally */
	uint32_t what;       /* enum wire_jni_event */
	/*
	 * with LOOKUP, the name's number in a WIRE_RANGE_JNI_NAME; 0 stands for
	 * several names
	 */
	uint32_t name;
	uint32_t reserved;
	_Atomic uint64_t count, amount, most;
	uint64_t unused;
};
_Static_assert(sizeof(struct wire_jni_note) == 64, "on the wire");

/*
 * Memory that was made executable, or was given a name, by a system call. If
 * several records contain an address, the newest one before a given time is
 * valid for that time. The name of the mapping follows, if it has one (no NUL,
 * padded to 8). The chunk's `used` includes only records that are completely
 * written.
 */
struct wire_maker {
	uint64_t start, end;
	uint64_t tsc; /* time stamp before any code in this memory can run */
	/* Time stamp when clew noticed its unmapping; 0: not noticed. */
	_Atomic uint64_t gone_tsc;
	/*
	 * Address in the code of the module that made the system call; 0:
	 * unknown.
	 */
	uint64_t pc;
	uint32_t bytes; /* size of the text, at most WIRE_MAKER_BYTES_MAX */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_maker) == 48, "on the wire");

#define WIRE_MAKER_BYTES_MAX 256

/*
 * Describes the memory of the wire_maker with the same `start` and `tsc`: it is
 * a mapping of a file, from `offset` on. If a module is loaded from the same
 * file, the code at `start` equals the module's code at `pc`.
 */
struct wire_mapped_code {
	uint64_t start;
	uint64_t tsc;
	uint64_t device; /* device of the file, major << 32 | minor */
	uint64_t inode;
	uint64_t offset;
	uint64_t pc; /* 0 if no module is loaded from the file */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct wire_mapped_code) == 64, "on the wire");

/*
 * The inlined methods in the code of the wire_code with the same `start` and
 * `tsc`, which is of kind WIRE_CODE_JAVA. Behind this struct follow `methods`
 * numbers of methods, then `bytes` bytes of LEB128 values, padded to 8. A place
 * is a range of code with the same frames. For each place, in order of address,
 * the values are:
 *
 *	the end of the place, in bytes after the end of the place before, or
 *		after the start: a pc belongs to the first place that does
 *		not end before the pc
 *	the number of new frames, and for each of them
 *		the frame's method, as an index into the numbers
 *		1 + index of the bytecode; 0: unknown
 *		its caller, as the difference of both frames' positions in the
 *			order in which frames appear here; 0: the frame is the
 *			outermost
 *	without new frames: the place's frame, as the difference of its
 *		position from the newest frame's
 *
 * The frame of a place is the innermost one of its frames. In a place with new
 * frames, the last of these is the place's frame. The chunk's `used` includes
 * only records that are completely written.
 */
struct wire_code_lines {
	uint64_t start;
	uint64_t tsc;
	/* Size of the lines, at most WIRE_CODE_LINES_BYTES_MAX. */
	uint32_t bytes;
	uint32_t methods;
};
_Static_assert(sizeof(struct wire_code_lines) == 24, "on the wire");

#define WIRE_CODE_LINES_BYTES_MAX 30000

#endif
