/* SPDX-License-Identifier: MIT */
/*
 * Jitdumps that the program writes: jit-PID.dump, in any folder. The program
 * maps a page of the file as executable, by which perf finds it.
 */
#ifndef CLEW_GENERATED_JITDUMPS_H
#define CLEW_GENERATED_JITDUMPS_H

/*
 * The program has mapped the file of that path as executable: records the path
 * if it is this process's jitdump. Any thread; preserves errno.
 */
void jitdumps_note(const char *path);

#endif
