/* SPDX-License-Identifier: MIT */
/*
 * System calls that only some processors have, and that the library or glibc
 * makes on behalf of clew (cli/target/own_calls.h).
 */
#ifndef CLEW_MACHINE_OWN_SYSTEM_CALLS_H
#define CLEW_MACHINE_OWN_SYSTEM_CALLS_H

#define MACHINE_OWN_CALLS(call) call(access) call(arch_prctl)

#endif
