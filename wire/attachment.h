/* SPDX-License-Identifier: MIT */
/*
 * Between `clew attach`, which stops a process from outside, and libclew.so,
 * which has been loaded into it while it runs.
 *
 * The library exports functions that `clew attach` has a thread of the process
 * call, and `clew_attachment`, where they leave what came of it:
 *
 *	clew_attach_prepare(dir, controller)	record into dir; all is made ready
 *						while other threads go on, in slices:
 *						while its result is -EINPROGRESS it
 *						is to be called again, in any thread
 *	clew_attach_enter(threads, count)	all threads are stopped: theirs are
 *						made ready to count. Then the texts
 *						are written from outside, and what
 *						it says of frames
 *	clew_attach_share(threads, count)	all threads are stopped still, and the
 *						library's own texts are written: it
 *						maps code with its hooks, which
 *						other processes share. What it
 *						does not map is written from outside
 *	clew_attach_runtimes(wish)		once it is entered, and before it is
 *						left: a thread of the library's own
 *						begins to ask language runtimes,
 *						or ends that; it says how far it is
 *	clew_attach_finish()			nothing is sampled any more; where no
 *						thread can be made to call it, the
 *						next that loads or unloads something
 *						does so if that is wished for
 *	clew_attach_leave(threads, count)	the texts are restored, all threads
 *						stopped: nobody is to return into
 *						a stub. Where that is not yet so,
 *						hooks may be, if may_unhook
 *	clew_attach_release(threads, count)	all threads are stopped still, and
 *						texts and stacks are as they were:
 *						it gives its memory back
 *
 * Code is written from outside, a page at once, because a controller that is
 * killed half-way then leaves no instruction in pieces. So are words on stacks and
 * the threads' variables: a function that is called goes on when the controller is
 * killed, and the other threads with it.
 */
#ifndef CLEW_WIRE_ATTACHMENT_H
#define CLEW_WIRE_ATTACHMENT_H

#include <stdint.h>

#define WIRE_ATTACH_VERSION    13
#define WIRE_ATTACH_DIR_BYTES  4096
#define WIRE_ATTACH_TEXT_BYTES 10

/*
 * The bounds of what the library reports. `clew attach` refuses a process whose
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
	WIRE_ATTACH_NONE,      /* never, or detached */
	WIRE_ATTACH_PREPARED,  /* nothing is written yet */
	WIRE_ATTACH_ENTERED,   /* texts are being written, or are */
	WIRE_ATTACH_LEFT,      /* texts are being restored; sampled no more */
	WIRE_ATTACH_PRELOADED, /* never: the library was there at the start */
	WIRE_ATTACH_PREPARING, /* nothing is written yet, nor is all ready */
};

/*
 * What a thread has said of blocking SIGTRAP: the library has more of these. If it has
 * said nothing, it blocks SIGTRAP where it blocks all others.
 */
enum wire_attach_blocks {
	WIRE_ATTACH_BLOCKS_AS_OTHERS,
	WIRE_ATTACH_BLOCKS,
	WIRE_ATTACH_BLOCKS_NOT,
};

/* What comes of clew_attach_runtimes(). */
enum wire_attach_runtimes {
	WIRE_RUNTIMES_NONE,  /* there are none, or they are left alone again */
	WIRE_RUNTIMES_FOUND, /* nobody has asked them yet */
	WIRE_RUNTIMES_BEGIN, /* the thread is about it; as a wish: it is to */
	WIRE_RUNTIMES_TELL,  /* they are asked and tell, as far as they do */
	WIRE_RUNTIMES_END,   /* the thread is about it; as a wish: it is to */
	WIRE_RUNTIMES_UNLEFT, /* it could not: they are to be asked again to end */
};

/* Bytes of the process's memory, without and with clew. */
struct wire_text {
	uint64_t at;
	uint8_t bytes;
	uint8_t before[WIRE_ATTACH_TEXT_BYTES];
	uint8_t after[WIRE_ATTACH_TEXT_BYTES];
	uint8_t is_data; /* nobody executes it */
	uint8_t is_kept; /* the library's own */
	uint32_t number; /* the reader's own: which in the array it was */
};
_Static_assert(sizeof(struct wire_text) == 40, "on the wire");

/* A word of a stack that is to be written. */
struct wire_stack_word {
	uint64_t at, value;
};

/*
 * What a thread that is made to ask for its alternate stack is told, as a stack_t, and
 * what it goes on with.
 */
struct wire_asked {
	uint64_t stack;
	uint32_t stack_flags, pad;
	uint64_t stack_bytes;
	uint64_t signals;      /* that it blocks */
	uint64_t registers[8]; /* those that are used: ask_stack.S */
};
_Static_assert(sizeof(struct wire_asked) == 96, "on the wire");

/* The code that asks is no longer than that. */
#define WIRE_ATTACH_ASK_BYTES 128

/* A thread that is stopped. */
struct wire_stopped {
	uint64_t tid;
	uint64_t block; /* its thread pointer; 0: that is none of libc's */
	uint64_t pc, sp;
	/* Its frames, among those of the attachment, the innermost first. */
	uint32_t first_frame;
	uint32_t frame_count; /* and one more, for the library */
	uint32_t is_unwound;  /* to where it began; else it has no frames */
	uint32_t pad;
};
_Static_assert(sizeof(struct wire_stopped) == 48, "on the wire");

/*
 * A function that ran before clew came. clew_attach_enter() makes of it what is to be
 * written from outside: a word, and where (at 0: nothing). Each return address by
 * itself may be written or not; the last of a thread's says in which context
 * it is, and is written last.
 */
struct wire_frame {
	uint64_t at;       /* of its return address on the stack */
	uint64_t word;     /* that return address */
	uint64_t function; /* where it begins */
	uint64_t pc;       /* where it was interrupted; 0: at a call */
	uint32_t is_kept;  /* the return address is to stay */
	uint32_t number;   /* of the function: stored by the library */
};
_Static_assert(sizeof(struct wire_frame) == 40, "on the wire");

struct wire_attachment {
	uint32_t version;
	uint32_t state;      /* enum wire_attach_state */
	uint32_t controller; /* its pid */
	int32_t result;      /* of the last call: 0 or -errno */
	/* The thread that is in one of the functions, if it is there; or 0. */
	_Atomic uint32_t caller;
	_Atomic uint32_t runtimes; /* enum wire_attach_runtimes */
	uint64_t texts;            /* an array of struct wire_text */
	uint64_t text_count;
	uint64_t modules; /* the library's own: what was loaded then */
	uint64_t frames;  /* room for struct wire_frame */
	uint64_t frame_max;
	/*
	 * Where a thread may be when it is to be left: not in these ranges, nor
	 * where the byte for its 16 MiB in the map of windows has one of these
	 * values, as a bit; nor while the word at this distance from its
	 * control block is not 0.
	 */
	struct wire_attach_range {
		uint64_t start, end;
	} avoided[2];
	uint64_t windows, window_values, busy_at;
	/* To be written by clew_attach_leave()'s caller. */
	uint64_t words, word_count; /* struct wire_stack_word */
	/*
	 * For clew_attach_release(): the caller has written so many ranges of code to
	 * `words`, from `at` to `value`, whose pages are as in their files.
	 */
	uint64_t code_count;
	/* Of clew_attach_share(): so many segments are mapped with their hooks. */
	uint64_t shared_count;
	/* What clew_attach_leave() said last: nobody is inside of a text, or changes one. */
	uint64_t may_unhook;
	/* Each thread's variables: what they are to be, and how far from its
	 * control block they are. */
	uint64_t variables, variable_bytes, variables_at;
	/*
	 * Signals that no thread is to block while the process is attached to, as a
	 * mask; 0: none. A thread that means to block them says so at this distance from
	 * its control block, by enum wire_attach_blocks in 32 bits.
	 */
	uint64_t opened, blocks_at;
	/*
	 * The controller writes 1: whoever has the loader's lock next is to finish. 0 once
	 * somebody has.
	 */
	_Atomic uint64_t finish_wish;
	/* Where a thread asks for its alternate stack, or 0: none need; and struct wire_asked. */
	uint64_t ask, asked;
	/* Written by the controller: some threads have the same one. */
	uint64_t alternate_is_shared;
	/* Grows while a runtime's thread gets on. */
	_Atomic uint64_t runtime_steps;
	char why[256]; /* where result is not 0; NUL-terminated */
	char dir[WIRE_ATTACH_DIR_BYTES];
	/*
	 * The controller's own: where the recording belongs once the process has
	 * been left, if dir is among files that only the process has; or "".
	 */
	char home[WIRE_ATTACH_DIR_BYTES];
};

#endif
