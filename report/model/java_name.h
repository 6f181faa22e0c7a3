/* SPDX-License-Identifier: MIT */
#ifndef CLEW_MODEL_JAVA_NAME_H
#define CLEW_MODEL_JAVA_NAME_H

/*
 * Returns the name of a Java method as it is written in Java source, from the
 * strings of class files:
 *
 *	"Lcom/acme/Foo;", "bar", "(I[JLjava/lang/String;)V"
 *	com.acme.Foo.bar(int, long[], String)
 *
 * Packages of parameter types are omitted. Names of classes that the JVM
 * generates lose the digits that differ from run to run:
 * "B$$Lambda$12.0x00007f00" becomes B$$Lambda. An invalid signature is kept as
 * it is. The caller frees the result, which is not safe to print.
 */
char *java_name_of(const char *class_name, const char *name,
		   const char *signature);

#endif
