/* SPDX-License-Identifier: MIT */
/* See text_instruction.h. */
#include "report/write/text_instruction.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_writer.h"

char *text_shown_name(const struct session *session, const char *name)
{
	char *text;

	if (session->names.are_full)
		return text_printable(memory_string(name, strlen(name)));
	text = a2n_short_name(name, A2N_SHORTEST);
	if (!text)
		memory_exhausted();
	return text_printable(text);
}

static void write_cells(const struct instruction_text *text, FILE *out,
			size_t row, int passes_only)
{
	static const char *const utf8[] = {
		[CELL_EMPTY] = " ",       [CELL_LINE] = "\u2502",
		[CELL_TOP] = "\u250c",    [CELL_MIDDLE] = "\u251c",
		[CELL_BOTTOM] = "\u2514", [CELL_DASH] = "\u2500",
		[CELL_CROSS] = "\u253c",
	};
	static const char ascii[] = {
		[CELL_EMPTY] = ' ',  [CELL_LINE] = '|',    [CELL_TOP] = '/',
		[CELL_MIDDLE] = '|', [CELL_BOTTOM] = '\\', [CELL_DASH] = '-',
		[CELL_CROSS] = '-',
	};
	const struct arrow_row *cells = &text->arrows.rows[row];
	int is_end = 0;

	for (unsigned int i = text->arrows.lanes; i-- > 0;) {
		uint8_t cell = cells->cells[i];

		if (passes_only)
			cell = cell == CELL_LINE || cell == CELL_CROSS ||
					       cell == CELL_MIDDLE ||
					       cell == CELL_BOTTOM
				       ? CELL_LINE
				       : CELL_EMPTY;
		is_end |= cell == CELL_TOP || cell == CELL_MIDDLE ||
			  cell == CELL_BOTTOM;
		if (text->is_utf8)
			fputs(utf8[cell], out);
		else
			fputc(ascii[cell], out);
	}
	if (text->arrows.lanes == 0)
		return;
	fputs(!is_end                 ? " "
	      : cells->is_destination ? ">"
	      : text->is_utf8         ? "\u2500"
				      : "-",
	      out);
	fputc(' ', out);
}

void text_instruction_target(const struct instruction_text *text, FILE *out,
			     size_t row)
{
	const struct annotation *annotation = text->annotation;
	const struct instruction *one = &annotation->code.items[row];
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count;
	const char *clone;
	char *name, *suffix;

	if (one->import) {
		/* A '*' marks a call through the address that is stored. */
		fprintf(out, " <%s%s>", annotation->code.texts + one->import,
			strchr(instruction_text(&annotation->code, one), '*')
				? ""
				: "@plt");
		return;
	}
	if (one->target == NO_TARGET)
		return;
	if (one->kind == INSTRUCTION_PLAIN) {
		fprintf(out, "  # 0x%" PRIx64, one->target);
		return;
	}
	for (size_t i = 0; i < annotation->range_count; i++)
		if (one->kind == INSTRUCTION_JUMP &&
		    one->target >= annotation->ranges[i].start &&
		    one->target < annotation->ranges[i].end)
			return;
	count = catalog_frames_at(&text->session->catalog, annotation->module,
				  one->target, frames, CATALOG_FRAMES);
	if (count == 0 || count > CATALOG_FRAMES || !frames[count - 1].name)
		return;
	name = text_shown_name(text->session, frames[count - 1].name);
	/* A short name omits which part of the function it is. */
	clone = text->session->names.are_full
			? NULL
			: strstr(frames[count - 1].name, " [clone ");
	suffix = text_printable(
		memory_string(clone ? clone : "", clone ? strlen(clone) : 0));
	fprintf(out, " <%s%s", name, suffix);
	free(suffix);
	if (frames[count - 1].start < one->target)
		fprintf(out, "+0x%" PRIx64,
			one->target - frames[count - 1].start);
	fputc('>', out);
	free(name);
}

void text_instruction(const struct instruction_text *text, FILE *out,
		      size_t row)
{
	const struct instructions *code = &text->annotation->code;

	fputs(instruction_text(code, &code->items[row]), out);
	text_instruction_target(text, out, row);
}

void text_instruction_arrows(const struct instruction_text *text, FILE *out,
			     size_t row)
{
	write_cells(text, out, row, 0);
}

void text_instruction_lines(const struct instruction_text *text, FILE *out,
			    size_t row)
{
	write_cells(text, out, row, 1);
}
