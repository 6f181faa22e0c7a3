/* SPDX-License-Identifier: MIT */
/*
 * The recording, as it lies on disk.
 *
 * A recording is a directory:
 *
 *	config		what was asked for, in the words of clew-record(1) "RULES"
 *	PID.SEQ.part	one process image each: SEQ 0, then 1, 2... after execs
 *	PID.SEQ.perfmap	the code that it generated, as it announced it itself, in
 *	PID.SEQ.jitdump	a file that was copied when it had ended
 *	unrecorded	a line "PID WHY" for each that could not make a part. It
 *			is there, and has a block on the disk, from the
 *			beginning: a line can be added when the disk is full
 *
 * A part is a file that the runtime maps shared and writes in place. It is
 * valid at every instant, so nothing is lost when the target is killed, and a
 * reader may look while it grows:
 *
 *	+-------------+---------+---------+----   ----+---------+ . . .
 *	| wire_header |  chunk  |  chunk  |           |  chunk  |  not yet
 *	+-------------+---------+---------+----   ----+---------+ . . .
 *	0            4096                                      end
 *
 * The file may be longer than `end`, much longer while its process runs: what
 * is there means nothing, and most of it is a hole.
 *
 * Each chunk opens with a wire_chunk that says its kind and length, so that
 * unknown kinds are skipped. A chunk exists once `end` has moved past it: the
 * runtime stores `end` with release after the chunk's header, the reader loads
 * it with acquire before.
 *
 * Calls are counted in tallies. A tally belongs to one thread at a time and
 * has a count table (open addressing, keyed by id) and a list of contexts,
 * each recorded once, before its first count. Who calls whom follows from the
 * ids alone: the parent of a context is id_pop(id, id_key(function)).
 *
 * All integers are little-endian and naturally aligned.
 *
 * WIRE_VERSION is bumped when a record that exists changes: its size, its place,
 * or what a field means. It is not for what readers pass over: new kinds of
 * chunks, new values of enumerations at their ends, fields in what was reserved
 * and is 0 where nobody knows of them. Readers read all versions from
 * WIRE_VERSION_OLDEST on, and say how many records of unknown kinds they have
 * passed over. tests/kept/ has recordings of each version that is still read.
 */
#ifndef CLEW_WIRE_RECORDING_H
#define CLEW_WIRE_RECORDING_H

#include <stdint.h>

#define WIRE_MAGIC           "clewrec\n"
#define WIRE_VERSION         5
#define WIRE_VERSION_OLDEST  5
#define WIRE_HEADER_BYTES    4096
#define WIRE_PAGE_BYTES      4096
#define WIRE_PART_SUFFIX     ".part"
#define WIRE_STUBS_SUFFIX    ".stubs" /* not read: preload/stubs/stub_memory.h */
#define WIRE_MAP_SUFFIX      ".perfmap"
#define WIRE_JITDUMP_SUFFIX  ".jitdump"
#define WIRE_CONFIG_NAME     "config"
#define WIRE_UNRECORDED_NAME "unrecorded"

/* What the process image is doing; anything after RUNNING holds counts. */
enum wire_state {
	WIRE_STARTING = 1, /* the runtime is being set up */
	WIRE_DISABLED = 2, /* it could not start: `why` says the reason */
	WIRE_RUNNING = 3,  /* hooked; also what a killed process leaves */
	WIRE_ENDED = 4,    /* exit() was reached */
};

enum wire_origin {
	WIRE_FROM_START = 1, /* exec'ed with clew in its environment */
	WIRE_FROM_FORK = 2,  /* forked from parent_pid.parent_seq */
	WIRE_FROM_EXEC = 3,  /* this pid had a part before: seq - 1 */
};

/* Calls that were made and not counted, by cause. */
enum wire_loss {
	WIRE_LOSS_NO_SPACE,  /* the recording could not grow */
	WIRE_LOSS_FORK,      /* inside fork() itself */
	WIRE_LOSS_GENERATED, /* made by generated code into its own runtime */
	WIRE_LOSS_FILTER,    /* new threads behind a system call filter */
	WIRE_LOSS_SHARED,    /* while threads had one thread pointer */
	WIRE_LOSS_CHILD,     /* in forked children that could not make a part */
	WIRE_LOSS_COUNT = 8
};

/* Why calls stand under "(folded)" and not in a context of their own. */
enum wire_fold {
	WIRE_FOLD_CONTEXTS, /* max_contexts of them were recorded */
	WIRE_FOLD_BYTES,    /* what is recorded took max_bytes */
	WIRE_FOLD_SPACE,    /* the file could not grow */
	WIRE_FOLD_MEMORY,   /* there was no memory, or address space, for it */
	WIRE_FOLD_FILTER,   /* behind a system call filter it cannot grow */
	WIRE_FOLD_COUNT = 6
};

/*
 * Of known contexts one call in verify_period is verified, on average, of new
 * ones one in so many, or in verify_period where that is less.
 */
#define WIRE_FIRST_PERIOD 16

/* How time was taken. */
enum wire_time {
	WIRE_TIME_NONE,  /* counts only */
	WIRE_TIME_CPU,   /* sampled, by each thread's CPU clock */
	WIRE_TIME_WALL,  /* sampled, by the wall clock, from outside */
	WIRE_TIME_EXACT, /* measured at both ends of every call */
};

/* Samples that were due and are not there, by cause. */
enum wire_sample_loss {
	WIRE_SAMPLE_NO_SPACE, /* the recording could not grow */
	WIRE_SAMPLE_NO_TALLY, /* of threads that count nothing */
	WIRE_SAMPLE_NO_TIMER, /* threads, not samples: no timer could be had */
	WIRE_SAMPLE_NO_PC, /* the same, but wall samples, without a pc, are */
	WIRE_SAMPLE_BYTES, /* they took their share of max_bytes */
	WIRE_SAMPLE_LOSS_COUNT = 5
};

/*
 * WIRE_TIME_CPU: why time is sampled when the kernel ticks, and not by a finer
 * clock as well (preload/time/events.h).
 */
enum wire_coarse {
	WIRE_COARSE_NOT,       /* it is, or no thread has run for long */
	WIRE_COARSE_ASKED,     /* the user wants it so */
	WIRE_COARSE_ENOUGH,    /* the kernel ticks as often as was asked for */
	WIRE_COARSE_FILTER,    /* the system calls are filtered */
	WIRE_COARSE_FORBIDDEN, /* events are, to this user */
	WIRE_COARSE_KERNEL,    /* has no events of the kind */
	WIRE_COARSE_SIGNAL,    /* the program uses SIGURG */
	WIRE_COARSE_ROOM,      /* no more events, files or locked memory */
	WIRE_COARSE_SILENT,    /* too few hits arrived */
	WIRE_COARSE_RESTLESS,  /* threads run for short whiles */
	WIRE_COARSE_COUNT
};

/* Whether a Java virtual machine tells of its native methods. */
enum wire_java {
	WIRE_JAVA_NONE,   /* there is none, or it is to be left alone */
	WIRE_JAVA_TOLD,   /* it does */
	WIRE_JAVA_OPAQUE, /* clew cannot stand in for JNI_CreateJavaVM() */
	WIRE_JAVA_PATH,   /* the path of libclew.so cannot be an option's */
	WIRE_JAVA_REFUSED, /* it has no such interface, or does not let it be used */
	WIRE_JAVA_COUNT
};

/* Whether calls of JNI's functions are recorded. */
enum wire_jni {
	WIRE_JNI_NONE,    /* nobody asked for it, or there is no machine */
	WIRE_JNI_WATCHED, /* they are */
	WIRE_JNI_REFUSED, /* the machine does not let its table be exchanged */
	WIRE_JNI_ROOM,    /* there was no memory for it */
	WIRE_JNI_COUNT
};

/* Whether a budget is kept. */
enum wire_budget {
	WIRE_BUDGET_NONE,   /* there is none, or nobody has looked yet */
	WIRE_BUDGET_KEPT,   /* functions are left out as need be */
	WIRE_BUDGET_TRACED, /* not: a debugger would stop at what changes code */
	WIRE_BUDGET_FILTER, /* not any more: system calls are filtered */
	WIRE_BUDGET_KERNEL, /* not: it lacks what clew's thread needs */
	WIRE_BUDGET_CODE,   /* code could not be changed, the last time */
	WIRE_BUDGET_FIXED,  /* what cannot be left out costs more */
	WIRE_BUDGET_COUNT
};

#define WIRE_ASKED_BINS 24 /* the last one is from two hours on */

/* A moment by two clocks: what turns time stamps into seconds. */
struct wire_moment {
	uint64_t tsc;
	uint64_t ns; /* CLOCK_MONOTONIC */
};

struct wire_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t header_bytes;
	_Atomic uint64_t end;   /* runtime, release; bytes of the file in use */
	_Atomic uint32_t state; /* runtime; enum wire_state */
	uint32_t origin;        /* enum wire_origin */
	uint32_t pid;
	uint32_t seq;
	uint32_t ppid;          /* as the kernel said when the part was made */
	uint32_t parent_pid;    /* WIRE_FROM_FORK only */
	uint32_t parent_seq;    /* WIRE_FROM_FORK only */
	uint32_t verify_period; /* a call in so many is verified, on average */
	uint64_t start_ns;      /* CLOCK_REALTIME */
	uint64_t end_ns;        /* CLOCK_REALTIME; 0 unless WIRE_ENDED */
	uint64_t hook_ns;       /* what hooking took, before main */
	uint64_t max_contexts;  /* past it contexts fold */
	_Atomic uint64_t contexts; /* recorded so far, over all tallies */
	_Atomic uint64_t losses[WIRE_LOSS_COUNT]; /* any thread, atomic add */
	_Atomic uint64_t trap_hits; /* any thread, atomic add: int3s executed */
	char why[248];      /* WIRE_DISABLED: a sentence, NUL-terminated */
	uint32_t time;      /* enum wire_time */
	uint32_t rate_hz;   /* of samples that were asked for */
	uint64_t period_ns; /* between two samples, as asked for */
	/* At the start, and now and then, last at the end. 0: no time taken. */
	struct wire_moment first, latest;
	_Atomic uint64_t sample_losses[WIRE_SAMPLE_LOSS_COUNT];
	/*
	 * WIRE_TIME_EXACT, in time-stamp ticks: what measuring adds to the time
	 * of the function itself, and to that of its caller, a call.
	 */
	uint32_t cost_self_ticks, cost_caller_ticks;
	_Atomic uint64_t untimed_calls; /* any thread, atomic add: no room */
	/*
	 * Builds with CLEW_STRESS: how often the runtime found its own
	 * structures broken, and how the first time (wire/violation.h).
	 */
	_Atomic uint32_t violations;      /* any thread, atomic add */
	_Atomic uint32_t first_violation; /* any thread, once */
	uint64_t watch_ns;  /* WIRE_TIME_WALL: CPU time of clew's own thread */
	uint64_t max_bytes; /* of tables, contexts and samples; 0: no limit */
	/* WIRE_TIME_CPU: how often a thread got a finer clock; atomic add */
	_Atomic uint32_t events;
	_Atomic uint32_t coarse; /* enum wire_coarse, of the last without */
	_Atomic uint32_t java;   /* any thread; enum wire_java */
	_Atomic uint32_t
		unnamed_natives; /* any thread, atomic add: no binding */
	/* Calls of natives from Java that count without their caller: atomic add */
	_Atomic uint64_t callerless_natives;
	/* How often a stack was met that counts as its innermost method: atomic add */
	_Atomic uint64_t stackless_natives;
	/* Java stacks that the machine was asked about again, and was right or not */
	_Atomic uint64_t verified_stacks, mismatched_stacks;
	_Atomic uint32_t jni; /* any thread; enum wire_jni */
	/* What found no room among the notes on JNI: atomic add */
	_Atomic uint32_t unnoted_jni;
	/* How often memory was made executable of which there is no wire_maker */
	_Atomic uint64_t makerless;
	uint64_t forked_tsc; /* WIRE_FROM_FORK: when; 0: that is unknown */
	/*
	 * Java stacks that were not known, so that the machine was asked, how long
	 * that took, and when it was: [i] counts those from 2^i ms on since the
	 * machine has been ready, [0] those before 2 ms. Atomic add.
	 */
	_Atomic uint64_t asked_stacks, asked_ns;
	_Atomic uint32_t asked_when[WIRE_ASKED_BINS];
	/* Native methods whose calls count nowhere, for want of room: atomic add */
	_Atomic uint64_t relayless_natives;
	/* Threads that ran before clew came, in functions that nobody knows */
	uint32_t rootless_threads;
	/*
	 * What clew may cost, in thousandths of the program's CPU time; 0: no limit.
	 * Functions are left out for it (WIRE_LEFT_OUT).
	 */
	uint32_t budget;
	_Atomic uint32_t budget_state; /* enum wire_budget */
	uint32_t budget_call_ps;       /* what a call is taken to cost, now */
	/* Written by clew's own thread, at each look: the CPU time that it has seen
	 * go by, what of it clew took, as estimated, and CLOCK_REALTIME. */
	uint64_t budget_cpu_ns, budget_cost_ns, budget_seen_ns;
	/* What samples in clew's own code stand for; atomic add */
	_Atomic uint64_t own_sampled_ns;
	/*
	 * Of the Java stacks that were not known, those that were composed of frames
	 * that were, so that nobody was asked; those the machine was asked about all
	 * the same; and how often what was composed was another. Atomic add.
	 */
	_Atomic uint64_t composed_stacks, verified_composed,
		mismatched_composed;
};
_Static_assert(sizeof(struct wire_header) == 808, "on the wire");

enum wire_chunk_kind {
	WIRE_FREE = 0,       /* given back; payload undefined */
	WIRE_PROCESS = 1,    /* argv, NUL-terminated strings */
	WIRE_MODULE = 2,     /* wire_module, path, functions */
	WIRE_THREADS = 3,    /* array of wire_thread */
	WIRE_TALLY = 4,      /* wire_tally, contexts, first count table */
	WIRE_CONTEXTS = 5,   /* array of wire_context; owner is a tally */
	WIRE_TABLE = 6,      /* array of wire_count; owner is a tally */
	WIRE_RULES = 7,      /* array of wire_rule, each followed by its text */
	WIRE_SAMPLES = 8,    /* array of wire_sample; owner is a tally */
	WIRE_HISTOGRAMS = 9, /* array of wire_histogram; owner is a tally */
	WIRE_RANGES = 10,    /* array of wire_range */
	WIRE_NAMES = 11,     /* wire_names, each followed by its text */
	WIRE_BINDINGS = 12,  /* wire_bindings, each followed by its text */
	WIRE_CODES = 13,     /* wire_codes, each followed by its text */
	WIRE_JITDUMP = 14,   /* path of the process's jitdump, NUL-terminated */
	WIRE_SOURCES = 15,   /* wire_names with wire_lines: see there */
	WIRE_CALL_PLACES = 16, /* wire_names with bytecode indices, likewise */
	WIRE_JNI_NOTES = 17,   /* array of wire_jni_note, some of them free */
	WIRE_MAKERS = 18,      /* wire_maker, each followed by its text */
	WIRE_CODE_LINES = 19,  /* wire_code_lines, each followed by its bytes */
	WIRE_LEFT_OUT = 20,    /* array of wire_left_out */
	WIRE_CHUNK_KIND_COUNT
};

/* Whether this clew reads a part of that version. */
static inline int wire_version_is_read(uint32_t version)
{
	return version - WIRE_VERSION_OLDEST <=
	       WIRE_VERSION - WIRE_VERSION_OLDEST;
}

struct wire_chunk {
	_Atomic uint32_t kind;
	uint32_t owner;        /* tally number for TALLY, CONTEXTS and TABLE */
	uint64_t bytes;        /* of the chunk, this header included */
	_Atomic uint64_t used; /* payload bytes in use; CONTEXTS, TABLE: all */
	uint64_t reserved[5];
};
_Static_assert(sizeof(struct wire_chunk) == 64, "on the wire");

/*
 * A module, loaded or unloaded. Followed by path_bytes of path (no NUL, padded
 * to 8), then by function_count wire_functions in order of vaddr. pc = base +
 * vaddr. Its functions have the numbers from first_function on; no two modules, and
 * no wire_range, have one in common. Where nothing is in the way they follow from
 * the build-id (preload/record/numbers.h), and are the same in every process.
 */
struct wire_module {
	uint64_t base;        /* load bias */
	uint64_t vaddr_start; /* executable segments lie in [start, end) */
	uint64_t vaddr_end;
	uint32_t state; /* enum module_state */
	uint32_t first_function;
	uint32_t function_count;
	uint32_t path_bytes;
	uint32_t build_id_bytes;
	uint32_t from_cache; /* 1: the analysis came from the cache */
	uint8_t build_id[32];
	uint64_t loaded_ns;           /* CLOCK_REALTIME; 0: before main */
	_Atomic uint64_t unloaded_ns; /* runtime; CLOCK_REALTIME, 0: not yet */
};
_Static_assert(sizeof(struct wire_module) == 96, "on the wire");

struct wire_function {
	uint64_t vaddr; /* of the entry */
	uint32_t size_bytes;
	uint8_t verdict;      /* enum verdict */
	uint8_t patch_offset; /* 4 behind an endbr64, else 0 */
	uint8_t displaced;    /* see below */
	/*
	 * JUMP_SHORT: the 8-bit displacement of its 2-byte jump, to where the
	 * 5-byte one stands: in padding, or behind the 5-byte jump of another
	 * function, which displaces ten bytes then. 0 otherwise.
	 */
	int8_t island;
};
_Static_assert(sizeof(struct wire_function) == 16, "on the wire");

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
	WIRE_RANGE_KIND_COUNT
};

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
 * and all. The chunk's `used` covers whole ones only.
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

/*
 * A function that was not counted for some of the time, to keep a budget: its hook
 * was taken out, and what it called stood below its caller meanwhile. One for each
 * function, changed in place by clew's own thread. Times are CLOCK_REALTIME.
 */
struct wire_left_out {
	uint32_t function;         /* its number */
	uint32_t times;            /* that it was left out */
	uint64_t first_ns;         /* when it was for the first time */
	_Atomic uint64_t since_ns; /* it is since then; 0: it is counted */
	uint64_t out_ns;           /* how long it was, before that */
	uint64_t missed; /* calls in that time, estimated by those before it */
	uint64_t per_s;  /* calls a second, before it was left out last */
};
_Static_assert(sizeof(struct wire_left_out) == 48, "on the wire");

/* Of `displaced`: bytes that the trampoline executes instead, and a flag. */
#define WIRE_DISPLACED_BYTES 0x7f
#define WIRE_LOOPS           0x80

static inline uint8_t wire_displaced_bytes(const struct wire_function *function)
{
	return function->displaced & WIRE_DISPLACED_BYTES;
}

/*
 * Whether a jump from the function's own code leads to its entry, or may: what
 * jumps there from inside of it is taken for a loop, and not counted, even if it
 * is a call that the function makes of itself.
 */
static inline int wire_loops(const struct wire_function *function)
{
	return (function->displaced & WIRE_LOOPS) != 0;
}

/* A thread that was seen. Valid once tid is not 0 (stored last, release). */
struct wire_thread {
	_Atomic uint32_t tid;
	uint32_t tally; /* the tally it counts in; others may follow it there */
	char name[16];  /* NUL-terminated, as last seen */
	uint64_t start_ns; /* CLOCK_REALTIME of its first hooked call */
};
_Static_assert(sizeof(struct wire_thread) == 32, "on the wire");

/* Why a call agreed with the stack only as far as that could be followed. */
enum wire_partial {
	WIRE_PARTIAL_START,    /* nobody knows who began this stack */
	WIRE_PARTIAL_LENGTH,   /* it is longer than what is looked at */
	WIRE_PARTIAL_BORROWED, /* in a child on this memory, before it execs */
	WIRE_PARTIAL_RECORD,   /* a caller is not in this thread's records */
	WIRE_PARTIAL_FILTER, /* system calls are filtered, looking needs some */
	WIRE_PARTIAL_SIGNAL, /* in a handler on top of what is half-way */
	WIRE_PARTIAL_COUNT = 6
};

/* Of calls that were drawn at random, each as likely as any other. */
struct wire_verdicts {
	uint64_t verified;   /* the whole stack agreed */
	uint64_t collisions; /* two contexts with one id */
	uint64_t diverged;   /* id and shadow stack disagreed */
	uint64_t partial[WIRE_PARTIAL_COUNT];
};
_Static_assert(sizeof(struct wire_verdicts) == 72, "on the wire");

/*
 * A tally's head, first in its chunk. Contexts follow it up to table_offset,
 * then its first count table. All but `table` and `retired` are written by the
 * owner alone, and a reader may find them an instant old.
 *
 * When the table has outgrown itself the owner copies it to a new one, stores
 * `table`, zeroes the old counts and stores `retired`. A count that an
 * interrupted call still adds there is found by whoever reads both.
 */
struct wire_tally {
	_Atomic uint64_t table;   /* wire_table_ref of the count table */
	_Atomic uint64_t retired; /* the one before it, or 0 */
	uint64_t contexts;        /* recorded here */
	uint64_t folded_calls[WIRE_FOLD_COUNT]; /* by cause */
	struct wire_verdicts calls;  /* of contexts that were known */
	struct wire_verdicts firsts; /* the first call of a context each */
	/* WIRE_TIME_EXACT: of its threads' time, what clew's slow paths took */
	uint64_t paused_ticks;
	/*
	 * The same: how long its threads were there, from the first call of each
	 * on, and the CPU time that they had, of one moment; an instant older at
	 * worst. 0: unknown.
	 */
	uint64_t present_ns, cpu_ns;
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct wire_tally) == 256, "on the wire");

#define WIRE_TALLY_BYTES        8192
#define WIRE_TALLY_TABLE_OFFSET 4032 /* from the chunk's start */
#define WIRE_TALLY_TABLE_LOG2   8

/* A count table by file offset (a multiple of 64) and log2 of its entries. */
static inline uint64_t wire_table_ref(uint64_t offset, unsigned int log2)
{
	return offset | log2;
}

static inline uint64_t wire_table_offset(uint64_t ref)
{
	return ref & ~UINT64_C(63);
}

static inline unsigned int wire_table_log2(uint64_t ref)
{
	return ref & 63;
}

/*
 * One count. The home of an id is entry (id >> 4) & (entries - 1), collisions
 * go to the next entry, round the end. id 0 is an empty entry. One more empty
 * entry stands behind the last and is not part of the table.
 */
struct wire_count {
	_Atomic uint64_t id; /* owner; stored once, before the first count */
	uint64_t field;      /* owner; calls are field & WIRE_CALLS */
};
_Static_assert(sizeof(struct wire_count) == 16, "on the wire");

/*
 * The high 16 bits of a field count down to the next verification of a call
 * (preload/stack/verify.c), so that one addition does both: it carries as long as
 * there is something left to count down. 2^48 calls of one context by one
 * thread are ten days of nothing else.
 */
#define WIRE_CALLS        ((UINT64_C(1) << 48) - 1)
#define WIRE_CALL_STEP    (UINT64_C(1) - (UINT64_C(1) << 48))
#define WIRE_VERIFY_SHIFT 48

static inline uint64_t wire_calls(const struct wire_count *count)
{
	return count->field & WIRE_CALLS;
}

/*
 * WIRE_TIME_EXACT: how long the calls of an entry took, in ticks of the time
 * stamp counter, as measured. Every count table has these in front of it,
 * backwards, so that with an entry its times are found whatever the table's
 * size:
 *
 *	times[n-1] ... times[1] times[0] | entry[0] entry[1] ... entry[n-1]
 *
 * A call is counted when it begins and timed when it ends; in a forked child
 * the calls that it is in begin anew, without being counted.
 */
struct wire_times {
	uint64_t ended;     /* calls */
	uint64_t total;     /* of these: inclusive time */
	uint64_t self;      /* of these and of some that have not ended */
	uint64_t min, max;  /* inclusive, of one call; 0: none has ended */
	uint64_t histogram; /* the runtime's own */
	uint64_t clamped;   /* calls that had less than no time of their own */
	uint64_t latest;    /* inclusive, of one call that is in no bin yet */
};
_Static_assert(sizeof(struct wire_times) == 64, "on the wire");

/* Adds what can be added: all but `histogram` and `latest`. */
static inline void wire_times_add(struct wire_times *to,
				  const struct wire_times *more)
{
	to->ended += more->ended;
	to->total += more->total;
	to->self += more->self;
	to->clamped += more->clamped;
	if (more->min && (!to->min || more->min < to->min))
		to->min = more->min;
	if (more->max > to->max)
		to->max = more->max;
}

/*
 * Calls of one function in one tally by their inclusive time: bin i counts those
 * that took 2^i to 2^(i+1)-1 ticks, as measured; bin 0 has 0, too. Those of
 * functions that found no room are together in that of function 0. A native that
 * Java calls has one for each method that calls it. A context's
 * latest call, taken for one tick at least, gets into its bin with the next one
 * (stub.S); until then it is for the reader to add it.
 */
#define WIRE_BINS 64

struct wire_histogram {
	uint32_t function;
	uint32_t
		caller; /* Java's, in a WIRE_RANGE_JAVA; 0: whoever else calls */
	uint64_t bins[WIRE_BINS];
};
_Static_assert(sizeof(struct wire_histogram) == 520, "on the wire");

static inline unsigned int wire_bin(uint64_t ticks)
{
	return 63 - (unsigned int)__builtin_clzll(ticks | 1);
}

/*
 * One context. Valid once id is not 0 (stored last, release). A context that
 * several tallies met has a record in each, with the same id.
 */
struct wire_context {
	_Atomic uint64_t id;
	uint64_t site;     /* return address of its first call, and flags */
	uint32_t function; /* number, or WIRE_FOLDED */
	uint32_t depth;    /* 1 for the outermost that its tally knows */
};
_Static_assert(sizeof(struct wire_context) == 24, "on the wire");

#define WIRE_SITE_PC   ((UINT64_C(1) << 48) - 1)
#define WIRE_SITE_TAIL (UINT64_C(1) << 63) /* of tail calls: see below */

/*
 * Calls that a function makes by jumping, its last ones, are counted apart: a
 * second record of their context has WIRE_SITE_TAIL, the site of the first of
 * them and the complement of its id, which has an entry of its own in the table.
 * The context's calls are the sum of both; its first call's site is in the
 * record with its own id, and times and samples know that id only.
 */
static inline uint64_t wire_tail_id(uint64_t id)
{
	return ~id;
}

static inline int wire_is_tail(const struct wire_context *context)
{
	return (context->site & WIRE_SITE_TAIL) != 0;
}

/* The id that a context's records have in common. */
static inline uint64_t wire_context_id(const struct wire_context *context)
{
	return wire_is_tail(context) ? wire_tail_id(context->id) : context->id;
}

/* Stands below a context for the calls that found no room of their own. */
#define WIRE_FOLDED UINT32_MAX

/*
 * One sample: what a thread was doing when its time came. Valid once tsc is
 * not 0 (stored last, release). The id is that of the innermost hooked
 * function, or ID_ROOT; who writes a sample is safe in signal handlers. While
 * a thread stays blocked, its last sample may grow: then several looks at the
 * thread found the same.
 */
struct wire_sample {
	_Atomic uint64_t tsc;
	uint64_t id;
	uint64_t where;  /* pc, flags, and why it is blocked */
	uint64_t weight; /* the time it stands for, and looks */
};
_Static_assert(sizeof(struct wire_sample) == 32, "on the wire");

#define WIRE_SAMPLE_PC      ((UINT64_C(1) << 48) - 1) /* 0: unknown */
#define WIRE_SAMPLE_BLOCKED (UINT64_C(1) << 63)       /* wall: it did not run */
#define WIRE_SAMPLE_KERNEL  (UINT64_C(1) << 62)       /* in a system call */
/* In a stub, or our library; in the kernel: for a sample. */
#define WIRE_SAMPLE_CLEW (UINT64_C(1) << 61)

/*
 * Of a sample that is WIRE_SAMPLE_BLOCKED: why. 1 + N in system call N, and
 * WIRE_WAIT_UNKNOWN and the last few for what is none. Where the pc is known
 * it is the one at which the thread goes on.
 */
#define WIRE_SAMPLE_WAIT_SHIFT 48
#define WIRE_SAMPLE_WAIT_MASK  0x7ff

enum wire_wait {
	WIRE_WAIT_UNKNOWN = 0,
	WIRE_WAIT_CALL = 1,                            /* and those after it */
	WIRE_WAIT_STOPPED = WIRE_SAMPLE_WAIT_MASK - 2, /* by a signal */
	WIRE_WAIT_PROCESSOR = WIRE_SAMPLE_WAIT_MASK - 1, /* to get one */
	WIRE_WAIT_FAULT = WIRE_SAMPLE_WAIT_MASK,         /* a page fault */
};

static inline uint64_t wire_sample_blocked(uint32_t wait)
{
	return WIRE_SAMPLE_BLOCKED | (uint64_t)(wait & WIRE_SAMPLE_WAIT_MASK)
					     << WIRE_SAMPLE_WAIT_SHIFT;
}

static inline uint32_t wire_sample_wait(const struct wire_sample *sample)
{
	return sample->where >> WIRE_SAMPLE_WAIT_SHIFT & WIRE_SAMPLE_WAIT_MASK;
}

/*
 * A weight has 48 bits of nanoseconds, which are three days, and 16 bits of
 * looks: one addition makes a sample grow.
 */
#define WIRE_WEIGHT_NS   ((UINT64_C(1) << 48) - 1)
#define WIRE_WEIGHT_LOOK (UINT64_C(1) << 48)

static inline uint64_t wire_sample_ns(const struct wire_sample *sample)
{
	return sample->weight & WIRE_WEIGHT_NS;
}

static inline uint32_t wire_sample_looks(const struct wire_sample *sample)
{
	return (uint32_t)(sample->weight / WIRE_WEIGHT_LOOK);
}

/* A selection rule and how many modules or functions it matched. */
struct wire_rule {
	uint32_t bytes; /* of this record, text included, a multiple of 8 */
	uint32_t text_bytes;
	uint64_t matches;
};
_Static_assert(sizeof(struct wire_rule) == 16, "on the wire");

#endif
