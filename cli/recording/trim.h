/* SPDX-License-Identifier: MIT */
/*
 * What processes leave in a recording that is of no use once they are gone.
 *
 * While a process runs its part is longer than what is in use, by a hole
 * (preload/record/part_file.h). It is cut off when the process ends, but one that is
 * killed, or executes another program, cannot do that. Files of stubs
 * (preload/stubs/stub_memory.h) are for those who look at the process, and all holes
 * but for a page: 16 MiB each for what does not know of holes, as tar.
 */
#ifndef CLEW_CLI_RECORDING_TRIM_H
#define CLEW_CLI_RECORDING_TRIM_H

/*
 * Cuts off what is not in use of all parts in a directory that certainly
 * nobody writes to any more, and removes files of stubs that nobody has mapped.
 * Whatever is in doubt stays as it is.
 */
void trim_recording(const char *directory);

/*
 * Remove the files by which processes share the stubs of modules. Processes that are
 * recorded still keep what they have mapped.
 */
void trim_module_stubs(const char *directory);

#endif
