/* SPDX-License-Identifier: MIT */
/*
 * The recording, as files.
 *
 * A recording is a directory:
 *
 *	config		options and rules, in the words of clew-record(1)
 *			"RULES"
 *	PID.SEQ.part	one process image: SEQ is 0, then 1, 2... after execs
 *	PID.SEQ.perfmap	a copy of the file in which the process described its
 *	PID.SEQ.jitdump	generated code, made when the process had ended
 *	PID.SEQ.trace	the calls of the process, one by one, if requested
 *			(packet.h)
 *	unrecorded	a line "PID WHY" for each process that could not create
 *			a part. The file and one disk block for it exist from
 *			the beginning, so that a line can be added even if the
 *			disk is full
 *
 * A part is a file that the library maps shared and writes in place. The file
 * is valid at every moment: records remain if the process is killed, and a
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
 * its writer stores `end` with release after the chunk's header, and the
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
 * mark_records.h, user_probe.h, packet.h, imported.h, packed.h.
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
#include "wire/imported.h"
#include "wire/inherited.h"
#include "wire/mark_records.h"
#include "wire/module_functions.h"
#include "wire/packed.h"
#include "wire/packet.h"
#include "wire/runtime_records.h"
#include "wire/sample.h"
#include "wire/user_probe.h"

#define WIRE_MAGIC          "clewrec\n"
#define WIRE_VERSION        6
#define WIRE_VERSION_OLDEST 6
/* The version of a part with packed counts (packed.h). */
#define WIRE_VERSION_PACKED 7
#define WIRE_HEADER_BYTES   4096
#define WIRE_PAGE_BYTES     4096
#define WIRE_PART_SUFFIX    ".part"
/* Files of stubs, which reports do not read: preload/stubs/stub_memory.h. */
#define WIRE_STUBS_SUFFIX ".stubs"
/* Added to the name of a file of stubs while it is being written. */
#define WIRE_STUBS_NEW ".new"
/*
 * Prefix of the name of a file with the stubs of one module (shared_table.h,
 * prelinked.h).
 */
#define WIRE_STUBS_MODULE "content-"
/* Suffix of a copy of a module with hooks (preload/hooking/shared_text.h). */
#define WIRE_HOOKED_SUFFIX ".hooked"
/* Prefix of the name of the file of stubs that all processes share. */
#define WIRE_STUBS_SHARED   "shadow-"
#define WIRE_MAP_SUFFIX     ".perfmap"
#define WIRE_JITDUMP_SUFFIX ".jitdump"
/*
 * A snapshot is a recording. The name of its folder is PID.SEQ, this suffix,
 * and a number from 1 to WIRE_SNAPSHOTS_MAX.
 */
#define WIRE_SNAPSHOT_SUFFIX ".snapshot"
#define WIRE_SNAPSHOTS_MAX   100000
#define WIRE_CONFIG_NAME     "config"
#define WIRE_UNRECORDED_NAME "unrecorded"
/*
 * Beginning of WHY in a line of WIRE_UNRECORDED_NAME if the process is recorded
 * in another folder, whose path follows.
 */
#define WIRE_RECORDED_IN "it is recorded in "

/* State of a process image. */
enum wire_state {
	WIRE_STARTING = 1, /* the library is starting */
	/* the library could not start, for the reason in `why` */
	WIRE_DISABLED = 2,
	/*
	 * the program is hooked; this is also the final state of a killed
	 * process
	 */
	WIRE_RUNNING = 3,
	WIRE_ENDED = 4, /* exit() was called, or clew has detached */
};

enum wire_origin {
	/*
	 * The process was exec'ed with clew in its environment by a process
	 * that is not recorded, or clew has attached to it.
	 */
	WIRE_FROM_START = 1,
	/*
	 * The process was forked. parent_pid and parent_seq identify the
	 * parent's part.
	 */
	WIRE_FROM_FORK = 2,
	/*
	 * The process image was exec'ed by a recorded one, whose part has the
	 * same pid and seq - 1.
	 */
	WIRE_FROM_EXEC = 3,
	WIRE_FROM_IMPORT = 4, /* written by clew import (imported.h) */
};

/* Why calls of hooked functions were lost: in which calls, or for what. */
enum wire_loss {
	/* clew got no memory, or the recording could not grow. */
	WIRE_LOSS_NO_SPACE,
	/*
	 * Calls inside fork(), and calls of threads that were created in the
	 * child meanwhile.
	 */
	WIRE_LOSS_FORK,
	/* Calls of a runtime's own functions by the code that it generated. */
	WIRE_LOSS_GENERATED,
	/*
	 * clew needed memory and could not get it, because system calls are
	 * filtered. Most of these calls are in threads that had made no hooked
	 * call before the filter was installed.
	 */
	WIRE_LOSS_FILTER,
	/* Calls while several threads had the same thread pointer. */
	WIRE_LOSS_SHARED,
	/* Calls in forked children that could not create a part. */
	WIRE_LOSS_CHILD,
	/*
	 * Calls in handlers of probes, or in signal handlers that interrupted
	 * handlers of probes.
	 */
	WIRE_LOSS_HANDLER,
	WIRE_LOSS_COUNT = 8
};

/* How time is measured. */
enum wire_time {
	WIRE_TIME_NONE,  /* counts are recorded without times */
	WIRE_TIME_CPU,   /* sampled by the CPU time of each thread */
	WIRE_TIME_WALL,  /* sampled by the wall clock, by another thread */
	WIRE_TIME_EXACT, /* measured at the entry and exit of each call */
};

/* Why samples that were due are missing. */
enum wire_sample_loss {
	WIRE_SAMPLE_NO_SPACE, /* the recording could not grow */
	/* The thread has no tally, or counts nothing. */
	WIRE_SAMPLE_NO_TALLY,
	/*
	 * The thread got no timer, or no memory for its samples; counts threads
	 * and not samples.
	 */
	WIRE_SAMPLE_NO_TIMER,
	/*
	 * Wall samples of a thread have no pc; counts threads, and no sample is
	 * missing.
	 */
	WIRE_SAMPLE_NO_PC,
	/*
	 * The samples reached their share of max_bytes, or of the memory limit
	 * of the control group.
	 */
	WIRE_SAMPLE_BYTES,
	WIRE_SAMPLE_LOSS_COUNT = 5
};

/*
 * WIRE_TIME_CPU: why samples are taken only at the kernel's ticks and not by a
 * finer clock (preload/time/events.h).
 */
enum wire_coarse {
	/*
	 * A finer clock is used, or no thread has run long enough to need one.
	 */
	WIRE_COARSE_NOT,
	WIRE_COARSE_ASKED,  /* the user has requested the coarse clock */
	WIRE_COARSE_ENOUGH, /* the kernel's tick is as fast as requested */
	/* System calls are filtered. */
	WIRE_COARSE_FILTER,
	WIRE_COARSE_FORBIDDEN, /* the user may not open the kernel's events */
	WIRE_COARSE_KERNEL,    /* the kernel has no suitable events */
	WIRE_COARSE_SIGNAL,    /* the program uses SIGURG */
	WIRE_COARSE_ROOM, /* no more events, files or locked memory available */
	/* A finer clock was opened, but signalled too seldom. */
	WIRE_COARSE_SILENT,
	WIRE_COARSE_RESTLESS, /* threads run for short intervals only */
	WIRE_COARSE_COUNT
};

/* Whether a JVM reports its native methods to clew, and if not, why. */
enum wire_java {
	WIRE_JAVA_NONE,   /* no JVM, or the user excluded it */
	WIRE_JAVA_TOLD,   /* the JVM reports its native methods */
	WIRE_JAVA_OPAQUE, /* clew cannot wrap JNI_CreateJavaVM() */
	/* The path of libclew.so cannot be written in an option. */
	WIRE_JAVA_PATH,
	/* The JVM lacks the tool interface (JVMTI) or forbids its use. */
	WIRE_JAVA_REFUSED,
	/*
	 * clew has attached to a JVM whose collector is ZGC of Java 18 or later
	 */
	WIRE_JAVA_COLLECTOR,
	/*
	 * The JVM reports them, but does not support the exact counting that
	 * was requested.
	 */
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

/* Returns whether calls of compiled Java methods are or were counted. */
static inline int wire_java_is_in_place(uint32_t java)
{
	return java == WIRE_JAVA_IN_PLACE || java == WIRE_JAVA_VIRTUAL;
}

/* Whether calls of JNI functions are recorded, and if not, why. */
enum wire_jni {
	WIRE_JNI_NONE,    /* not requested, or no JVM */
	WIRE_JNI_WATCHED, /* the calls are recorded */
	WIRE_JNI_REFUSED, /* the JVM forbids replacing its function table */
	WIRE_JNI_ROOM,    /* there was not enough memory */
	WIRE_JNI_COUNT
};

/* Whether a budget is kept (--budget), and if not, why. */
enum wire_budget {
	/* The user has given no budget, or it was not checked yet. */
	WIRE_BUDGET_NONE,
	WIRE_BUDGET_KEPT, /* functions are unhooked as necessary */
	/*
	 * Not kept: a debugger is attached, which would stop at changes of
	 * code.
	 */
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

/* Bins of asked_when. The last one begins at 2^23 ms, more than two hours. */
#define WIRE_ASKED_BINS 24

/*
 * The values of two clocks at the same moment. Two such moments convert time
 * stamps to seconds.
 */
struct wire_moment {
	uint64_t tsc;
	uint64_t ns; /* CLOCK_MONOTONIC */
};

struct wire_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t header_bytes;
	/*
	 * Offset of the end of the last chunk. The library stores it with
	 * release.
	 */
	_Atomic uint64_t end;
	/* enum wire_state, written by the library or by clew import */
	_Atomic uint32_t state;
	uint32_t origin; /* enum wire_origin */
	uint32_t pid;
	uint32_t seq;
	uint32_t ppid; /* pid of the parent process when the part was created */
	uint32_t parent_pid; /* set with WIRE_FROM_FORK only */
	uint32_t parent_seq; /* set with WIRE_FROM_FORK only */
	/*
	 * One call in verify_period is verified on average, and first calls of
	 * contexts more often (wire_first_period()). 0: no call is verified.
	 */
	uint32_t verify_period;
	uint64_t start_ns; /* CLOCK_REALTIME */
	/* CLOCK_REALTIME; stored just before WIRE_ENDED; 0 until then. */
	uint64_t end_ns;
	/*
	 * How long clew took to hook the program before main(). 0 in forked
	 * children, and in processes to which clew has attached.
	 */
	uint64_t hook_ns;
	/*
	 * Maximum number of contexts. Calls in further contexts are counted in
	 * "(folded)".
	 */
	uint64_t max_contexts;
	/* Number of contexts that all tallies have recorded or reserved. */
	_Atomic uint64_t contexts;
	/*
	 * Number of calls that were lost, by cause. Any thread may add to it,
	 * atomically.
	 */
	_Atomic uint64_t losses[WIRE_LOSS_COUNT];
	/*
	 * Number of clew's int3 instructions that were executed. Any thread may
	 * add to it, atomically.
	 */
	_Atomic uint64_t trap_hits;
	char why[248];      /* with WIRE_DISABLED the reason, NUL-terminated */
	uint32_t time;      /* enum wire_time */
	uint32_t rate_hz;   /* requested samples per second */
	uint64_t period_ns; /* requested time between two samples */
	/*
	 * `first` is stored at the start, `latest` repeatedly afterwards and at
	 * the end. Both are 0 in recordings by older versions of clew without
	 * time measurement.
	 */
	struct wire_moment first, latest;
	/* indexed by enum wire_sample_loss */
	_Atomic uint64_t sample_losses[WIRE_SAMPLE_LOSS_COUNT];
	/*
	 * WIRE_TIME_EXACT, in time-stamp ticks: the cost of measuring a call
	 * that is included in the measured time of the called function, and in
	 * that of its caller.
	 */
	uint32_t cost_self_ticks, cost_caller_ticks;
	/*
	 * Number of calls whose times were not measured for want of room. Any
	 * thread may add to it, atomically.
	 */
	_Atomic uint64_t untimed_calls;
	/*
	 * Builds with CLEW_STRESS: how often the library found its own
	 * structures inconsistent, and the first case (wire/violation.h).
	 */
	_Atomic uint32_t violations; /* any thread may add to it, atomically */
	/* Any thread may store this, but only the first one does. */
	_Atomic uint32_t first_violation;
	/* CPU time of clew's own thread (preload/time/watch.h). */
	uint64_t watch_ns;
	/*
	 * Maximum size of tables, contexts and samples in bytes. 0 if there is
	 * no limit.
	 */
	uint64_t max_bytes;
	/*
	 * With WIRE_TIME_CPU, how often a thread got a finer clock. Any thread
	 * may add to it, atomically.
	 */
	_Atomic uint32_t events;
	/*
	 * enum wire_coarse: the latest reason why a thread has no finer clock.
	 */
	_Atomic uint32_t coarse;
	_Atomic uint32_t java; /* enum wire_java; any thread may store it */
	/*
	 * Number of native methods that were bound but whose names are not
	 * recorded. Any thread may add to it, atomically.
	 */
	_Atomic uint32_t unnamed_natives;
	/*
	 * Number of calls of native methods from Java that are counted without
	 * their caller. Any thread may add to it, atomically.
	 */
	_Atomic uint64_t callerless_natives;
	/*
	 * How often a Java stack had to be counted as its innermost method
	 * alone. Any thread may add to it, atomically.
	 */
	_Atomic uint64_t stackless_natives;
	/*
	 * How often clew has compared a recorded Java stack with the JVM's
	 * answer to a request: with an equal result, and with a different one.
	 * Any thread may add to these, atomically.
	 */
	_Atomic uint64_t verified_stacks, mismatched_stacks;
	_Atomic uint32_t jni; /* enum wire_jni; any thread may store it */
	/*
	 * Number of JNI events that were not noted for want of room. Any thread
	 * may add to it, atomically.
	 */
	_Atomic uint32_t unnoted_jni;
	/* How often memory became executable and no wire_maker was recorded. */
	_Atomic uint64_t makerless;
	/* with WIRE_FROM_FORK the time of the fork; 0 if it is unknown */
	uint64_t forked_tsc;
	/*
	 * Java stacks that clew had not recorded and requested from the JVM:
	 * the number of requests, and the total time that they took. Element i
	 * of asked_when counts the requests from 2^i to 2^(i+1) ms after the
	 * JVM was ready. Element 0 counts all requests before 2 ms, and the
	 * last element has no upper limit. Any thread may add to these,
	 * atomically.
	 */
	_Atomic uint64_t asked_stacks, asked_ns;
	_Atomic uint32_t asked_when[WIRE_ASKED_BINS];
	/*
	 * Number of native methods whose calls are not counted, because no
	 * relay was left. Any thread may add to it, atomically.
	 */
	_Atomic uint64_t relayless_natives;
	/*
	 * Number of threads whose active functions were unknown when clew
	 * attached: the stack could not be unwound to its start, or contained a
	 * function of the unwinder. The calls of these threads are counted as
	 * if the threads had just begun.
	 */
	uint32_t rootless_threads;
	/*
	 * The budget: the maximum cost of clew in thousandths of the program's
	 * CPU time, or 0 if there is no limit. Hooks of functions are removed
	 * to keep the budget (WIRE_LEFT_OUT).
	 */
	uint32_t budget;
	_Atomic uint32_t budget_state; /* enum wire_budget */
	/* Present estimate of the cost of a counted call, in picoseconds. */
	uint32_t budget_call_ps;
	/*
	 * Written by clew's own thread at each poll: the program's CPU time so
	 * far, the estimated part of this time that clew has used, and the time
	 * of the poll (CLOCK_REALTIME).
	 */
	uint64_t budget_cpu_ns, budget_cost_ns, budget_seen_ns;
	/*
	 * The time that samples in clew's own code represent. Any thread may
	 * add to it, atomically.
	 */
	_Atomic uint64_t own_sampled_ns;
	/*
	 * Java stacks that clew had not recorded. composed_stacks counts those
	 * that clew composed from its data about code, without a request to the
	 * JVM. verified_composed counts those that clew composed and also
	 * requested, and mismatched_composed those of them whose two results
	 * differed. Any thread may add to these, atomically.
	 */
	_Atomic uint64_t composed_stacks, verified_composed,
		mismatched_composed;
	/*
	 * With a budget: the program's CPU time since the last poll, or since
	 * its start if there was none. Stored just before WIRE_ENDED; 0 until
	 * then.
	 */
	uint64_t budget_rest_ns;
	/*
	 * While clew analyses a module that is in no cache: the time when the
	 * analysis began (CLOCK_MONOTONIC), and the beginning of the module's
	 * file name, NUL-terminated. Otherwise reading_ns is 0. The time is
	 * stored with release.
	 */
	_Atomic uint64_t reading_ns;
	char reading[56];
	/*
	 * CPU time that clew used before the program began. 0 in forked
	 * children, and in processes to which clew has attached.
	 */
	uint64_t start_cpu_ns;
	/*
	 * 1: recursion was folded (--fold-recursion) in threads with more than
	 * `fold_beyond` contexts, or from the start if that is 0
	 */
	uint32_t folds_recursion;
	/*
	 * Number of hooks that the program had overwritten at the latest check.
	 */
	_Atomic uint32_t overwritten_hooks;
	/* CLOCK_REALTIME at `first`; 0 if it was not read */
	uint64_t first_real_ns;
	/*
	 * Calls of native methods that are counted below the innermost Java
	 * method only, because the frames of further methods were in the heap
	 * (virtual threads). Any thread may add to it, atomically.
	 */
	_Atomic uint64_t frozen_natives;
	/*
	 * Number of functions that verification has found in contexts although
	 * they had ended by a tail call that was not observed. Another function
	 * then uses their slot. Any thread may add to it, atomically.
	 */
	_Atomic uint64_t jumped_functions;
	/*
	 * How often clew has hooked the functions without hooks again for a
	 * moment, to measure their rates of calls for wire_left_out.missed.
	 * Written by clew's own thread.
	 */
	uint64_t budget_surveys;
	uint64_t fold_beyond; /* see folds_recursion */
};
_Static_assert(sizeof(struct wire_header) == 936, "on the wire");

enum wire_chunk_kind {
	WIRE_FREE = 0,       /* a freed chunk; its payload is undefined */
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
	WIRE_PROBE_EVENTS = 28,  /* wire_probe_events, followed by events */
	WIRE_PROBE_HITS = 29,    /* array of wire_probe_hits */
	/* 30 and 31 were kinds of older formats and have no meaning. */
	WIRE_HOOKING = 32,        /* array of wire_hooking */
	WIRE_HANDLER_CRASH = 33,  /* wire_handler_crash and its text */
	WIRE_INHERITED = 34,      /* array of wire_inherited */
	WIRE_PACKET = 35,         /* in a trace only: packet.h */
	WIRE_PACKET_BLOCKS = 36,  /* in a trace only: wire_packet_blocks */
	WIRE_MAPPED_CODE = 37,    /* array of wire_mapped_code */
	WIRE_METHODS = 38,        /* see WIRE_NUMBER_RECORDS */
	WIRE_CALLERS = 39,        /* see WIRE_NUMBER_RECORDS */
	WIRE_IMPORT = 40,         /* wire_import and the name of its file */
	WIRE_IMPORTED_NAMES = 41, /* wire_imported_name, each with its texts */
	WIRE_PACKED = 42,         /* wire_packed and its columns */
	WIRE_CHUNK_KIND_COUNT
};

/* Returns whether this version of clew reads parts with `version`. */
static inline int wire_version_is_read(uint32_t version)
{
	return version - WIRE_VERSION_OLDEST <=
	       WIRE_VERSION_PACKED - WIRE_VERSION_OLDEST;
}

struct wire_chunk {
	_Atomic uint32_t kind;
	/*
	 * Number of the tally to which a chunk of these kinds belongs: TALLY,
	 * CONTEXTS, TABLE, SAMPLES, HISTOGRAMS, PACKET. Otherwise 0.
	 */
	uint32_t owner;
	uint64_t bytes; /* size of the chunk, including this header */
	/*
	 * Used bytes of the payload, stored with release after them. Not set
	 * for TALLY, CONTEXTS, TABLE and SAMPLES, whose unused records are 0.
	 * PACKET: enum wire_packet_state.
	 */
	_Atomic uint64_t used;
	/*
	 * TALLY: number of contexts that the tally's thread has reserved and
	 * not recorded yet. wire_header.contexts includes them.
	 */
	uint64_t admitted;
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct wire_chunk) == 64, "on the wire");

/*
 * A thread to which the process has assigned a tally. Valid if tid is not 0
 * (stored last, release).
 */
struct wire_thread {
	_Atomic uint32_t tid;
	/*
	 * Number of the tally in which the thread counts; later threads may use
	 * the same tally.
	 */
	uint32_t tally;
	char name[16]; /* NUL-terminated, as last seen */
	/*
	 * When the thread got its tally (CLOCK_REALTIME): usually at its first
	 * call of a hooked function, or earlier if it is sampled.
	 */
	uint64_t start_ns;
};
_Static_assert(sizeof(struct wire_thread) == 32, "on the wire");

/* A selection rule, with the number of modules or functions it has matched. */
struct wire_rule {
	uint32_t bytes; /* size of this record with its text, a multiple of 8 */
	uint32_t text_bytes;
	uint64_t matches;
};
_Static_assert(sizeof(struct wire_rule) == 16, "on the wire");

#endif
