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
 *	PID.SEQ.trace	its calls one by one, if that was asked for (packet.h)
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
 * All integers are little-endian and naturally aligned. What most chunks hold is
 * in headers that this one includes: module_functions.h, inherited.h, told.h, counts.h, sample.h,
 * context_values.h, mark_records.h, user_probe.h, packet.h.
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

#include "wire/context_values.h"
#include "wire/counts.h"
#include "wire/inherited.h"
#include "wire/mark_records.h"
#include "wire/module_functions.h"
#include "wire/packet.h"
#include "wire/sample.h"
#include "wire/told.h"
#include "wire/user_probe.h"

#define WIRE_MAGIC          "clewrec\n"
#define WIRE_VERSION        5
#define WIRE_VERSION_OLDEST 5
#define WIRE_HEADER_BYTES   4096
#define WIRE_PAGE_BYTES     4096
#define WIRE_PART_SUFFIX    ".part"
#define WIRE_STUBS_SUFFIX   ".stubs" /* not read: preload/stubs/stub_memory.h */
#define WIRE_STUBS_NEW      ".new"   /* behind that: being written */
#define WIRE_STUBS_MODULE                                                      \
	"content-" /* begins such a name: shared_table.h, prelinked.h */
#define WIRE_HOOKED_SUFFIX                                                     \
	".hooked" /* a module with its hooks: preload/shared_text.h */
#define WIRE_STUBS_SHARED   "shadow-" /* begins such a file's name, of all */
#define WIRE_MAP_SUFFIX     ".perfmap"
#define WIRE_JITDUMP_SUFFIX ".jitdump"
#define WIRE_SNAPSHOT_SUFFIX                                                   \
	".snapshot" /* a number follows: a folder, a recording */
#define WIRE_SNAPSHOTS_MAX   100000
#define WIRE_CONFIG_NAME     "config"
#define WIRE_UNRECORDED_NAME "unrecorded"
#define WIRE_RECORDED_IN     "it is recorded in " /* a line of that: elsewhere */

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
	WIRE_LOSS_HANDLER, /* by handlers of probes, or signals' on top of them */
	WIRE_LOSS_COUNT = 8
};

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
	WIRE_SAMPLE_BYTES, /* they took their share of max_bytes, or of a group's */
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
	WIRE_JAVA_COLLECTOR, /* clew came late, and its collector is ZGC of 18 or later */
	WIRE_JAVA_INEXACT, /* each call was to be counted, which it does not permit */
	WIRE_JAVA_IN_PLACE, /* it does, and calls of compiled methods count (--java=inplace) */
	WIRE_JAVA_UNSHAPED, /* these were to count, but the machine is none that clew knows */
	WIRE_JAVA_VIRTUAL, /* they did until a virtual thread came */
	WIRE_JAVA_COUNT
};

/* Whether calls of compiled methods have counted. */
static inline int wire_java_is_in_place(uint32_t java)
{
	return java == WIRE_JAVA_IN_PLACE || java == WIRE_JAVA_VIRTUAL;
}

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
	_Atomic uint64_t contexts; /* admitted so far, over all tallies */
	_Atomic uint64_t losses[WIRE_LOSS_COUNT]; /* any thread, atomic add */
	_Atomic uint64_t trap_hits; /* any thread, atomic add: int3s executed */
	char why[248];      /* WIRE_DISABLED: a sentence, NUL-terminated */
	uint32_t time;      /* enum wire_time */
	uint32_t rate_hz;   /* of samples that were asked for */
	uint64_t period_ns; /* between two samples, as asked for */
	/*
	 * At the start, and now and then, last at the end. 0: by a clew that noted
	 * none where no time was taken.
	 */
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
	uint64_t
		budget_rest_ns; /* CPU time that it has not; 0 unless WIRE_ENDED */
	/*
	 * Since when (CLOCK_MONOTONIC) a module is being analysed that no cache
	 * knows, or 0; and its file's name, NUL-terminated, or the beginning.
	 */
	_Atomic uint64_t reading_ns; /* under the loader's lock; release */
	char reading[56];
	uint64_t start_cpu_ns; /* CPU time of clew's until the program began */
	uint32_t folds_recursion; /* 1: no context has a function twice */
	/* Hooks that the program had written over, when that was last looked at */
	_Atomic uint32_t overwritten_hooks;
	uint64_t first_real_ns; /* CLOCK_REALTIME at `first`; 0: not noted */
	/*
	 * Calls of natives that count below their innermost Java method, as the
	 * frames of others were in the heap: atomic add.
	 */
	_Atomic uint64_t frozen_natives;
	/*
	 * Functions that verifications have met, whose stack slots were those of others
	 * that they had jumped to: atomic add.
	 */
	_Atomic uint64_t jumped_functions;
};
_Static_assert(sizeof(struct wire_header) == 920, "on the wire");

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
	WIRE_VALUES = 21,      /* wire_values, its columns and rows */
	WIRE_PROBES = 22,      /* wire_probe, each followed by its text */
	WIRE_PROBE_PLACES = 23,  /* array of wire_probe_place */
	WIRE_MARKS = 24,         /* wire_marks, array of wire_mark */
	WIRE_MARK_NAMES = 25,    /* wire_mark_names, array of wire_mark_name */
	WIRE_PROBE_ACTIONS = 26, /* wire_probe, each followed by its text */
	WIRE_PROBE_FIELDS = 27,  /* wire_probe_field, each with its text */
	WIRE_PROBE_EVENTS = 28,  /* wire_probe_events, and these */
	WIRE_PROBE_HITS = 29,    /* array of wire_probe_hits */
	WIRE_FORMER_PACKET =
		30,        /* in traces, until places were in words; and 31 */
	WIRE_HOOKING = 32, /* array of wire_hooking */
	WIRE_HANDLER_CRASH = 33, /* wire_handler_crash and its text */
	WIRE_INHERITED = 34,     /* array of wire_inherited */
	WIRE_PACKET = 35,        /* in a trace only: packet.h */
	WIRE_PACKET_BLOCKS = 36, /* likewise: wire_packet_blocks */
	WIRE_MAPPED_CODE = 37,   /* array of wire_mapped_code */
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
	/*
	 * TALLY: of the header's `contexts` those that its thread may record without
	 * asking again, and has not.
	 */
	uint64_t admitted;
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct wire_chunk) == 64, "on the wire");

/* A thread that was seen. Valid once tid is not 0 (stored last, release). */
struct wire_thread {
	_Atomic uint32_t tid;
	uint32_t tally; /* the tally it counts in; others may follow it there */
	char name[16];  /* NUL-terminated, as last seen */
	uint64_t start_ns; /* CLOCK_REALTIME of its first hooked call */
};
_Static_assert(sizeof(struct wire_thread) == 32, "on the wire");

/* A selection rule and how many modules or functions it matched. */
struct wire_rule {
	uint32_t bytes; /* of this record, text included, a multiple of 8 */
	uint32_t text_bytes;
	uint64_t matches;
};
_Static_assert(sizeof(struct wire_rule) == 16, "on the wire");

#endif
