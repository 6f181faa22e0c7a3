/* SPDX-License-Identifier: MIT */
/*
 * Wraps native methods that change classes while their methods run: those of
 * agents written in Java (java.lang.instrument), and that of the JVM's own
 * Flight Recorder.
 *
 * After a change, a method's bytecodes have new addresses. Active calls
 * continue with the former bytecodes, whose memory is reused later. JVMTI sends
 * no event for a change. Therefore Java calls functions of clew, which call the
 * native methods.
 */
#ifndef CLEW_JVM_CLASS_CHANGES_H
#define CLEW_JVM_CLASS_CHANGES_H

struct java_method;

/*
 * Returns the function to call instead of `native`, the code of the method: a
 * function that wraps the code, if the method changes classes, otherwise the
 * code itself.
 */
void *class_changes_native(const struct java_method *method, void *native);

#endif
