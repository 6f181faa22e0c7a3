/* SPDX-License-Identifier: MIT */
/*
 * libunwind's functions for a process's own stack (UNW_LOCAL_ONLY). The names
 * contain the architecture. The rows are those of fronts.h.
 */
#ifndef CLEW_HOST_LIBUNWIND_H
#define CLEW_HOST_LIBUNWIND_H

#define LIBUNWIND_FRONTS(X)    X(_ULx86_64_step, NOTHING)
#define LIBUNWIND_NEXT_ONLY(X) X(_ULx86_64_get_reg, NOTHING)

#endif
