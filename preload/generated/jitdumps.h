/* SPDX-License-Identifier: MIT */
/*
 * Jitdumps that the program writes: jit-PID.dump, in any folder. The program
 * maps a page of the file as executable, by which perf finds it.
 */
#ifndef CLEW_GENERATED_JITDUMPS_H
#define CLEW_GENERATED_JITDUMPS_H

/*
 * Called when the program has mapped the file with this path as executable.
 * Records the path if the file is this process's jitdump. Any thread may call
 * this function. It preserves errno.
 */
void jitdumps_note(const char *path);

#endif
