/* SPDX-License-Identifier: MIT */
/*
 * Handlers of probes: functions of a shared object of yours, which clew calls
 * each time that an instruction of the program is about to be executed.
 *
 *	#include <clew_handler.h>
 *
 *	CLEW_HANDLER(clamp)
 *	{
 *		if (hit->registers->rsi > 4096)
 *			hit->registers->rsi = 4096;
 *	}
 *
 *	cc -O2 -mgeneral-regs-only -shared -fPIC -o h.so h.c
 *	clew record --probe parse --handler ./h.so:clamp -- ./app
 *
 * Where a handler runs: between two instructions of the program, in the thread
 * that executes them. The thread may hold any lock, and may be in malloc() or
 * in a signal handler. A handler may therefore call functions that are safe in
 * signal handlers (signal-safety(7)), functions of <string.h>, and the
 * functions of clew.h whose comments say "Signals". A handler must not wait for
 * a lock, allocate memory, throw an exception, call fork() or dlopen(), or
 * leave other than by returning.
 *
 * Two kinds of handlers. A handler that is compiled with -mgeneral-regs-only,
 * in an object that imports no functions but those of clew.h, takes some
 * nanoseconds. For all other handlers clew saves the vector registers and
 * errno, which takes one to two hundred nanoseconds. These may also call
 * functions of the program through pointers.
 *
 * Stack: a handler uses the program's stack, below its red zone. A handler
 * should need at most some hundred bytes, since stacks of signal handlers and
 * coroutines may have no more. Saved vector registers take up to 3 KiB of it.
 *
 * Registers: after the handler, all registers, flags and errno have their
 * former values, except for those that the handler has written to
 * hit->registers.
 *
 * Counting: calls that a handler of the second kind makes are not counted. The
 * report says how many there were, including those of signal handlers that
 * interrupted it. A probe that is hit in a handler does nothing; the report
 * says how often. Several threads may run a handler at the same time.
 *
 * Ownership: clew loads the object with dlopen(RTLD_NOW | RTLD_LOCAL), before
 * main or when the probe is added, and never unloads it. The object's
 * constructors run then, and may call anything. All that `hit` points to
 * belongs to clew and is valid until the handler returns. `text` and `data` are
 * valid as long as the process; a forked child has copies. Registers may
 * contain invalid addresses: reading them crashes the program.
 *
 * A crash in a handler kills the process with the same signal as any crash of
 * the program. clew record and the report then name the handler.
 */
#ifndef CLEW_HANDLER_H
#define CLEW_HANDLER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The registers at the instruction. A handler may change all members that are
 * not const.
 */
struct clew_registers {
	uint64_t rbx, rbp, r12, r13, r14, r15;
	const uint64_t reserved_1;
	uint64_t r11, r10, r9, r8, rsi, rdx, rcx, rax;
	/*
	 * Carry, parity, auxiliary, zero, sign, overflow and direction count.
	 */
	uint64_t rflags;
	const uint64_t reserved_2;
	uint64_t rdi;
};

struct clew_hit {
	uint32_t bytes; /* size of this struct, which may grow at its end */
	uint32_t probe; /* the number of the probe: p1 is 1 */
	/*
	 * The id of the calling context, as returned by clew_context(). 0: no
	 * counted function is active, or the thread's calls are not counted, or
	 * not yet.
	 */
	uint64_t id;
	struct clew_registers *registers;
	uint64_t stack; /* the stack pointer at the instruction */
	/* The text behind the handler's name in --handler, or "". */
	const char *text;
	/*
	 * A word for the handler's use, one for each probe, NULL at first. All
	 * threads share it: use __atomic_load_n() and similar builtins.
	 */
	void **data;
};

typedef void clew_handler_function(struct clew_hit *hit);

/*
 * CLEW_HANDLER(NAME) defines a struct clew_handler as the symbol NAME_clew. A
 * function without such a symbol is also a handler; clew saves the vector
 * registers for it.
 */
struct clew_handler {
	uint32_t version;
	uint32_t flags;
};

#define CLEW_HANDLER_VERSION 1U

/*
 * A flag: the handler and all functions that it calls use general registers
 * only (-mgeneral-regs-only).
 */
#define CLEW_HANDLER_IS_GENERAL 1U

#if defined(__SSE__) || defined(__MMX__)
#define CLEW_HANDLER_FLAGS 0U
#else
#define CLEW_HANDLER_FLAGS CLEW_HANDLER_IS_GENERAL
#endif

#ifdef __cplusplus
#define CLEW_HANDLER_LINKAGE extern "C"
#define CLEW_HANDLER_NOTHROW noexcept
#else
#define CLEW_HANDLER_LINKAGE extern
#define CLEW_HANDLER_NOTHROW
#endif

/*
 * Begins the definition of a handler: the body follows, with the argument
 * `hit`.
 */
#define CLEW_HANDLER(name)                                                     \
	CLEW_HANDLER_LINKAGE                                                   \
	__attribute__((visibility("default")))                                 \
	const struct clew_handler name##_clew;                                 \
	const struct clew_handler name##_clew = { CLEW_HANDLER_VERSION,        \
						  CLEW_HANDLER_FLAGS };        \
	CLEW_HANDLER_LINKAGE                                                   \
	__attribute__((visibility("default"))) void name(struct clew_hit *hit) \
		CLEW_HANDLER_NOTHROW;                                          \
	void name(struct clew_hit *hit) CLEW_HANDLER_NOTHROW

#ifdef __cplusplus
}
#endif

#endif
