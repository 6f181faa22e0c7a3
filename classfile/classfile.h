/* SPDX-License-Identifier: MIT */
/*
 * Class files of Java, rewritten so that methods tell a tracker of their calls.
 *
 *	before			after
 *
 *	0: BODY			   0: sipush NUMBER; invokestatic TRACKER.enter
 *	   ...			   6: BODY
 *	n: ireturn		   n: sipush NUMBER; invokestatic TRACKER.exit
 *				      ireturn
 *				   m: sipush NUMBER; invokestatic TRACKER.thrown
 *				      athrow		(of any exception in 6..m)
 *
 * Bytes in, bytes out: no Java virtual machine, no file, no lock, and memory by
 * the caller's function. Input is not trusted: what cannot be read is refused
 * with a reason, and a class or a method that is refused is as it was.
 *
 * With a gate (struct classfile_tracker) methods look at a field first, and keep whether
 * their call is told of:
 *
 *	   0: lconst_1; lstore KEPT
 *	   3: getstatic TRACKER.GATE; ifle 17
 *	   9: sipush NUMBER; invokestatic TRACKER.enter; lstore KEPT
 *	  17: BODY
 *	      ...
 *	   n: lload KEPT; lconst_1; lcmp; ifne m
 *	      ireturn
 *	   m: lload KEPT; invokestatic TRACKER.leave
 *	      ireturn
 *	   k: lload KEPT; invokestatic TRACKER.thrown
 *	      athrow		(of any exception in 17..k)
 *
 * Each call of enter() is followed by one of exit() or thrown(). The handler comes last
 * in the table, so that those of the method itself go first. There are two exceptions:
 *
 * - A constructor that an exception leaves out of super() or this(). HotSpot's verifier
 *   lets no handler be there: its frame would have to hold for an object that is
 *   initialised and for one that is not. What runs before that call, its arguments,
 *   has a handler of its own, whose frame says that the object is not initialised
 *   (uninitialized.h). So a tracker has to expect that constructors, and nothing else,
 *   lie above the method that tells it something, and drop them: the number
 *   that exit() and thrown() are given says which method that is.
 * - The stack overflows in the call of the tracker itself. In enter() it is as if the method
 *   had not been called; after exit() thrown() is called as well; a handler that
 *   catches such an error goes on with it behind its call of caught().
 */
#ifndef CLEW_CLASSFILE_CLASSFILE_H
#define CLEW_CLASSFILE_CLASSFILE_H

#include <stddef.h>
#include <stdint.h>

#define CLASSFILE_NEWEST 69 /* major version: that of Java 25 */

#define CLASSFILE_SILENT 1 /* in place of what enter() returns */

/* Why a class or a method was left as it was. */
enum classfile_refusal {
	CLASSFILE_DONE,
	/* of classes */
	CLASSFILE_MALFORMED,
	CLASSFILE_TOO_OLD,
	CLASSFILE_TOO_NEW,
	CLASSFILE_NO_MEMORY,
	CLASSFILE_POOL_FULL, /* of methods, too */
	/* of methods */
	CLASSFILE_CODE_MALFORMED,
	CLASSFILE_SUBROUTINES,
	CLASSFILE_TOO_LARGE,
	CLASSFILE_FAR_JUMP,
	CLASSFILE_CONSTRUCTOR,
	CLASSFILE_REFUSALS,
};

/* A string constant of the class, which is not terminated. */
struct classfile_name {
	const char *text;
	uint32_t length;
};

/* A static method of the tracker. */
struct classfile_call {
	const char *name;
	const char *descriptor;
};

/*
 * What is called, and where from. Each may take the method's number, "(I)V". If enter()
 * returns a long, as "(I)J" says, the method keeps it in a variable of its own, and the
 * others may take that, "(J)V", or both, "(JI)V".
 */
struct classfile_tracker {
	const char *class_name; /* "java/lang/Tracker" */
	struct classfile_call enter;
	struct classfile_call exit;   /* before a method returns */
	struct classfile_call thrown; /* by an exception; NULL: exit */
	/*
	 * Throws its argument, a Throwable, and has that as the type of its result, too.
	 * Then no athrow of a handler is ever executed, which other agents may count
	 * by code in front of it. NULL: handlers throw.
	 */
	struct classfile_call rethrow;
	/*
	 * Where a handler of the method's own begins, with the exception on the stack.
	 * Code may jump there, too. NULL: nothing is called.
	 */
	struct classfile_call caught;
	/*
	 * A field of the tracker's class, a static int that is public; NULL: there is none.
	 * Calls are told of that begin while it is above 0. For others KEPT is
	 * CLASSFILE_SILENT: thrown() is told of these, and exit() may be. enter() returns a long.
	 */
	const char *gate;
	/* With a gate: exit() where the call is one that is told of. NULL: exit. */
	struct classfile_call leave;
	/*
	 * With a gate: methods with handlers of their own keep what it was, too, an int,
	 * which catching() and caught() may take behind the number. While it is not 0 they
	 * call catching() for enter().
	 */
	struct classfile_call catching;
	/*
	 * 0, or bytes: code up to that is refused rather than made longer than
	 * that. HotSpot compiles no method of more than 8,000.
	 */
	uint32_t code_limit;
};

/* One with code: neither abstract nor native. */
struct classfile_method {
	struct classfile_name class_name, name, descriptor;
	struct classfile_name source; /* its file, without a folder; or "" */
	uint16_t class_access, access;
	uint16_t line; /* that it begins at; 0: not known */
	uint32_t code_bytes;
};

/* What the rewriter asks of its caller, each with context. */
struct classfile_caller {
	void *context;
	/* Memory that stays until the result is used, or NULL. */
	void *(*memory)(void *context, size_t bytes);
	/* The number that the method tells, of 32 bits, or negative: none. */
	int64_t (*choose)(void *context, const struct classfile_method *method);
	/* A method that was chosen is left as it was. May be NULL. */
	void (*refused)(void *context, const struct classfile_method *method,
			enum classfile_refusal why);
};

struct classfile_result {
	const uint8_t *data; /* the class file; NULL: no method is changed */
	size_t bytes;
	uint32_t method_count; /* changed ones */
};

/*
 * CLASSFILE_DONE, or why the class was refused. Outside of that, result is
 * untouched.
 */
enum classfile_refusal classfile_rewrite(
	const uint8_t *data, size_t bytes,
	const struct classfile_tracker *tracker,
	const struct classfile_caller *caller, struct classfile_result *result);

/*
 * Whether code is that of a method which tells a tracker without a gate that it begins, by a
 * call of enter() that is "(I)J": with this number, or, if that is beyond 32,767, with
 * any that is. max_locals is that of the code. What compilers write does not look like that,
 * but for code that begins with a call which is given a constant, and keeps a long in the
 * last of its variables.
 */
int classfile_tells(const uint8_t *code, size_t bytes, uint32_t max_locals,
		    uint32_t number);

/* In words, to follow the name of what was refused: "has subroutines". */
const char *classfile_refusal_text(enum classfile_refusal why);

#endif
