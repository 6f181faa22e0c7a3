/* SPDX-License-Identifier: MIT */
/*
 * The recording, as files.
 *
 * A recording is a directory:
 *
 *	config		options and rules, in the words of clew-record(1)
 *			"RULES"
 *	PID.SEQ.part	one process image: SEQ is 0, then 1, 2... after execs
 *	PID.SEQ.perfmap	generated code, as the process announced it in a file
 *	PID.SEQ.jitdump	that was copied when the process had ended
 *	PID.SEQ.trace	its calls one by one, if requested (packet.h)
 *	unrecorded	a line "PID WHY" for each process that could not create
 *			a part. The file and one disk block for it exist from
 *			the beginning, so that a line can be added when the
 *			disk is full
 *
 * A part is a file that the library maps shared and writes in place. The file
 * is valid at every instant: nothing is lost if the target is killed, and a
 * reader may read the file while it grows:
 *
 *	+-------------+---------+---------+----   ----+---------+ . . .
 *	| wire_header |  chunk  |  chunk  |           |  chunk  | not yet
 *	+-------------+---------+---------+----   ----+---------+ . . .
 *	0           4096                                       end
 *
 * The file may be longer than `end`, much longer while its process runs. The
 * bytes after `end` are undefined and mostly a hole.
 *
 * Each chunk opens with a wire_chunk that contains its kind and length, so that
 * readers can skip unknown kinds. A chunk exists once `end` has moved past it:
 * the library stores `end` with release after the chunk's header, and the
 * reader loads `end` with acquire before reading the header.
 *
 * Calls are counted in tallies. A tally belongs to one thread at a time and has
 * a count table (open addressing, keyed by id) and a list of contexts, each
 * recorded once, before its first count. The caller of a context follows from
 * the ids alone: the parent of a context is id_pop(id, id_key(function)).
 *
 * All integers are little-endian and naturally aligned. The contents of most
 * chunks are declared in headers that this one includes: module_functions.h,
 * inherited.h, runtime_records.h, counts.h, sample.h, context_values.h,
 * mark_records.h, user_probe.h, packet.h.
 *
 * WIRE_VERSION changes when the size, the position or the meaning of an
 * existing field changes. The version does not change for additions that
 * readers skip: new kinds of chunks, new values at the end of enumerations, and
 * new fields in reserved bytes that are 0 in older recordings. Readers accept
 * all versions from WIRE_VERSION_OLDEST on and report how many records of
 * unknown kinds they skipped. tests/kept/ has recordings of each version that
 * is still accepted.
 */
#ifndef CLEW_WIRE_RECORDING_H
#define CLEW_WIRE_RECORDING_H

#include <stdint.h>

#include "wire/context_values.h"
#include "wire/counts.h"
#include "wire/inherited.h"
#include "wire/mark_records.h"
#include "wire/module_functions.h"
#include "wire/packet.h"
#include "wire/runtime_records.h"
#include "wire/sample.h"
#include "wire/user_probe.h"

#define WIRE_MAGIC          "clewrec\n"
#define WIRE_VERSION        6
#define WIRE_VERSION_OLDEST 6
#define WIRE_HEADER_BYTES   4096
#define WIRE_PAGE_BYTES     4096
#define WIRE_PART_SUFFIX    ".part"
/* Not read by reports: preload/stubs/stub_memory.h. */
#define WIRE_STUBS_SUFFIX ".stubs"
/* Added to the name while the file is written. */
#define WIRE_STUBS_NEW ".new"
#define WIRE_STUBS_MODULE                                                      \
	"content-" /* prefix of the name: shared_table.h, prelinked.h */
#define WIRE_HOOKED_SUFFIX                                                     \
	".hooked" /* a module with its hooks: preload/hooking/shared_text.h */
/* Prefix of the name of the file for all. */
#define WIRE_STUBS_SHARED   "shadow-"
#define WIRE_MAP_SUFFIX     ".perfmap"
#define WIRE_JITDUMP_SUFFIX ".jitdump"
#define WIRE_SNAPSHOT_SUFFIX                                                   \
	".snapshot" /* followed by a number: a folder, a recording */
#define WIRE_SNAPSHOTS_MAX   100000
#define WIRE_CONFIG_NAME     "config"
#define WIRE_UNRECORDED_NAME "unrecorded"
/* Line of WIRE_UNRECORDED_NAME: recorded elsewhere. */
#define WIRE_RECORDED_IN "it is recorded in "

/* State of the process image. RUNNING and later states have counts. */
enum wire_state {
	WIRE_STARTING = 1, /* the library is starting */
	WIRE_DISABLED = 2, /* the library could not start: see `why` */
	WIRE_RUNNING = 3, /* hooked; also the final state of a killed process */
	WIRE_ENDED = 4,   /* exit() was called */
};

enum wire_origin {
	WIRE_FROM_START = 1, /* exec'ed with clew in its environment */
	/* Forked; parent_pid and parent_seq name the parent. */
	WIRE_FROM_FORK = 2,
	WIRE_FROM_EXEC = 3, /* this pid has an earlier part: seq - 1 */
};

/* Calls that were made and not counted, by cause. */
enum wire_loss {
	WIRE_LOSS_NO_SPACE,  /* the recording could not grow */
	WIRE_LOSS_FORK,      /* inside fork() itself */
	WIRE_LOSS_GENERATED, /* generated code called its own runtime */
	/* In new threads behind a system call filter. */
	WIRE_LOSS_FILTER,
	WIRE_LOSS_SHARED, /* while threads shared one thread pointer */
	WIRE_LOSS_CHILD,  /* in forked children that could not create a part */
	/*
	 * In handlers of probes, or in signal handlers that interrupted them.
	 */
	WIRE_LOSS_HANDLER,
	WIRE_LOSS_COUNT = 8
};

/* How time is measured. */
enum wire_time {
	WIRE_TIME_NONE,  /* counts only */
	WIRE_TIME_CPU,   /* sampled, by each thread's CPU clock */
	WIRE_TIME_WALL,  /* sampled by the wall clock, by another thread */
	WIRE_TIME_EXACT, /* measured at the entry and exit of each call */
};

/* Samples that were due and are missing, by cause. */
enum wire_sample_loss {
	WIRE_SAMPLE_NO_SPACE, /* the recording could not grow */
	WIRE_SAMPLE_NO_TALLY, /* of threads that count nothing */
	/* Counts threads, not samples: no timer available. */
	WIRE_SAMPLE_NO_TIMER,
	/* Counts threads: wall samples without a pc exist instead. */
	WIRE_SAMPLE_NO_PC,
	/* Samples reached their share of max_bytes or of a group's limit. */
	WIRE_SAMPLE_BYTES,
	WIRE_SAMPLE_LOSS_COUNT = 5
};

/*
 * WIRE_TIME_CPU: why time is sampled on the kernel's tick only, without a finer
 * clock (preload/time/events.h).
 */
enum wire_coarse {
	/* A finer clock is used, or no thread has run for long. */
	WIRE_COARSE_NOT,
	WIRE_COARSE_ASKED,  /* the user requested it */
	WIRE_COARSE_ENOUGH, /* the kernel's tick is as fast as requested */
	/* System calls are filtered. */
	WIRE_COARSE_FILTER,
	WIRE_COARSE_FORBIDDEN, /* this user may not open events */
	WIRE_COARSE_KERNEL,    /* the kernel has no suitable events */
	WIRE_COARSE_SIGNAL,    /* the program uses SIGURG */
	WIRE_COARSE_ROOM, /* no more events, files or locked memory available */
	WIRE_COARSE_SILENT,   /* too few hits arrived */
	WIRE_COARSE_RESTLESS, /* threads run for short intervals only */
	WIRE_COARSE_COUNT
};

/* Whether a JVM reports its native methods. */
enum wire_java {
	WIRE_JAVA_NONE,   /* no JVM, or the user excluded it */
	WIRE_JAVA_TOLD,   /* it reports them */
	WIRE_JAVA_OPAQUE, /* clew cannot wrap JNI_CreateJavaVM() */
	/* The path of libclew.so cannot be written in an option. */
	WIRE_JAVA_PATH,
	/* The JVM lacks this interface or forbids its use. */
	WIRE_JAVA_REFUSED,
	/* clew attached late, and the collector is ZGC of 18 or later */
	WIRE_JAVA_COLLECTOR,
	/* Exact counting was requested, which the JVM does not support. */
	WIRE_JAVA_INEXACT,
	/*
	 * The JVM reports them, and calls of compiled methods are counted
	 * (--java=inplace).
	 */
	WIRE_JAVA_IN_PLACE,
	/*
	 * Counting of compiled methods was requested, but clew does not support
	 * this JVM.
	 */
	WIRE_JAVA_UNSHAPED,
	/* Counting of compiled methods ended when a virtual thread started. */
	WIRE_JAVA_VIRTUAL,
	WIRE_JAVA_COUNT
};

/* Returns whether calls of compiled methods were counted. */
static inline int wire_java_is_in_place(uint32_t java)
{
	return java == WIRE_JAVA_IN_PLACE || java == WIRE_JAVA_VIRTUAL;
}

/* Whether calls of JNI functions are recorded. */
enum wire_jni {
	WIRE_JNI_NONE,    /* not requested, or no JVM */
	WIRE_JNI_WATCHED, /* they are recorded */
	WIRE_JNI_REFUSED, /* the JVM forbids replacing its function table */
	WIRE_JNI_ROOM,    /* out of memory */
	WIRE_JNI_COUNT
};

/* Whether a budget is kept. */
enum wire_budget {
	WIRE_BUDGET_NONE, /* no budget, or not checked yet */
	WIRE_BUDGET_KEPT, /* functions are unhooked as necessary */
	/* Not kept: a debugger would stop at changes of code. */
	WIRE_BUDGET_TRACED,
	/* No longer kept: system calls are filtered. */
	WIRE_BUDGET_FILTER,
	/* Not kept: the kernel lacks what clew's thread needs. */
	WIRE_BUDGET_KERNEL,
	WIRE_BUDGET_CODE, /* the latest change of code failed */
	/* Functions that cannot be unhooked cost more than the budget. */
	WIRE_BUDGET_FIXED,
	WIRE_BUDGET_COUNT
};

#define WIRE_ASKED_BINS 24 /* the last bin begins at two hours */

/* Two clocks read at the same moment, which convert time stamps to seconds. */
struct wire_moment {
	uint64_t tsc;
	uint64_t ns; /* CLOCK_MONOTONIC */
};

struct wire_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t header_bytes;
	/* Written by the library, release; bytes in use. */
	_Atomic uint64_t end;
	_Atomic uint32_t state; /* written by the library; enum wire_state */
	uint32_t origin;        /* enum wire_origin */
	uint32_t pid;
	uint32_t seq;
	uint32_t ppid;       /* the kernel's value when the part was created */
	uint32_t parent_pid; /* WIRE_FROM_FORK only */
	uint32_t parent_seq; /* WIRE_FROM_FORK only */
	/* On average, one call in this many is verified. */
	uint32_t verify_period;
	uint64_t start_ns;         /* CLOCK_REALTIME */
	uint64_t end_ns;           /* CLOCK_REALTIME; 0 unless WIRE_ENDED */
	uint64_t hook_ns;          /* time of hooking before main */
	uint64_t max_contexts;     /* calls of further contexts are folded */
	_Atomic uint64_t contexts; /* recorded so far, in all tallies */
	_Atomic uint64_t losses[WIRE_LOSS_COUNT]; /* any thread, atomic add */
	_Atomic uint64_t trap_hits; /* any thread, atomic add: int3s executed */
	char why[248];      /* WIRE_DISABLED: the reason; NUL-terminated */
	uint32_t time;      /* enum wire_time */
	uint32_t rate_hz;   /* requested samples per second */
	uint64_t period_ns; /* requested time between two samples */
	/*
	 * At the start, and repeatedly afterwards, finally at the end. 0:
	 * written by a clew that recorded none without time measurement.
	 */
	struct wire_moment first, latest;
	_Atomic uint64_t sample_losses[WIRE_SAMPLE_LOSS_COUNT];
	/*
	 * WIRE_TIME_EXACT, in time-stamp ticks: the measurement cost of a call
	 * that is included in the function's own time, and in its caller's.
	 */
	uint32_t cost_self_ticks, cost_caller_ticks;
	_Atomic uint64_t untimed_calls; /* no room; any thread, atomic add */
	/*
	 * Builds with CLEW_STRESS: how often the library found its own
	 * structures inconsistent, and the first case (wire/violation.h).
	 */
	_Atomic uint32_t violations;      /* any thread, atomic add */
	_Atomic uint32_t first_violation; /* any thread, once */
	uint64_t watch_ns;  /* WIRE_TIME_WALL: CPU time of clew's own thread */
	uint64_t max_bytes; /* limit of tables, contexts and samples; 0: none */
	/* WIRE_TIME_CPU: how often a thread got a finer clock; atomic add. */
	_Atomic uint32_t events;
	/* enum wire_coarse, of the latest thread without one */
	_Atomic uint32_t coarse;
	_Atomic uint32_t java; /* enum wire_java; any thread */
	/* No binding was reported; any thread, atomic add. */
	_Atomic uint32_t unnamed_natives;
	/*
	 * Calls of native methods from Java that are counted without their
	 * caller; atomic add.
	 */
	_Atomic uint64_t callerless_natives;
	/*
	 * How often a Java stack was found that counts as its innermost method;
	 * atomic add.
	 */
	_Atomic uint64_t stackless_natives;
	/*
	 * Java stacks that were queried from the JVM a second time: equal, and
	 * different ones.
	 */
	_Atomic uint64_t verified_stacks, mismatched_stacks;
	_Atomic uint32_t jni; /* enum wire_jni; any thread */
	/* JNI events that found no room among the notes; atomic add. */
	_Atomic uint32_t unnoted_jni;
	/* How often memory became executable without a wire_maker record. */
	_Atomic uint64_t makerless;
	uint64_t forked_tsc; /* WIRE_FROM_FORK: time of the fork; 0: unknown */
	/*
	 * Java stacks that were queried from the JVM because they were unknown,
	 * the time that this took, and when it happened: [i] counts those 2^i
	 * ms or more after the JVM was ready, [0] those before 2 ms. Atomic
	 * add.
	 */
	_Atomic uint64_t asked_stacks, asked_ns;
	_Atomic uint32_t asked_when[WIRE_ASKED_BINS];
	/*
	 * Native methods whose calls are not counted, for lack of room; atomic
	 * add.
	 */
	_Atomic uint64_t relayless_natives;
	/*
	 * Threads that were in functions of unknown start when clew attached.
	 */
	uint32_t rootless_threads;
	/*
	 * Maximum cost of clew in thousandths of the program's CPU time; 0: no
	 * limit. Functions are unhooked to keep it (WIRE_LEFT_OUT).
	 */
	uint32_t budget;
	_Atomic uint32_t budget_state; /* enum wire_budget */
	uint32_t budget_call_ps; /* current estimate of the cost of a call */
	/*
	 * Written by clew's own thread at each poll: the CPU time that it has
	 * observed, the estimated part that clew used, and CLOCK_REALTIME.
	 */
	uint64_t budget_cpu_ns, budget_cost_ns, budget_seen_ns;
	/* Time represented by samples in clew's own code; atomic add. */
	_Atomic uint64_t own_sampled_ns;
	/*
	 * Unknown Java stacks that were composed of known frames without a
	 * query to the JVM; those that were also queried; and those where the
	 * two results differ. Atomic add.
	 */
	_Atomic uint64_t composed_stacks, verified_composed,
		mismatched_composed;
	/* CPU time after the last poll; 0 unless WIRE_ENDED */
	uint64_t budget_rest_ns;
	/*
	 * Start (CLOCK_MONOTONIC) of the current analysis of a module that is
	 * in no cache, or 0; and the beginning of its file name,
	 * NUL-terminated.
	 */
	_Atomic uint64_t reading_ns; /* under the loader's lock; release */
	char reading[56];
	/* CPU time that clew used before the program began */
	uint64_t start_cpu_ns;
	uint32_t folds_recursion; /* 1: no context contains a function twice */
	/* Hooks that the program has overwritten, at the latest check. */
	_Atomic uint32_t overwritten_hooks;
	uint64_t first_real_ns; /* CLOCK_REALTIME at `first`; 0: not noted */
	/*
	 * Calls of native methods counted below their innermost Java method,
	 * because the frames of other methods were in the heap; atomic add.
	 */
	_Atomic uint64_t frozen_natives;
	/*
	 * Functions found by verification in stack slots of functions that had
	 * jumped to them; atomic add.
	 */
	_Atomic uint64_t jumped_functions;
};
_Static_assert(sizeof(struct wire_header) == 920, "on the wire");

enum wire_chunk_kind {
	WIRE_FREE = 0,       /* freed; payload undefined */
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
	WIRE_NAMES = 11,     /* see WIRE_NUMBER_RECORDS */
	WIRE_BINDINGS = 12,  /* wire_bindings, each followed by its texts */
	WIRE_CODES = 13,     /* wire_codes, each followed by its texts */
	WIRE_JITDUMP = 14,   /* path of the process's jitdump, NUL-terminated */
	WIRE_SOURCES = 15,   /* see WIRE_NUMBER_RECORDS */
	WIRE_STACKS = 16,    /* see WIRE_NUMBER_RECORDS */
	WIRE_JNI_NOTES = 17, /* array of wire_jni_note, some of them free */
	WIRE_MAKERS = 18,    /* wire_maker, each followed by its text */
	WIRE_CODE_LINES = 19, /* wire_code_lines, each followed by its bytes */
	WIRE_LEFT_OUT = 20,   /* array of wire_left_out */
	WIRE_VALUES = 21,     /* wire_values, its columns and rows */
	WIRE_PROBES = 22,     /* wire_probe, each followed by its text */
	WIRE_PROBE_PLACES = 23,  /* array of wire_probe_place */
	WIRE_MARKS = 24,         /* wire_marks, array of wire_mark */
	WIRE_MARK_NAMES = 25,    /* wire_mark_names, array of wire_mark_name */
	WIRE_PROBE_ACTIONS = 26, /* wire_probe, each followed by its text */
	WIRE_PROBE_FIELDS = 27,  /* wire_probe_field, each with its text */
	WIRE_PROBE_EVENTS = 28,  /* wire_probe_events, and these */
	WIRE_PROBE_HITS = 29,    /* array of wire_probe_hits */
	/* Former packets in traces, before places were in words; also 31. */
	WIRE_FORMER_PACKET = 30,
	WIRE_HOOKING = 32,       /* array of wire_hooking */
	WIRE_HANDLER_CRASH = 33, /* wire_handler_crash and its text */
	WIRE_INHERITED = 34,     /* array of wire_inherited */
	WIRE_PACKET = 35,        /* in a trace only: packet.h */
	WIRE_PACKET_BLOCKS = 36, /* in a trace only: wire_packet_blocks */
	WIRE_MAPPED_CODE = 37,   /* array of wire_mapped_code */
	WIRE_METHODS = 38,       /* see WIRE_NUMBER_RECORDS */
	WIRE_CALLERS = 39,       /* see WIRE_NUMBER_RECORDS */
	WIRE_CHUNK_KIND_COUNT
};

/* Returns whether this clew reads parts of the version. */
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
	/*
	 * TALLY: contexts out of the header's `contexts` that the tally's
	 * thread has reserved and not yet recorded.
	 */
	uint64_t admitted;
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct wire_chunk) == 64, "on the wire");

/*
 * A thread that made hooked calls. Valid if tid is not 0 (stored last,
 * release).
 */
struct wire_thread {
	_Atomic uint32_t tid;
	uint32_t tally; /* the tally it counts in; later threads may reuse it */
	char name[16];  /* NUL-terminated, as last seen */
	uint64_t start_ns; /* CLOCK_REALTIME of its first hooked call */
};
_Static_assert(sizeof(struct wire_thread) == 32, "on the wire");

/* A selection rule and how many modules or functions it matched. */
struct wire_rule {
	uint32_t bytes; /* of this record with its text, a multiple of 8 */
	uint32_t text_bytes;
	uint64_t matches;
};
_Static_assert(sizeof(struct wire_rule) == 16, "on the wire");

#endif
