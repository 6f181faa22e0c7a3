/* SPDX-License-Identifier: MIT */
/*
 * What became of a function, and of a module: the fixed lists of reasons.
 *
 * Refusing to hook something is an expected outcome and therefore data: the
 * analysis decides it, the runtime records it, the reports print it. Numbers
 * are part of the recording and of the analysis cache: append, never reorder.
 */
#ifndef CLEW_WIRE_VERDICT_H
#define CLEW_WIRE_VERDICT_H

/* The three answers to "is it hooked?". */
enum verdict_class {
	VERDICT_HOOKED,    /* every call of it is counted */
	VERDICT_REFUSED,   /* a function that is left alone, with a reason */
	VERDICT_NOT_ENTRY, /* code that no call enters: not a function */
};

/* name, class, text for humans */
#define VERDICTS(X)                                                            \
	X(UNKNOWN, REFUSED, "not analysed")                                    \
	X(JUMP, HOOKED, "5-byte jump")                                         \
	X(JUMP_PADDED, HOOKED, "5-byte jump completed by padding")             \
	X(TOO_SHORT, REFUSED, "too short for a jump")                          \
	X(BRANCH_INTO, REFUSED, "a branch leads into its first bytes")         \
	X(UNDECODABLE, REFUSED, "holds instructions that cannot be decoded")   \
	X(UNMOVABLE, REFUSED, "its first instructions cannot be moved")        \
	X(NAMED, REFUSED, "on the list of functions never to hook")            \
	X(DESELECTED, REFUSED, "left out by a function rule")                  \
	X(NO_ROOM, REFUSED, "no free memory within reach of a jump")           \
	X(OVERLAPS, REFUSED, "overlaps another function")                      \
	X(CHANGED, REFUSED, "code in memory differs from the file")            \
	X(UNPATCHABLE, REFUSED, "its memory could not be made writable")       \
	X(COLD_PART, NOT_ENTRY, "a part of another function")                  \
	X(PLT, NOT_ENTRY, "procedure linkage table")                           \
	X(SIGNAL_FRAME, NOT_ENTRY, "signal trampoline")                        \
	X(NO_RETURN_ADDRESS, NOT_ENTRY, "process or thread start")             \
	X(JUMP_SHORT, HOOKED, "2-byte jump to a 5-byte one near by")           \
	X(JUMP_PUNNED, HOOKED, "jump that shares bytes with what follows")     \
	X(TRAP, HOOKED, "breakpoint (int3)")                                   \
	X(READS_RETURN_ADDRESS, REFUSED, "reads its own return address")       \
	X(NO_TRAP, REFUSED, "needs a breakpoint, which cannot be had here")    \
	X(UNWINDER, REFUSED,                                                   \
	  "the unwinder's: hooking it would slow exceptions")                  \
	X(LEAP, NOT_ENTRY, "a jump to another frame, watched")                 \
	X(LANDS, REFUSED, "the unwinder's, watched: it says where it lands")   \
	X(RAISES, REFUSED, "the unwinder's, watched: exceptions begin there")  \
	X(UNSIZED, REFUSED,                                                    \
	  "its symbol has no size, nor its code unwind info")                  \
	X(BARE, NOT_ENTRY, "code of no function that is known")                \
	X(NO_MEMORY, REFUSED,                                                  \
	  "too little memory, mappings or address space left for its stub")    \
	X(NOT_EXECUTABLE, REFUSED, "its stub could not be made executable")    \
	X(BLIND, REFUSED,                                                      \
	  "without unwind info, and unclear in its use of the stack")          \
	X(DIVERTED, REFUSED, "clew stands in for it")                          \
	X(PROBED, REFUSED, "a probe is inside of its first bytes")

enum verdict {
#define X(name, class, text) VERDICT_IS_##name,
	VERDICTS(X)
#undef X
		VERDICT_COUNT
};

/* name, text for humans; only HOOKED modules have their functions hooked */
#define MODULE_STATES(X)                                                       \
	X(UNKNOWN, "not looked at")                                            \
	X(HOOKED, "hooked")                                                    \
	X(DESELECTED, "left out by a module rule")                             \
	X(LIBC, "part of the C library (--libc hooks it)")                     \
	X(LOADER, "the dynamic loader")                                        \
	X(VDSO, "the kernel's vDSO")                                           \
	X(SELF, "clew itself")                                                 \
	X(UNWINDER, "the unwinder: hooking it would slow exceptions down")     \
	X(UNREADABLE, "its file cannot be read")                               \
	X(CHANGED, "its file differs from what is loaded")                     \
	X(MALFORMED, "its ELF structures are damaged")                         \
	X(NO_CODE, "it has no code of its own")                                \
	X(NO_ROOM, "no free memory within reach of its code")                  \
	X(GO, "Go code: its runtime moves stacks and reads them")              \
	X(OCAML, "OCaml code: its collector looks up return addresses")        \
	X(HASKELL, "Haskell code: its functions are not entered by calls")     \
	X(LATE_V8, "V8, loaded too late to be told of moved return addresses") \
	X(AOT, "compiled ahead of time for a JIT that reads return addresses") \
	X(NO_NUMBERS, "no numbers are left for its functions")                 \
	X(JAVA_VM, "the Java virtual machine itself (--java=vm hooks it)")     \
	X(HANDLERS, "it has a handler of a probe")

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

/* Whether something is written over its code. */
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
