/* SPDX-License-Identifier: MIT */
/*
 * Functions that the budgets of earlier processes have unhooked, and how often
 * these functions were called.
 *
 * The cache has one file for each module, CONTENT-0.learnt, that begins with
 * struct learnt. The checks of stubs/prelinked_file.h apply; the file is also
 * read completely, and has a checksum. The file only decides which functions
 * are unhooked at first, and the recording lists these.
 *
 * Functions are identified by the address of their site, without the load bias.
 * Addresses at which no function is hooked are ignored.
 */
#ifndef CLEW_BUDGET_BUDGET_LEARNT_H
#define CLEW_BUDGET_BUDGET_LEARNT_H

#include "preload/budget/budget_functions.h"

struct learnt_function {
	uint64_t vaddr;
	uint64_t per_s; /* calls per second of the program's CPU time */
};

struct learnt {
	uint32_t budget; /* budget of the process that wrote the file */
	uint32_t count;
	struct learnt_function functions[];
};

/*
 * Reads the files of modules that were loaded since the last call. Adds the
 * functions that are listed there, with recalled_per_s set. Files of processes
 * with less than half of this budget are ignored. Returns the number of these
 * functions. Opens files: in a process with several threads, only clew's own
 * thread may call this function.
 */
uint32_t budget_learnt_recall(struct budget_functions *functions);

/*
 * Writes the files of all modules that have a file, or of which functions were
 * unhooked. Lists functions that are unhooked now, or that this process has
 * unhooked because of their cost. Functions that a file listed, and that
 * surveys have hooked again, are thus dropped. program_ns is the program's own
 * CPU time so far. If a file cannot be written, later processes learn it
 * themselves. Opens files, too. Returns 0; -EBUSY or -ENOMEM if nothing could be
 * written now.
 */
int budget_learnt_keep(const struct budget_functions *functions,
		       uint64_t program_ns);

/* Makes budget_learnt_recall() read all files again. */
void budget_learnt_forget(void);

#endif
