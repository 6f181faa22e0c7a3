/* SPDX-License-Identifier: MIT */
/* See text_writer.h. */
#include "report/write/text_writer.h"

#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/view/finder.h"

const char *text_glyph(const char *utf8, const char *ascii)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? utf8 : ascii;
}

struct text_amount text_amount(const struct session *session, uint64_t number)
{
	struct text_amount amount;

	snprintf(amount.text, sizeof(amount.text), "%s",
		 !session->value || session->value->unit == WIRE_UNIT_NS
			 ? text_duration(number).text
			 : text_grouped(number).text);
	return amount;
}

int text_amount_width(const struct session *session)
{
	return !session->value || session->value->unit == WIRE_UNIT_NS ? 9 : 15;
}

static const char *const sequences[] = {
	[STYLE_HEADING] = "\033[1m", [STYLE_HOT] = "\033[1;31m",
	[STYLE_WARM] = "\033[33m",   [STYLE_DIM] = "\033[2m",
	[STYLE_MORE] = "\033[31m",   [STYLE_LESS] = "\033[32m",
	[STYLE_PLAIN] = "",
};

void text_begin(FILE *out, int has_color, enum text_style style)
{
	if (has_color)
		fputs(sequences[style], out);
}

void text_end(FILE *out, int has_color, enum text_style style)
{
	if (has_color && style != STYLE_PLAIN)
		fputs("\033[m", out);
}

enum text_style text_heat(double share)
{
	if (share >= 0.1)
		return STYLE_HOT;
	return share >= 0.02 ? STYLE_WARM : STYLE_PLAIN;
}

void text_module(FILE *out, const struct session *session, uint32_t function)
{
	const char *module = catalog_module_name(&session->catalog, function);

	if (!*module || session->catalog.functions[function].kind == KIND_GROUP)
		return;
	text_begin(out, session->has_color, STYLE_DIM);
	fprintf(out, "  [%s]", module);
	text_end(out, session->has_color, STYLE_DIM);
}

void text_begin_names(struct session *session, unsigned int room)
{
	shown_names_fini(&session->names);
	session->names.room = room;
	session->names.ellipsis = text_glyph("\u2026", "...");
}

void text_function(FILE *out, struct session *session, uint32_t function)
{
	struct catalog *catalog = &session->catalog;

	fputs(shown_name(&session->names, catalog, function), out);
	if (catalog->functions[function].kind == KIND_INLINED)
		fputs(SHOWN_INLINED, out);
}

char *text_subject(struct session *session, uint32_t function)
{
	struct catalog *catalog = &session->catalog;
	const char *full = catalog_marked_name(catalog, function);
	char *text = catalog_short_name(catalog, function, A2N_SHORTEST);
	char *bare, *found;
	uint8_t *called;

	if (session->names.are_full || strcmp(text, full) == 0) {
		free(text);
		return memory_string(full, strlen(full));
	}
	bare = catalog_short_name(catalog, function, A2N_BARE);
	called = finder_called(catalog, &session->tree);
	found = finder_text(catalog, called, function);
	if (strcmp(found, bare) != 0 &&
	    !catalog->functions[function].left_out) {
		free(text);
		text = found;
		found = NULL;
	}
	free(found);
	free(called);
	free(bare);
	return text_printable(text);
}

void text_place(FILE *out, struct session *session, uint32_t function)
{
	const char *file;
	uint32_t line;

	if (!session->shows_lines ||
	    !catalog_place(&session->catalog, function, &file, &line))
		return;
	text_begin(out, session->has_color, STYLE_DIM);
	fprintf(out, "  %s:%" PRIu32, file, line);
	text_end(out, session->has_color, STYLE_DIM);
}
