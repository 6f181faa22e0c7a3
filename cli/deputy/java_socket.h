/* SPDX-License-Identifier: MIT */
/*
 * The attach socket of a JVM (HotSpot), by which jcmd and other tools of a
 * JVM's user make it load agents. No right to trace the process is necessary.
 *
 * The JVM creates the socket /tmp/.java_pidPID when SIGQUIT arrives while a
 * file .attach_pidPID exists. A request is the version of the protocol, a
 * command and three arguments, each with a NUL behind it
 * (attachListener_posix.cpp). The JVM answers with text and closes the
 * connection.
 */
#ifndef CLEW_CLI_DEPUTY_JAVA_SOCKET_H
#define CLEW_CLI_DEPUTY_JAVA_SOCKET_H

#include <sys/types.h>

/*
 * Returns whether the process is a JVM that accepts requests. Without this
 * check, SIGQUIT would end another program, and would make a JVM with
 * -XX:+DisableAttachMechanism print its stacks.
 */
int java_socket_is_there(pid_t pid);

/*
 * Returns whether the other end of a connection belongs to this process, and
 * the process to clew's user. From now on no call waits for more than ten
 * seconds until the other end reads.
 */
int java_socket_is_of(int connection, pid_t pid);

/*
 * Requests the process to load a library with this option. If it has no socket,
 * sends SIGQUIT, but only if may_wake; the process must have passed
 * java_socket_is_there() just before. Returns the connection, which is readable
 * when the JVM has answered, or -errno and *why.
 */
int java_socket_load(pid_t pid, const char *library, const char *option,
		     int may_wake, char **why);

/*
 * Reads the JVM's answer, at most for `ms` milliseconds. Returns it as one
 * line, which the caller frees.
 */
char *java_socket_answer(int connection, int ms);

#endif
