/* SPDX-License-Identifier: MIT */
/*
 * The interface between `clew attach`, which stops a process from outside (the
 * controller), and libclew.so, which was loaded into that running process.
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
 *		controller writes the texts and what the library lists in the
 *		frames.
 *	clew_attach_share(threads, count)
 *		All threads are still stopped, and the library's own texts are
 *		written: maps code with its hooks, which processes share. The
 *		controller writes the code that is not mapped.
 *	clew_attach_runtimes(wish)
 *		After entering and before leaving: a thread of the library's
 *		own starts or ends the reports of language runtimes. Returns
 *		how far it is.
 *	clew_attach_finish()
 *		Ends sampling. If no thread can be made to call it, the
 *		controller sets finish_wish, and the next thread that loads
 *		or unloads a library does this work.
 *	clew_attach_leave(threads, count)
 *		All threads are stopped: prepares restoring the texts. No
 *		thread may return into a stub. While some may, only the hooks
 *		can be removed, if may_unhook is set.
 *	clew_attach_release(threads, count)
 *		All threads are still stopped, and texts and stacks are
 *		restored: frees the library's memory.
 *
 * The controller writes code itself, a whole page at a time, so that no
 * instruction stays half-written if the controller is killed. The controller
 * also writes the words on stacks and the threads' variables. A called function
 * completes even if the controller is killed, and the other threads continue.
 */
#ifndef CLEW_WIRE_ATTACHMENT_H
#define CLEW_WIRE_ATTACHMENT_H

#include <stdint.h>

#define WIRE_ATTACH_VERSION    13
#define WIRE_ATTACH_DIR_BYTES  4096
#define WIRE_ATTACH_TEXT_BYTES 10

/*
 * The bounds of the library's results. `clew attach` refuses a process whose
 * attachment exceeds one of them (cli/target/attachment_copy.h).
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
#define WIRE_ATTACH_LEAVE              "clew_attach_leave"
#define WIRE_ATTACH_RELEASE            "clew_attach_release"

enum wire_attach_state {
	WIRE_ATTACH_NONE,      /* never attached, or detached */
	WIRE_ATTACH_PREPARED,  /* nothing is written yet */
	WIRE_ATTACH_ENTERED,   /* the texts are written or being written */
	WIRE_ATTACH_LEFT,      /* the texts are being restored; no samples */
	WIRE_ATTACH_PRELOADED, /* never attached: the library was preloaded */
	WIRE_ATTACH_PREPARING, /* clew_attach_prepare() is not complete */
};

/*
 * Whether a thread has asked to block SIGTRAP. A thread that has
 * not asked blocks SIGTRAP if
 * it blocks all other signals.
 */
enum wire_attach_blocks {
	WIRE_ATTACH_BLOCKS_AS_OTHERS,
	WIRE_ATTACH_BLOCKS,
	WIRE_ATTACH_BLOCKS_NOT,
};

/* Results of clew_attach_runtimes(). */
enum wire_attach_runtimes {
	WIRE_RUNTIMES_NONE,  /* no runtimes, or their reports have ended */
	WIRE_RUNTIMES_FOUND, /* nothing has been requested of them yet */
	/* The thread starts the reports; as a wish: start them. */
	WIRE_RUNTIMES_BEGIN,
	WIRE_RUNTIMES_TELL, /* the runtimes report, as far as they can */
	/* The thread ends the reports; as a wish: end them. */
	WIRE_RUNTIMES_END,
	WIRE_RUNTIMES_UNLEFT, /* ending failed: request it again */
};

/* A piece of the process's memory, without and with clew's changes. */
struct wire_text {
	uint64_t at;
	uint8_t bytes;
	uint8_t before[WIRE_ATTACH_TEXT_BYTES];
	uint8_t after[WIRE_ATTACH_TEXT_BYTES];
	uint8_t is_data; /* no code */
	uint8_t is_kept; /* belongs to the library itself */
	uint32_t number; /* used by the controller only: index in the array */
};
_Static_assert(sizeof(struct wire_text) == 40, "on the wire");

/* A word to write on a stack. */
struct wire_stack_word {
	uint64_t at, value;
};

/*
 * Argument and result of the code that queries a thread's alternate stack: a
 * stack_t, then the state with which the thread continues.
 */
struct wire_asked {
	uint64_t stack;
	uint32_t stack_flags, pad;
	uint64_t stack_bytes;
	uint64_t signals;      /* the thread's signal mask */
	uint64_t registers[8]; /* the registers that ask_stack.S uses */
};
_Static_assert(sizeof(struct wire_asked) == 96, "on the wire");

/* Maximum length of the code that queries the alternate stack. */
#define WIRE_ATTACH_ASK_BYTES 128

/* A stopped thread. */
struct wire_stopped {
	uint64_t tid;
	uint64_t block; /* thread pointer; 0: not a thread of libc's */
	uint64_t pc, sp;
	/* The frames in the attachment's array, innermost first. */
	uint32_t first_frame;
	uint32_t frame_count; /* one more frame follows, for the library */
	/* The whole stack was unwound; else there are no frames. */
	uint32_t is_unwound;
	uint32_t pad;
};
_Static_assert(sizeof(struct wire_stopped) == 48, "on the wire");

/*
 * A function that was active before clew attached. clew_attach_enter() replaces
 * `at` and `word` by a word for the controller to write and its address (0:
 * nothing to write). Each word is valid with or without the others. A thread's
 * last one sets its context and is written last.
 */
struct wire_frame {
	uint64_t at;       /* address of its return address on the stack */
	uint64_t word;     /* that return address */
	uint64_t function; /* entry of the function */
	uint64_t pc;       /* where it was interrupted; 0: it makes a call */
	uint32_t is_kept;  /* the return address must not change */
	uint32_t number;   /* the function's number; set by the library */
};
_Static_assert(sizeof(struct wire_frame) == 40, "on the wire");

struct wire_attachment {
	uint32_t version;
	uint32_t state;      /* enum wire_attach_state */
	uint32_t controller; /* pid */
	int32_t result;      /* of the last call: 0 or -errno */
	/* Tid of the thread that executes one of the functions; 0: none. */
	_Atomic uint32_t caller;
	_Atomic uint32_t runtimes; /* enum wire_attach_runtimes */
	uint64_t texts;            /* array of struct wire_text */
	uint64_t text_count;
	/* Private to the library: modules loaded at that time. */
	uint64_t modules;
	uint64_t frames; /* array of struct wire_frame */
	uint64_t frame_max;
	/*
	 * The code in which a thread must not be when clew detaches: these
	 * ranges, and each 16 MiB window whose byte in the window map `windows`
	 * has its bit set in `window_values`. The word at distance busy_at from
	 * the thread's control block must also be 0.
	 */
	struct wire_attach_range {
		uint64_t start, end;
	} avoided[2];
	uint64_t windows, window_values, busy_at;
	/* Words for the caller of clew_attach_leave() to write. */
	uint64_t words, word_count; /* array of struct wire_stack_word */
	/*
	 * Argument of clew_attach_release(): the caller has stored this many
	 * ranges of code in `words`, from `at` to `value`, whose pages equal
	 * their files.
	 */
	uint64_t code_count;
	/*
	 * Result of clew_attach_share(): segments that are mapped with their
	 * hooks.
	 */
	uint64_t shared_count;
	/*
	 * Result of clew_attach_leave(): no thread is inside a text or changes
	 * one.
	 */
	uint64_t may_unhook;
	/*
	 * The initial values of each thread's variables, their size, and their
	 * distance from the thread's control block.
	 */
	uint64_t variables, variable_bytes, variables_at;
	/*
	 * Mask of the signals that no thread may block while clew is attached;
	 * 0: none. A thread that asked to block them stores an enum
	 * wire_attach_blocks (32 bits) at distance blocks_at from its control
	 * block.
	 */
	uint64_t opened, blocks_at;
	/*
	 * The controller stores 1: the next thread with the loader's lock calls
	 * clew_attach_finish(). That thread stores 0.
	 */
	_Atomic uint64_t finish_wish;
	/*
	 * The code that queries a thread's alternate stack (0: not needed), and
	 * its struct wire_asked.
	 */
	uint64_t ask, asked;
	/*
	 * Written by the controller: several threads have the same alternate
	 * stack.
	 */
	uint64_t alternate_is_shared;
	/*
	 * Increases while the thread of clew_attach_runtimes() makes progress.
	 */
	_Atomic uint64_t runtime_steps;
	char why[256]; /* set if result is not 0; NUL-terminated */
	char dir[WIRE_ATTACH_DIR_BYTES];
	/*
	 * Private to the controller: the folder to which it moves the recording
	 * after detaching, if dir exists only in the process's file system;
	 * else "".
	 */
	char home[WIRE_ATTACH_DIR_BYTES];
};

#endif
