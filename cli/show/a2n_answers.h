/* SPDX-License-Identifier: MIT */
/*
 * Writes the answers of `clew a2n`, in the order of the questions, as addr2line
 * and llvm-symbolizer do.
 *
 * Addresses of one module are cheaper to look up together. Therefore they are
 * collected until there are enough, until another question comes between, or
 * until the user waits for an answer.
 */
#ifndef CLEW_CLI_SHOW_A2N_ANSWERS_H
#define CLEW_CLI_SHOW_A2N_ANSWERS_H

#include "cli/show/a2n_write.h"
#include "symbolizer/a2n.h"

struct a2n_answers {
	const char *command;
	struct a2n *a2n;
	const struct a2n_module *module; /* Module of the addresses, or NULL. */
	struct a2n_space *space;         /* NULL if `module` is set. */
	uint64_t time;                   /* Time in `space`. */
	struct a2n_writer *writer;
	uint64_t waiting[1024]; /* Collected addresses in `module`. */
	size_t waiting_count;
	int failed;
};

/*
 * Opens a module of answers->a2n. Returns 0, or -errno after printing an error.
 */
int a2n_answers_open(struct a2n_answers *answers, const char *path,
		     const struct a2n_module **out);

/*
 * Answers a line: "ADDRESS", which is in the module or the space, or "FILE
 * ADDRESS" as llvm-symbolizer accepts it. Both may begin with "CODE ". Modifies
 * the text. Returns 1; or 0 for any other text, which a2n_write_junk() answers.
 */
int a2n_answer(struct a2n_answers *answers, char *text);

/* Answers stdin, line by line if the user waits for each answer. */
void a2n_answer_input(struct a2n_answers *answers);

/* Answers the collected addresses, if any. */
void a2n_answers_end(struct a2n_answers *answers);

#endif
