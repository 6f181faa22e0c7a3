/* SPDX-License-Identifier: MIT */
/*
 * Handlers of probes: functions of a shared object of yours, which clew calls each time
 * that an instruction of the program is about to be executed.
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
 * Where. Between two instructions of the program's, in the thread that executes them,
 * which may hold any lock, be in malloc() or in a signal handler. So a handler may call
 * what is safe in signal handlers (signal-safety(7)), functions of <string.h>, and of
 * clew.h those that say "Signals"; nothing that waits for a lock, takes memory, throws,
 * or leaves other than by returning. No C++ exceptions, no fork(), no dlopen().
 *
 * Two kinds. Those that are built with -mgeneral-regs-only and call nothing but
 * functions of clew.h and of their own object, which imports no others, take some
 * nanoseconds. Others have the vector state and errno kept, which takes a hundred or
 * two, and may call what is named above, and functions of the program by pointers.
 *
 * On what. The program's stack, below its red zone: some hundred bytes should do, for
 * stacks of signals and coroutines may have no more. The vector state takes up to 3 KiB
 * of it.
 *
 * What is kept. All registers, flags, the vector state and errno are afterwards what
 * they were, but for what the handler has written to hit->registers.
 *
 * Who calls. Calls that a handler of the second kind makes are no calls of the
 * program's: they are told as not counted, and so are those of signal handlers on top of
 * it. A probe that is hit in a handler does nothing; the report says how often. Several
 * threads may be in a handler at a time.
 *
 * Ownership. The object is loaded by dlopen(RTLD_NOW | RTLD_LOCAL), before main or when
 * the probe is added, and stays. Its constructors run then, and may call anything. All
 * that `hit` points to is clew's, and valid until the handler returns; `text` and
 * `data` for as long as the process lives, in a forked child its copies. Values are bytes: addresses that a register
 * holds may lead nowhere, and who follows them crashes.
 *
 * A crash in a handler is the process's, by the same signal; clew record and the
 * report say that it was the handler.
 */
#ifndef CLEW_HANDLER_H
#define CLEW_HANDLER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* At the instruction; all but what is const may be changed. */
struct clew_registers {
	uint64_t rbx, rbp, r12, r13, r14, r15;
	const uint64_t reserved_1;
	uint64_t r11, r10, r9, r8, rsi, rdx, rcx, rax;
	/* Carry, parity, auxiliary, zero, sign, overflow and direction count. */
	uint64_t rflags;
	const uint64_t reserved_2;
	uint64_t rdi;
};

struct clew_hit {
	uint32_t bytes; /* of this struct: more may come behind its end */
	uint32_t probe; /* which one: p1 is 1 */
	/*
	 * Of the calling context, as clew_context() has it; 0: the thread's calls are
	 * not counted, or not yet.
	 */
	uint64_t id;
	struct clew_registers *registers;
	uint64_t stack;   /* the stack pointer at the instruction */
	const char *text; /* what was said behind the handler's name, or "" */
	/*
	 * A word of the probe's own, NULL at first, which all threads share: use it by
	 * __atomic_load_n() and the like.
	 */
	void **data;
};

typedef void clew_handler_function(struct clew_hit *hit);

/*
 * What CLEW_HANDLER() says of a handler, in a symbol of its name and "_clew" behind it.
 * A function without one is a handler, too, whose vector state is kept.
 */
struct clew_handler {
	uint32_t version;
	uint32_t flags;
};

#define CLEW_HANDLER_VERSION 1U

/*
 * It uses general registers only, and so does all that it calls: functions of clew.h
 * and of its own object, which imports no others. (-mgeneral-regs-only)
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

/* Begins the definition of a handler, whose body follows; its argument is `hit`. */
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
