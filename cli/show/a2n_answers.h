/* SPDX-License-Identifier: MIT */
/*
 * Writes the answers of `clew a2n`, in the order of the questions, as addr2line
 * and llvm-symbolizer do.
 *
 * Addresses of one module are cheaper to look up together. Therefore they are
 * collected until `waiting` is full, until a line is not an address of that
 * module, or until the user may wait for an answer.
 */
#ifndef CLEW_CLI_SHOW_A2N_ANSWERS_H
#define CLEW_CLI_SHOW_A2N_ANSWERS_H

#include "cli/show/a2n_write.h"
#include "symbolizer/a2n.h"

struct a2n_answers {
	const char *command;
	struct a2n *a2n;
	/* Module of addresses in lines without a file, or NULL. */
	const struct a2n_module *module;
	/* Space of these addresses, or NULL. `module` or `space` is NULL. */
	struct a2n_space *space;
	/* Time at which addresses in `space` are looked up. */
	uint64_t time;
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
 * Answers a line, or collects its address: "ADDRESS" in the module or the
 * space, or "FILE ADDRESS" as llvm-symbolizer accepts it. Both may begin with
 * "CODE ". Modifies the text. Any other text is answered by a2n_write_junk().
 * Returns 1, or 0 for such other text.
 */
int a2n_answer(struct a2n_answers *answers, char *text);

/*
 * Answers all lines of stdin. Unless stdin is a regular file, writes each
 * answer before the next line is read.
 */
void a2n_answer_input(struct a2n_answers *answers);

/* Answers the collected addresses, if any. */
void a2n_answers_end(struct a2n_answers *answers);

#endif
