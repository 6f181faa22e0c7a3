/* SPDX-License-Identifier: MIT */
/* See a2n_answers.h. */
#include "cli/show/a2n_answers.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"

enum { FRAMES = 256 };

static void look_up(struct a2n_answers *answers,
		    const struct a2n_module *module, uint64_t address)
{
	struct a2n_frame frames[FRAMES];
	size_t count;

	if (module)
		count = a2n_module_lookup(module, address, frames, FRAMES);
	else
		count = a2n_space_lookup(answers->space, address, answers->time,
					 NULL, 0, NULL, frames, FRAMES);
	a2n_write(answers->writer, address, frames,
		  count < FRAMES ? count : FRAMES);
}

/*
 * Parses a hexadecimal number, with or without 0x, that ends at the end of the
 * text or at a blank. Returns whether the text begins with one, as for
 * addr2line and llvm-symbolizer.
 */
static int parse_address(const char *text, uint64_t *out)
{
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (!isxdigit((unsigned char)*text))
		return 0;
	errno = 0;
	*out = strtoull(text, &end, 16);
	return !errno && (*end == '\0' || isspace((unsigned char)*end));
}

int a2n_answers_open(struct a2n_answers *answers, const char *path,
		     const struct a2n_module **out)
{
	int err = a2n_module_open(answers->a2n, path, NULL, out);

	if (err) {
		complain(answers->command, "%s: %s", path,
			 err == -ENOEXEC   ? "not a 64-bit ELF file"
			 : err == -EBADMSG ? "the file is damaged"
			 : err == -ENODATA ? "the file is truncated"
					   : strerror(-err));
		answers->failed = 1;
	}
	return err;
}

static void write_answer(void *context, size_t index,
			 const struct a2n_frame *frames, size_t count)
{
	struct a2n_answers *answers = context;

	a2n_write(answers->writer, answers->waiting[index], frames, count);
}

void a2n_answers_end(struct a2n_answers *answers)
{
	size_t count = answers->waiting_count;

	answers->waiting_count = 0;
	if (count > 0 &&
	    a2n_module_lookup_all(answers->module, answers->waiting, count,
				  write_answer, answers) != 0) {
		complain(answers->command, "out of memory");
		answers->failed = 1;
	}
}

/* Collects an address; answers all collected ones if there is no more room. */
static void answer_later(struct a2n_answers *answers, uint64_t address)
{
	answers->waiting[answers->waiting_count++] = address;
	if (answers->waiting_count ==
	    sizeof(answers->waiting) / sizeof(*answers->waiting))
		a2n_answers_end(answers);
}

int a2n_answer(struct a2n_answers *answers, char *text)
{
	const struct a2n_module *module = answers->module;
	char *blank;
	uint64_t address;

	text[strcspn(text, "\n")] = '\0';
	blank = strrchr(text, ' ');
	if (strncmp(text, "CODE ", 5) == 0)
		text += 5;
	if (parse_address(text, &address) && module) {
		answer_later(answers, address);
		return 1;
	}
	a2n_answers_end(answers);
	if (!parse_address(text, &address)) {
		if (!blank || blank < text ||
		    !parse_address(blank + 1, &address)) {
			a2n_write_junk(answers->writer, text);
			return 0;
		}
		*blank = '\0';
		if (!answers->space &&
		    a2n_answers_open(answers, text, &module) != 0) {
			a2n_write(answers->writer, address, NULL, 0);
			return 1;
		}
	}
	if (module || answers->space)
		look_up(answers, module, address);
	else
		a2n_write(answers->writer, address, NULL, 0);
	return 1;
}

void a2n_answer_input(struct a2n_answers *answers)
{
	struct stat status;
	int is_file =
		fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		a2n_answer(answers, line);
		if (is_file)
			continue;
		a2n_answers_end(answers);
		a2n_writer_flush(answers->writer);
	}
	a2n_answers_end(answers);
	free(line);
}
