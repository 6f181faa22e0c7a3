/* SPDX-License-Identifier: MIT */
/*
 * The machine instructions of a module, read from its file.
 *
 * The file may be hostile. A confined child process reads and decodes it
 * (symbolizer/indexer/worker.h) and returns the instructions as text.
 */
#ifndef CLEW_CODE_INSTRUCTIONS_H
#define CLEW_CODE_INSTRUCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/a2n.h"

/* Maximum size of the code that is read. Further code is omitted. */
#define INSTRUCTIONS_CODE_MAX (UINT64_C(4) << 20)

#define NO_TARGET             UINT64_MAX

enum instruction_kind {
	INSTRUCTION_PLAIN,
	INSTRUCTION_JUMP, /* a direct jump */
	INSTRUCTION_CALL, /* a direct or indirect call */
	INSTRUCTION_UNKNOWN,
};

struct instruction {
	uint64_t vaddr;
	/*
	 * Of a direct jump or call, or of data that is addressed relative to
	 * the instruction; else NO_TARGET.
	 */
	uint64_t target;
	uint32_t text; /* position of the text in `texts` */
	/*
	 * position in `texts` of the name of the imported function that is
	 * called; 0 if there is none
	 */
	uint32_t import;
	uint8_t bytes;
	uint8_t kind; /* enum instruction_kind */
	uint16_t pad[3];
};
_Static_assert(sizeof(struct instruction) == 32, "no implicit padding");

/* Sorted by address, without overlaps. */
struct instructions {
	struct instruction *items;
	size_t count;
	/* texts in AT&T syntax, and names; all are safe to print */
	char *texts;
	int is_cut; /* whether code beyond the limit is missing */
};

struct vaddr_range {
	uint64_t start, end; /* vaddrs of the range */
};

/*
 * Reads the code in `ranges`, which are sorted and disjoint, from the file at
 * `path`, which must have this build-id if it is not empty. Returns 0 and the
 * instructions, which the caller frees by instructions_fini(), or -errno and
 * *why: -ESTALE if the file is another build.
 */
int instructions_read(const char *path, const struct a2n_build_id *build_id,
		      const struct vaddr_range *ranges, size_t count,
		      struct instructions *out, char **why);

void instructions_fini(struct instructions *instructions);

static inline const char *instruction_text(
	const struct instructions *instructions,
	const struct instruction *instruction)
{
	return instructions->texts + instruction->text;
}

#endif
