/* SPDX-License-Identifier: MIT */
/*
 * The answers of `clew a2n`, each behind its question, as addr2line and
 * llvm-symbolizer have them.
 *
 * Many addresses of one module are cheaper to answer together. So those wait
 * for each other, until there are enough, until something else is to be
 * answered first, or until somebody waits for them.
 */
#ifndef CLEW_CLI_SHOW_A2N_ANSWERS_H
#define CLEW_CLI_SHOW_A2N_ANSWERS_H

#include "cli/show/a2n_write.h"
#include "symbolizer/a2n.h"

struct a2n_answers {
	const char *command;
	struct a2n *a2n;
	const struct a2n_module *module; /* that addresses are of, or NULL */
	struct a2n_space *space;         /* or NULL */
	uint64_t time;                   /* of the space */
	struct a2n_writer *writer;
	uint64_t waiting[1024]; /* of `module`, to be answered together */
	size_t waiting_count;
	int failed;
};

/* A module of answers->a2n. 0, or -errno and a complaint. */
int a2n_answers_open(struct a2n_answers *answers, const char *path,
		     const struct a2n_module **out);

/*
 * Answers "ADDRESS" or, without a module, llvm-symbolizer's "FILE ADDRESS".
 * Changes the text. False if it is neither; it is repeated then, as
 * llvm-symbolizer does.
 */
int a2n_answer(struct a2n_answers *answers, char *text);

/* Answers stdin, line by line where somebody waits for each answer. */
void a2n_answer_input(struct a2n_answers *answers);

/* Answers what waits, if anything. */
void a2n_answers_end(struct a2n_answers *answers);

#endif
