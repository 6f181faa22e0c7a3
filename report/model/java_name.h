/* SPDX-License-Identifier: MIT */
#ifndef CLEW_MODEL_JAVA_NAME_H
#define CLEW_MODEL_JAVA_NAME_H

/*
 * A method of Java's as one would write it, from what class files have:
 *
 *	"Lcom/acme/Foo;", "bar", "(I[JLjava/lang/String;)V"
 *	com.acme.Foo.bar(int, long[], String)
 *
 * Of classes of parameters the package is left out, and of classes that the machine
 * makes what differs from run to run: "B$$Lambda$12.0x00007f00" is B$$Lambda. What
 * is not such a signature stays as it is. free() it; not yet safe to print.
 */
char *java_name_of(const char *class_name, const char *name,
		   const char *signature);

#endif
