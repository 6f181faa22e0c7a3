/* SPDX-License-Identifier: MIT */
/*
 * The verdicts on functions and the states of modules: fixed lists of reasons.
 *
 * That a function cannot be hooked is an expected result and no error: the
 * library records the reason, and reports print it. The numbers are part of
 * recordings and of the analysis cache: append, never reorder.
 */
#ifndef CLEW_WIRE_VERDICT_H
#define CLEW_WIRE_VERDICT_H

/* The three classes of verdicts. */
enum verdict_class {
	VERDICT_HOOKED, /* a patch leads calls of the function to clew */
	/* The function is not hooked; the verdict is the reason. */
	VERDICT_REFUSED,
	VERDICT_NOT_ENTRY, /* no function: code that no call enters */
};

/* Name, class, text for humans. */
#define VERDICTS(X)                                                            \
	X(UNKNOWN, REFUSED, "not analysed")                                    \
	X(JUMP, HOOKED, "5-byte jump")                                         \
	X(JUMP_PADDED, HOOKED, "5-byte jump that extends into padding")        \
	X(TOO_SHORT, REFUSED, "too short for a jump")                          \
	X(BRANCH_INTO, REFUSED, "a branch targets its first bytes")            \
	X(UNDECODABLE, REFUSED,                                                \
	  "contains instructions that cannot be decoded")                      \
	X(UNMOVABLE, REFUSED, "its first instructions cannot be moved")        \
	X(NAMED, REFUSED,                                                      \
	  "on clew's list of functions that must not be hooked")               \
	X(DESELECTED, REFUSED, "excluded by a function rule")                  \
	X(NO_ROOM, REFUSED, "no free memory within reach of a jump")           \
	X(OVERLAPS, REFUSED, "overlaps another function")                      \
	X(CHANGED, REFUSED, "code in memory differs from the file")            \
	X(UNPATCHABLE, REFUSED, "its memory could not be made writable")       \
	X(COLD_PART, NOT_ENTRY, "part of another function")                    \
	X(PLT, NOT_ENTRY, "entry of the procedure linkage table")              \
	X(SIGNAL_FRAME, NOT_ENTRY, "signal trampoline")                        \
	X(NO_RETURN_ADDRESS, NOT_ENTRY, "start of a process or thread")        \
	X(JUMP_SHORT, HOOKED, "2-byte jump to a nearby 5-byte jump")           \
	X(JUMP_PUNNED, HOOKED,                                                 \
	  "jump that shares bytes with the next instruction")                  \
	X(TRAP, HOOKED, "breakpoint (int3)")                                   \
	X(READS_RETURN_ADDRESS, REFUSED, "reads its own return address")       \
	X(NO_TRAP, REFUSED, "needs a breakpoint, which clew cannot use here")  \
	X(UNWINDER, REFUSED,                                                   \
	  "part of the unwinder: hooking it would slow down exceptions")       \
	X(LEAP, NOT_ENTRY, "jump to another frame, observed by clew")          \
	X(LANDS, REFUSED,                                                      \
	  "part of the unwinder, observed by clew: exceptions land there")     \
	X(RAISES, REFUSED,                                                     \
	  "part of the unwinder, observed by clew: exceptions start there")    \
	X(UNSIZED, REFUSED,                                                    \
	  "its symbol has no size and its code no unwind information")         \
	X(BARE, NOT_ENTRY, "code without a symbol or unwind information")      \
	X(NO_MEMORY, REFUSED,                                                  \
	  "too little memory, address space or mappings left for its stub")    \
	X(NOT_EXECUTABLE, REFUSED, "its stub could not be made executable")    \
	X(BLIND, REFUSED,                                                      \
	  "has no unwind information, and its use of the stack is unclear")    \
	X(DIVERTED, REFUSED, "replaced by a wrapper of clew")                  \
	X(PROBED, REFUSED, "a probe is inside its first bytes")                \
	X(LENDS_RETURN_ADDRESS, REFUSED,                                       \
	  "jumps to a function that reads its return address")                 \
	X(CALLS_MCOUNT, REFUSED,                                               \
	  "calls mcount (-pg), which reads return addresses")                  \
	X(TAKES_FLAGS, REFUSED, "reads CPU flags that its caller has set")

enum verdict {
#define X(name, class, text) VERDICT_IS_##name,
	VERDICTS(X)
#undef X
		VERDICT_COUNT
};

/*
 * The states of modules: name, text for humans. Functions are hooked only in
 * modules with the state HOOKED.
 */
#define MODULE_STATES(X)                                                       \
	X(UNKNOWN, "not analysed")                                             \
	X(HOOKED, "hooked")                                                    \
	X(DESELECTED, "excluded by a module rule")                             \
	X(LIBC, "part of the C library (--libc hooks it)")                     \
	X(LOADER, "the dynamic loader")                                        \
	X(VDSO, "the kernel's vDSO")                                           \
	X(SELF, "clew itself")                                                 \
	X(UNWINDER, "the unwinder: hooking it would slow down exceptions")     \
	X(UNREADABLE, "its file cannot be read")                               \
	X(CHANGED, "its file differs from the loaded code")                    \
	X(MALFORMED, "its ELF structures are damaged")                         \
	X(NO_CODE, "it contains no code")                                      \
	X(NO_ROOM, "no free memory within reach of its code")                  \
	X(GO, "Go code: the Go runtime reads and moves stacks")                \
	X(OCAML,                                                               \
	  "OCaml code: the garbage collector looks up return addresses")       \
	X(HASKELL,                                                             \
	  "Haskell code: call instructions do not enter its functions")        \
	X(LATE_V8,                                                             \
	  "V8, loaded too late to register a resolver of return addresses")    \
	X(AOT, "compiled ahead of time for a JIT that reads return addresses") \
	X(NO_NUMBERS, "the numbers for functions are used up")                 \
	X(JAVA_VM, "the JVM itself (--java=vm hooks it)")                      \
	X(HANDLERS, "it contains the handler of a probe")                      \
	X(SPLIT_STACK,                                                         \
	  "-fsplit-stack: its stacks lack room for clew's functions")          \
	X(IMPORTED, "imported from another tool")

enum module_state {
#define X(name, text) MODULE_IS_##name,
	MODULE_STATES(X)
#undef X
		MODULE_STATE_COUNT
};

static inline enum verdict_class verdict_class(unsigned int verdict)
{
	static const unsigned char classes[] = {
#define X(name, class, text) VERDICT_##class,
		VERDICTS(X)
#undef X
	};

	return verdict < VERDICT_COUNT ? classes[verdict] : VERDICT_REFUSED;
}

/*
 * Returns whether clew overwrites code of a function with this verdict, to hook
 * or to observe it. The code of a function with another verdict may be
 * overwritten too: by a user's probe, or because the function is DIVERTED.
 */
static inline int verdict_is_written(unsigned int verdict)
{
	return verdict_class(verdict) == VERDICT_HOOKED ||
	       verdict == VERDICT_IS_LEAP || verdict == VERDICT_IS_LANDS ||
	       verdict == VERDICT_IS_RAISES;
}

static inline const char *verdict_text(unsigned int verdict)
{
	static const char *const texts[] = {
#define X(name, class, text) text,
		VERDICTS(X)
#undef X
	};

	return verdict < VERDICT_COUNT ? texts[verdict] : "unknown reason";
}

static inline const char *module_state_text(unsigned int state)
{
	static const char *const texts[] = {
#define X(name, text) text,
		MODULE_STATES(X)
#undef X
	};

	return state < MODULE_STATE_COUNT ? texts[state] : "unknown reason";
}

#endif
