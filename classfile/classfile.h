/* SPDX-License-Identifier: MIT */
/*
 * Rewrites Java class files so that methods report their calls to a tracker.
 *
 *	before		after
 *
 *	0: BODY		 0: sipush NUMBER; invokestatic TRACKER.enter
 *	   ...		 6: BODY
 *	n: ireturn	 n: sipush NUMBER; invokestatic TRACKER.exit
 *			    ireturn
 *			 m: sipush NUMBER; invokestatic TRACKER.thrown
 *			    athrow		(of any exception in 6..m)
 *
 * The input and the output are bytes: there is no JVM, no file, no lock, and
 * memory comes from the caller's function. Input is not trusted: invalid input
 * is refused with a reason, and a refused class or method is unchanged.
 *
 * With a gate (struct classfile_tracker) a method first reads a field, and
 * stores whether its call is reported:
 *
 *			 0: lconst_1; lstore KEPT
 *			 3: getstatic TRACKER.GATE; ifle 17
 *			 9: sipush NUMBER; invokestatic TRACKER.enter;
 *			    lstore KEPT
 *			17: BODY
 *			    ...
 *			 n: lload KEPT; lconst_1; lcmp; ifne m
 *			    ireturn
 *			 m: lload KEPT; invokestatic TRACKER.leave
 *			    ireturn
 *			 k: lload KEPT; invokestatic TRACKER.thrown
 *			    athrow		(of any exception in 17..k)
 *
 * Each call of enter() is followed by one of exit(), leave() or thrown(). The
 * handler is the last in the table, so that the method's own handlers precede
 * it. There are two exceptions:
 *
 *	- A constructor that an exception leaves within super() or this().
 *	  HotSpot's verifier does not accept a handler there: its frame would
 *	  have to describe both an initialised and an uninitialised object. The
 *	  code before that call, which computes its arguments, has a separate
 *	  handler, whose frame marks the object as not initialised
 *	  (uninitialized.h). A tracker must therefore expect that constructors,
 *	  and no other methods, are above the method that reports something, and
 *	  drop them: the number given to exit() and thrown() identifies that
 *	  method.
 *	- The stack overflows in the call of the tracker itself. In enter() this
 *	  has the effect that the method was not called; after exit(), thrown()
 *	  is called as well; a handler that catches such an error continues with
 *	  it after its call of caught().
 */
#ifndef CLEW_CLASSFILE_CLASSFILE_H
#define CLEW_CLASSFILE_CLASSFILE_H

#include <stddef.h>
#include <stdint.h>

#define CLASSFILE_NEWEST 69 /* major version of Java 25 */

/* the value that KEPT has instead of a result of enter() */
#define CLASSFILE_SILENT 1

/* Why a class or a method is unchanged. */
enum classfile_refusal {
	CLASSFILE_DONE,
	/* The following values are for classes. */
	CLASSFILE_MALFORMED,
	CLASSFILE_TOO_OLD,
	CLASSFILE_TOO_NEW,
	CLASSFILE_NO_MEMORY,
	CLASSFILE_POOL_FULL, /* for classes and for methods */
	/* The following values are for methods. */
	CLASSFILE_CODE_MALFORMED,
	CLASSFILE_SUBROUTINES,
	CLASSFILE_TOO_LARGE,
	CLASSFILE_FAR_JUMP,
	CLASSFILE_CONSTRUCTOR,
	CLASSFILE_REFUSALS,
};

/* A string constant of the class, without a NUL. */
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
 * The tracker's methods, and where they are called. Each may take the method's
 * number, "(I)V". If enter() returns a long, as "(I)J", the method stores it in
 * a new variable, and the others may take it, "(J)V", or both, "(JI)V".
 */
struct classfile_tracker {
	/* name of the tracker's class, like "java/lang/Tracker" */
	const char *class_name;
	struct classfile_call enter;
	struct classfile_call exit; /* called before a method returns */
	/*
	 * called before an exception leaves a method; NULL if exit() is called
	 * then
	 */
	struct classfile_call thrown;
	/*
	 * Throws its argument, a Throwable, which is also the type of its
	 * result. Handlers then never execute an athrow, which other agents may
	 * count by code before it. If NULL, handlers throw themselves.
	 */
	struct classfile_call rethrow;
	/*
	 * Called at the start of the method's own handlers, with the exception
	 * on the stack; code may also jump there. If NULL, no call is made.
	 */
	struct classfile_call caught;
	/*
	 * The gate: a field of the tracker's class, a public static int. NULL
	 * if there is none. Calls that begin while it is above 0 are reported.
	 * For others KEPT is CLASSFILE_SILENT: thrown() is called for these,
	 * and exit() may be. enter() returns a long.
	 */
	const char *gate;
	/*
	 * With a gate, replaces exit() in calls that are reported. NULL if
	 * exit() is called.
	 */
	struct classfile_call leave;
	/*
	 * With a gate: methods with handlers of their own also store the gate's
	 * value, an int, which catching() and caught() may take after the
	 * number. If it is not 0, they call catching() instead of enter().
	 */
	struct classfile_call catching;
	/*
	 * If not 0, a method of at most this many bytes of code is refused if
	 * the new code would have more. By default, HotSpot compiles no method
	 * of more than 8,000 bytes.
	 */
	uint32_t code_limit;
};

/* A method with code: neither abstract nor native. */
struct classfile_method {
	struct classfile_name class_name, name, descriptor;
	/* its source file without a folder, or "" */
	struct classfile_name source;
	uint16_t class_access, access;
	uint16_t line; /* its first line; 0 if it is unknown */
	uint32_t code_bytes;
};

/* Functions of the caller, each with its context. */
struct classfile_caller {
	void *context;
	/* Returns memory that stays until the result is used, or NULL. */
	void *(*memory)(void *context, size_t bytes);
	/*
	 * Returns the number that the method reports, of 32 bits, or a negative
	 * number to leave it unchanged.
	 */
	int64_t (*choose)(void *context, const struct classfile_method *method);
	/* Reports a chosen method that is left unchanged. May be NULL. */
	void (*refused)(void *context, const struct classfile_method *method,
			enum classfile_refusal why);
};

struct classfile_result {
	const uint8_t *data; /* the class file; NULL if no method is changed */
	size_t bytes;
	uint32_t method_count; /* number of methods that were changed */
};

/*
 * Returns CLASSFILE_DONE, or why the class was refused; then *result is
 * unchanged.
 */
enum classfile_refusal classfile_rewrite(
	const uint8_t *data, size_t bytes,
	const struct classfile_tracker *tracker,
	const struct classfile_caller *caller, struct classfile_result *result);

/*
 * Returns whether code is that of a method that reports its begin to a tracker
 * without a gate, by a call of enter() of type "(I)J" with this number, or, if
 * that exceeds 32,767, with any that does. max_locals is that of the code.
 * Compiled code looks like that only if it begins with a call that takes a
 * constant, and stores a long in its last variable.
 */
int classfile_reports_begin(const uint8_t *code, size_t bytes,
			    uint32_t max_locals, uint32_t number);

/*
 * Returns a text that follows the name of the refused class or method: "has
 * subroutines".
 */
const char *classfile_refusal_text(enum classfile_refusal why);

#endif
