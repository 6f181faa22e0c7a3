/* SPDX-License-Identifier: MIT */
/*
 * Signals by which the processor stops a thread (SIGSEGV, SIGBUS, SIGILL, SIGFPE), looked
 * at before the program's own handlers are, once there are handlers of probes: one that
 * comes in one of those is noted in the recording (struct wire_handler_crash). It goes
 * on to the program all the same, which dies of it, or handles it.
 */
#ifndef CLEW_FRONT_FAULTS_H
#define CLEW_FRONT_FAULTS_H

#include <signal.h>

/* Take them. Any number of times. */
void faults_begin(void);

/* Whether it is one of them, and taken. */
int faults_have(int signal);

/* What the program says of it: as sigaction(), but 0 or -errno. */
int faults_change_action(int signal, const struct sigaction *set,
			 struct sigaction *old);

/* The process is left: the program's actions are the kernel's again. */
void faults_end(void);

#endif
