/* SPDX-License-Identifier: MIT */
/*
 * Changes of classes while they run (java.lang.instrument, and the machine's own Flight
 * Recorder): a method's bytecodes are elsewhere afterwards, those that were there go
 * on in calls that have begun, and the memory is used again. No event tells it. The
 * natives by which agents written in Java, and that recorder, ask for it are called
 * by functions of ours.
 */
#ifndef CLEW_JVM_CLASS_CHANGES_H
#define CLEW_JVM_CLASS_CHANGES_H

struct java_method;

/*
 * What is to be called instead of a native's code: a function that calls it, if
 * the native changes classes, else that code.
 */
void *class_changes_native(const struct java_method *method, void *native);

#endif
