/* SPDX-License-Identifier: MIT */
#ifndef CLEW_HOST_MACHINE_H
#define CLEW_HOST_MACHINE_H

/*
 * Returns whether an emulator of user programs, such as qemu-user or valgrind,
 * runs the process. Such emulators store data for each reserved page, so
 * reserving clew's address space would take minutes, or all memory.
 */
int machine_is_emulated(void);

/*
 * Returns whether the time stamp counter has one rate, always and on all
 * processors, and whether flags can be saved in ah, as timed stubs do.
 */
int machine_has_steady_clock(void);

/*
 * Returns whether the processor's own shadow stack is enabled for the calling
 * thread. It would detect that stubs have moved return addresses.
 */
int machine_has_shadow_stack(void);

#endif
