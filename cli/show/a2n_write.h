/* SPDX-License-Identifier: MIT */
/*
 * Output of `clew a2n`: as addr2line, as llvm-symbolizer, or as one JSON object
 * for each address, on a line of its own.
 *
 * A hundred thousand addresses are about forty megabytes of text, so the output
 * has a buffer of its own.
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
	int failed; /* errno of a write, or 0. */
};

void a2n_writer_init(struct a2n_writer *writer);

/*
 * Writes the frames of one address; `count` may be 0. Without shows_inlined,
 * the text styles write only the first frame.
 */
void a2n_write(struct a2n_writer *writer, uint64_t address,
	       const struct a2n_frame *frames, size_t count);

/* Writes a range of addresses with its frames, for --list. */
void a2n_write_range(struct a2n_writer *writer, const struct a2n_range *range,
		     const struct a2n_frame *frames, size_t count);

/*
 * Answers a line that is no address: repeats it in the style of
 * llvm-symbolizer, treats it as address 0 in that of addr2line, and writes an
 * object without frames in JSON.
 */
void a2n_write_junk(struct a2n_writer *writer, const char *text);

/*
 * Write the buffer; a2n_writer_fini() also frees it. Return 0, or -errno of the
 * first failed write since a2n_writer_init().
 */
int a2n_writer_flush(struct a2n_writer *writer);
int a2n_writer_fini(struct a2n_writer *writer);

#endif
