/* SPDX-License-Identifier: MIT */
/*
 * How `clew a2n` writes what it found: as addr2line does, as llvm-symbolizer
 * does, or as one JSON object a line.
 *
 * A hundred thousand addresses are some forty megabytes of text, so it is put
 * together in a buffer of our own.
 */
#ifndef CLEW_CLI_SHOW_A2N_WRITE_H
#define CLEW_CLI_SHOW_A2N_WRITE_H

#include <stdint.h>

#include "symbolizer/a2n.h"

enum a2n_style { STYLE_ADDR2LINE, STYLE_LLVM, STYLE_JSON };

struct a2n_writer {
	enum a2n_style style;
	int shows_functions, shows_addresses, shows_inlined;
	int demangles, only_basenames, is_pretty;
	char *buffer;
	size_t used;
	int failed; /* errno of a write, or 0 */
};

void a2n_writer_init(struct a2n_writer *writer);

/* Everything about one address; `count` may be 0. */
void a2n_write(struct a2n_writer *writer, uint64_t address,
	       const struct a2n_frame *frames, size_t count);

/* A range with its function, for --list. */
void a2n_write_range(struct a2n_writer *writer, const struct a2n_range *range,
		     const struct a2n_frame *frames, size_t count);

/*
 * The answer to a line that is no address, as the tools have it whose style it
 * is: llvm-symbolizer gives it back, addr2line takes it for address 0, whose
 * answer is as many lines as any other's.
 */
void a2n_write_junk(struct a2n_writer *writer, const char *text);

/* Writes what is buffered. 0, or -errno of the first write that failed. */
int a2n_writer_flush(struct a2n_writer *writer);
int a2n_writer_fini(struct a2n_writer *writer);

#endif
