/* SPDX-License-Identifier: MIT */
/*
 * The interface between `clew attach` (the controller), which stops the threads
 * of a process from outside, and libclew.so, which is loaded into that process.
 *
 * The controller makes a thread of the process call the functions below. These
 * functions leave their results in the exported variable `clew_attachment`.
 *
 *	clew_attach_prepare(dir, controller)
 *		Prepares recording into dir, in slices, while other threads
 *		run. While the result is -EINPROGRESS, the controller calls
 *		it again, in any thread.
 *	clew_attach_enter(threads, count)
 *		All threads are stopped: prepares them for counting. Then the
 *		controller writes the texts (struct wire_text), and the words on
 *		stacks that the library has stored in the array of frames.
 *	clew_attach_share(threads, count)
 *		All threads are still stopped, and the library's own texts are
 *		written: maps segments of code from files that contain the
 *		hooks, where such files exist. The controller writes the texts
 *		of the other segments.
 *	clew_attach_runtimes(wish)
 *		After clew_attach_enter() and before clew_attach_detach(): a
 *		thread of the library's own starts or ends the reports of
 *		language runtimes, as `wish` says. The controller repeats the
 *		call to learn the thread's progress (`runtimes`).
 *	clew_attach_finish()
 *		Ends sampling. If no thread can be made to call this function,
 *		the controller sets finish_wish, and the next thread that loads
 *		or unloads a library ends sampling.
 *	clew_attach_detach(threads, count)
 *		All threads are stopped: prepares restoring the texts. Fails
 *		while any thread may still return into a stub. After a failure,
 *		the controller can at most remove the hooks, and only if
 *		may_unhook is set.
 *	clew_attach_release(threads, count)
 *		All threads are still stopped, and texts and stacks are
 *		restored: frees the library's memory.
 *
 * The controller itself writes into code, in whole pages, so that an
 * instruction within a page is never half-written if the controller is killed.
 * The controller also writes the words on stacks and the library's variables of
 * each thread. If the controller is killed while a thread executes one of these
 * functions, the function completes, and the process continues.
 */
#ifndef CLEW_WIRE_ATTACHMENT_H
#define CLEW_WIRE_ATTACHMENT_H

#include <stdint.h>

#define WIRE_ATTACH_VERSION    15
#define WIRE_ATTACH_DIR_BYTES  4096
#define WIRE_ATTACH_TEXT_BYTES 10

/*
 * Upper bounds of values in clew_attachment: numbers of array elements, the
 * size of the library's variables of a thread, and -result. `clew attach`
 * refuses a process whose attachment exceeds a bound
 * (cli/target/attachment_copy.h).
 */
#define WIRE_ATTACH_TEXTS_MAX          (UINT64_C(1) << 21)
#define WIRE_ATTACH_FRAMES_MAX         (UINT64_C(1) << 18)
#define WIRE_ATTACH_WORDS_MAX          (UINT64_C(1) << 22)
#define WIRE_ATTACH_VARIABLE_BYTES_MAX 4096
#define WIRE_ATTACH_ERRNO_MAX          4095

#define WIRE_ATTACHMENT                "clew_attachment"
#define WIRE_ATTACH_PREPARE            "clew_attach_prepare"
#define WIRE_ATTACH_ENTER              "clew_attach_enter"
#define WIRE_ATTACH_SHARE              "clew_attach_share"
#define WIRE_ATTACH_RUNTIMES           "clew_attach_runtimes"
#define WIRE_ATTACH_FINISH             "clew_attach_finish"
#define WIRE_ATTACH_DETACH             "clew_attach_detach"
#define WIRE_ATTACH_RELEASE            "clew_attach_release"

/* The table that agent libraries export (agent/agent_fronts.h). */
#define WIRE_AGENT_FRONTS "libclew_agent_fronts"

enum wire_attach_state {
	/* Nothing is prepared: never attached, detached, or it failed. */
	WIRE_ATTACH_NONE,
	/* clew_attach_prepare() is complete; no text is written yet. */
	WIRE_ATTACH_PREPARED,
	WIRE_ATTACH_ENTERED, /* the texts are written or being written */
	/* The texts are being restored; nothing is sampled. */
	WIRE_ATTACH_LEFT,
	/*
	 * The library was preloaded, so clew cannot attach. The controller
	 * calls only clew_attach_runtimes(), which then switches counting in
	 * the JVM on or off (--java=standby).
	 */
	WIRE_ATTACH_PRELOADED,
	WIRE_ATTACH_PREPARING, /* clew_attach_prepare() is not complete */
};

/*
 * Whether a thread has requested to block SIGTRAP, while clew keeps SIGTRAP
 * unblocked for its own use. WIRE_ATTACH_BLOCKS_AS_OTHERS: no request of the
 * thread is known. clew then assumes that a thread that blocks all other
 * signals also blocks SIGTRAP.
 */
enum wire_attach_blocks {
	WIRE_ATTACH_BLOCKS_AS_OTHERS,
	WIRE_ATTACH_BLOCKS,
	WIRE_ATTACH_BLOCKS_NOT,
};

/* Results of clew_attach_runtimes(). */
enum wire_attach_runtimes {
	/*
	 * The process has no language runtime that clew supports, its reports
	 * have ended, or the library's thread could not be created.
	 */
	WIRE_RUNTIMES_NONE,
	/*
	 * The process has a runtime whose reports are not started. With
	 * --java=standby: counting is switched off.
	 */
	WIRE_RUNTIMES_FOUND,
	/*
	 * As a result: the library's thread is starting the reports. As the
	 * argument `wish`: start them.
	 */
	WIRE_RUNTIMES_BEGIN,
	/* The reports are on, as far as the runtimes support them. */
	WIRE_RUNTIMES_TELL,
	/*
	 * As a result: the library's thread is ending the reports. As the
	 * argument `wish`: end them.
	 */
	WIRE_RUNTIMES_END,
	/* Ending the reports failed; it may be requested again. */
	WIRE_RUNTIMES_UNLEFT,
};

/*
 * A piece of the process's memory, with its bytes before and after clew has
 * changed it.
 */
struct wire_text {
	uint64_t at;
	uint8_t bytes;
	uint8_t before[WIRE_ATTACH_TEXT_BYTES];
	uint8_t after[WIRE_ATTACH_TEXT_BYTES];
	uint8_t is_data; /* 1 if the piece is data and not code */
	uint8_t is_kept; /* 1 if the piece belongs to the library itself */
	uint32_t number; /* used by the controller only: index in the array */
};
_Static_assert(sizeof(struct wire_text) == 40, "on the wire");

/* A word that the controller writes to a stack, and its address. */
struct wire_stack_word {
	uint64_t at, value;
};

/*
 * Argument and result of the code that queries a thread's alternate stack: a
 * stack_t, then the state with which the thread continues.
 */
struct wire_stack_query {
	uint64_t stack;
	uint32_t stack_flags, pad;
	uint64_t stack_bytes;
	uint64_t signals;      /* the thread's signal mask */
	uint64_t registers[8]; /* the registers that query_stack.S uses */
};
_Static_assert(sizeof(struct wire_stack_query) == 96, "on the wire");

/* Maximum length of the code that queries the alternate stack. */
#define WIRE_ATTACH_QUERY_BYTES 128

/* A stopped thread. */
struct wire_stopped {
	uint64_t tid;
	/* Thread pointer; 0: libc did not create the thread. */
	uint64_t block;
	uint64_t pc, sp;
	/* Index of the thread's innermost frame in the attachment's array. */
	uint32_t first_frame;
	/* Number of the thread's frames in the array. */
	uint32_t frame_count;
	/*
	 * 1 if the stack was unwound; the array then has frame_count + 1
	 * elements for the thread, the last for use by the library. 0 if the
	 * stack could not be unwound; the array then has no element for it.
	 */
	uint32_t is_unwound;
	uint32_t pad;
};
_Static_assert(sizeof(struct wire_stopped) == 48, "on the wire");

/*
 * A function that was active before clew attached. The controller stores the
 * frame. clew_attach_enter() then replaces `word` by a word that the controller
 * has to write, and `at` by the address of that word (0: nothing to write). The
 * controller may be killed between two of these words without harm to the
 * process. The word in a thread's last element sets the thread's context and is
 * written last.
 */
struct wire_frame {
	uint64_t at;       /* location of the return address on the stack */
	uint64_t word;     /* the function's return address */
	uint64_t function; /* entry of the function */
	/*
	 * Address where the function was interrupted; 0: it has called the next
	 * inner function.
	 */
	uint64_t pc;
	uint32_t is_kept; /* 1 if the return address must not change */
	uint32_t number;  /* the function's number; set by the library */
};
_Static_assert(sizeof(struct wire_frame) == 40, "on the wire");

struct wire_attachment {
	uint32_t version;
	uint32_t state;      /* enum wire_attach_state */
	uint32_t controller; /* process id of the controller */
	/* Result of the last called function: 0 or -errno. */
	int32_t result;
	/* Tid of the thread that executes one of the functions; 0: none. */
	_Atomic uint32_t caller;
	_Atomic uint32_t runtimes; /* enum wire_attach_runtimes */
	uint64_t texts;            /* array of struct wire_text */
	uint64_t text_count;
	/*
	 * Used by the library only: the value of lookup_generation()
	 * (preload/host/lookup.h) when modules were hooked or retired last.
	 */
	uint64_t modules;
	uint64_t frames;    /* array of struct wire_frame */
	uint64_t frame_max; /* capacity of this array */
	/*
	 * The code in which no thread may be when clew detaches: these ranges,
	 * and some windows of 16 MiB. The map at address `windows` has one byte
	 * for each window; a byte b means such a window if window_values has
	 * the bit 1 << b. In addition, the word at distance busy_at from each
	 * thread's control block must be 0.
	 */
	struct wire_attach_range {
		uint64_t start, end;
	} avoided[2];
	uint64_t windows, window_values, busy_at;
	/* Result of clew_attach_detach(): words that the controller writes. */
	uint64_t words, word_count; /* array of struct wire_stack_word */
	/*
	 * Argument of clew_attach_release(): the number of ranges of code whose
	 * pages equal their files again. The controller has stored these ranges
	 * in `words`, each from `at` to `value`.
	 */
	uint64_t code_count;
	/*
	 * Result of clew_attach_share(): number of segments that are mapped
	 * from a file that contains their hooks.
	 */
	uint64_t shared_count;
	/*
	 * Result of clew_attach_detach(): 1 if no thread is among the bytes of
	 * a text or is writing to code, so that the hooks can be removed.
	 */
	uint64_t may_unhook;
	/*
	 * The library's variables of each thread: the address of their initial
	 * values, their size in bytes, and their distance from the thread's
	 * control block.
	 */
	uint64_t variables, variable_bytes, variables_at;
	/*
	 * `opened` is the mask of the signals that no thread may block while
	 * clew is attached; 0: none. The 32 bits at distance blocks_at from a
	 * thread's control block contain whether the thread has requested to
	 * block them (enum wire_attach_blocks).
	 */
	uint64_t opened, blocks_at;
	/*
	 * The controller stores 1, so that the next thread that holds the
	 * loader's lock does the work of clew_attach_finish(). That thread
	 * stores 0.
	 */
	_Atomic uint64_t finish_wish;
	/*
	 * Address of the code that queries a thread's alternate stack (0: not
	 * needed), and address of its struct wire_stack_query.
	 */
	uint64_t query_code, query;
	/*
	 * Written by the controller; 1: several threads have the same alternate
	 * stack.
	 */
	uint64_t alternate_is_shared;
	/*
	 * Written by the controller before clew_attach_prepare(): the system
	 * calls that the process's filters forbid (wire/avoidable.h).
	 */
	uint64_t avoided_calls;
	/*
	 * Increases while the library's thread of clew_attach_runtimes() makes
	 * progress.
	 */
	_Atomic uint64_t runtime_steps;
	/* The error message if result is not 0; NUL-terminated. */
	char why[256];
	char dir[WIRE_ATTACH_DIR_BYTES];
	/*
	 * Used by the controller only: the folder to which the controller moves
	 * the recording after detaching, if `dir` exists only in the process's
	 * file system; otherwise "".
	 */
	char home[WIRE_ATTACH_DIR_BYTES];
};

#endif
