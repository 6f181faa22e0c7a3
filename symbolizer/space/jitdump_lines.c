/* SPDX-License-Identifier: MIT */
/* Lines of debug records in jitdump files: see jitdump.h. */
#include "symbolizer/space/jitdump.h"

#include <errno.h>
#include <string.h>

enum {
	BIAS = 0x40, /* size of an ELF file header */
	DEBUG_COUNT = 24,
	LINE_NUMBER = 8,
	LINE_DISCRIMINATOR = 12,
	LINE_FILE = 16,
};

struct one_line {
	uint64_t address;
	uint32_t number;
	uint32_t discriminator;
	const char *file;
};

struct line_walk {
	const struct jitdump *dump;
	const char *at;
	const char *end; /* points to a NUL */
	uint64_t left;
	const char *file;
};

static struct line_walk walk_lines(const struct jitdump *dump,
				   const struct jitdump_debug *debug)
{
	return (struct line_walk){
		.dump = dump,
		.at = debug->record + JITDUMP_DEBUG_BYTES,
		.end = debug->record + debug->bytes,
		.left = jitdump_u64(dump, debug->record + DEBUG_COUNT),
	};
}

static int next_line(struct line_walk *walk, struct one_line *out)
{
	const char *at = walk->at, *file = at + LINE_FILE;

	if (walk->left == 0 || walk->end - at <= LINE_FILE)
		return 0;
	walk->at = file + strlen(file) + 1;
	if (walk->at > walk->end) /* the record ends before the NUL */
		return 0;
	if (strcmp(file, "\xff") != 0)
		walk->file = file;
	out->address = jitdump_u64(walk->dump, at);
	out->number = jitdump_u32(walk->dump, at + LINE_NUMBER);
	out->discriminator = jitdump_u32(walk->dump, at + LINE_DISCRIMINATOR);
	out->file = walk->file;
	walk->left--;
	return 1;
}

/*
 * Returns whether all lines lie in the code. Some writers also add a line at
 * its end.
 */
static int do_lines_fit(const struct jitdump *dump,
			const struct jitdump_debug *debug,
			const struct a2n_code *code, uint64_t bias)
{
	struct line_walk walk = walk_lines(dump, debug);
	struct one_line line;

	while (next_line(&walk, &line)) {
		if (line.address - bias - code->start > code->bytes)
			return 0;
	}
	return 1;
}

/* Returns whether, with a bias, the first line is that of the first byte. */
static int is_first_biased(const struct jitdump *dump,
			   const struct jitdump_debug *debug,
			   const struct a2n_code *code)
{
	struct line_walk walk = walk_lines(dump, debug);
	struct one_line line;

	return next_line(&walk, &line) && line.address - BIAS == code->start;
}

void jitdump_learn_bias(struct jitdump *dump, const struct jitdump_debug *debug,
			const struct a2n_code *code)
{
	int with = do_lines_fit(dump, debug, code, BIAS);
	int without = do_lines_fit(dump, debug, code, 0);

	dump->with_bias += with && !without;
	dump->without_bias += without && !with;
}

/*
 * Returns the bias: if the record's lines fit in only one way, that one, else
 * the one that fits most records.
 */
static uint64_t bias_of(const struct jitdump *dump,
			const struct jitdump_debug *debug,
			const struct a2n_code *code)
{
	int with = do_lines_fit(dump, debug, code, BIAS);
	int without = do_lines_fit(dump, debug, code, 0);

	if (with != without)
		return with ? BIAS : 0;
	if (dump->with_bias != dump->without_bias)
		return dump->with_bias > dump->without_bias ? BIAS : 0;
	return is_first_biased(dump, debug, code) ? BIAS : 0;
}

int jitdump_add_lines(struct jitdump *dump, const struct jitdump_debug *debug,
		      const struct a2n_code *code, uint64_t id)
{
	uint64_t bias = bias_of(dump, debug, code);
	struct line_walk walk = walk_lines(dump, debug);
	struct one_line line;

	while (next_line(&walk, &line)) {
		uint64_t offset = line.address - bias - code->start;
		int err = a2n_space_add_line(dump->space, id, offset, line.file,
					     line.number, line.discriminator);

		if (err == -EINVAL) /* the line lies outside the code */
			dump->read.lines += offset != code->bytes;
		else if (err)
			return err;
	}
	dump->read.malformed += walk.left > 0;
	return 0;
}
