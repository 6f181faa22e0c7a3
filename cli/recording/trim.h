/* SPDX-License-Identifier: MIT */
/*
 * Removes useless remains of processes from a recording.
 *
 * While a process runs, its part is longer than its content, by a hole
 * (preload/record/part_file.h). The process truncates it when it exits, but not
 * if it is killed or executes another program. Files of stubs
 * (preload/stubs/stub_memory.h) serve debuggers and profilers of the running
 * process. Each has 16 MiB, of which all but a page is a hole. Programs that do
 * not support holes, such as tar by default, store all of it.
 */
#ifndef CLEW_CLI_RECORDING_TRIM_H
#define CLEW_CLI_RECORDING_TRIM_H

/*
 * Truncates parts and traces in a directory that no process writes to any more,
 * and removes files of stubs that no process maps. Leaves a file as it is if in
 * doubt.
 */
void trim_recording(const char *directory);

/*
 * Removes the files by which processes share the stubs of modules. Processes
 * that are being recorded keep their mappings.
 */
void trim_module_stubs(const char *directory);

#endif
