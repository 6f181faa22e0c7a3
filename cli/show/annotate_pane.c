/* SPDX-License-Identifier: MIT */
/* The pane with what `clew annotate` prints of the selected function. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/show/pane.h"
#include "report/code/annotation.h"
#include "report/model/announced_lines.h"
#include "report/write/text_writer.h"

enum annotate_choice { SHOWS_BOTH, SHOWS_SOURCE, SHOWS_CODE, ANNOTATED_COUNT };

static const char *const annotated_texts[ANNOTATED_COUNT] = {
	[SHOWS_BOTH] = "source lines and instructions",
	[SHOWS_SOURCE] = "source lines",
	[SHOWS_CODE] = "instructions",
};

struct annotate_pane {
	struct pane pane;
	uint32_t function;
	struct annotation annotation;
	int has_annotation;
	unsigned int tree_number; /* the tree that was annotated */
	/* call sites of the recording, once they are read */
	struct call_sites sites;
	int has_sites;
	enum annotate_choice shows;
	int shows_all; /* whether code without time is shown as well */
	struct screen_page page;
};

static void forget(struct annotate_pane *shown)
{
	if (shown->has_annotation)
		annotation_fini(&shown->annotation);
	shown->has_annotation = 0;
	shown->function = FUNCTION_NONE;
	screen_page_clear(&shown->page);
}

/* Reads the call sites once. If they cannot be read, shows the reason. */
static void read_sites(struct annotate_pane *shown)
{
	const struct viewed *viewed = shown->pane.viewed;
	struct whose whose = viewed->options->whose;
	char *why;

	if (shown->has_sites)
		return;
	shown->has_sites = 1;
	whose.progress = NULL;
	if (call_sites_read(&shown->sites, viewed->session,
			    viewed->options->path, &whose, &why) != 0)
		viewed_say(shown->pane.viewed, why);
}

static void update(struct pane *pane)
{
	struct annotate_pane *shown = (struct annotate_pane *)pane;
	struct session *session = pane->viewed->session;
	uint32_t function = pane->viewed->function;

	if (function == FUNCTION_NONE ||
	    (!pane->is_opened &&
	     shown->tree_number == pane->viewed->tree_number))
		return;
	function = whole_function(&session->catalog, function);
	if (shown->has_annotation && function == shown->function &&
	    shown->tree_number == pane->viewed->tree_number)
		return;
	viewed_announce("reading the function's code...");
	forget(shown);
	read_sites(shown);
	annotation_init(&shown->annotation, session, function, &shown->sites);
	shown->has_annotation = 1;
	shown->function = function;
	shown->tree_number = pane->viewed->tree_number;
}

/*
 * Writes the text of the page, which does not depend on the width of the
 * screen.
 */
static void write_page(struct annotate_pane *shown)
{
	const struct viewed *viewed = shown->pane.viewed;
	char *text = NULL;
	size_t bytes;
	FILE *out = memory_stream(&text, &bytes);

	text_annotation(out, viewed->session,
			&(struct annotation_view){
				.items = &shown->annotation,
				.count = 1,
				.sources = viewed->sources,
				.is_source_only = shown->shows == SHOWS_SOURCE,
				.is_code_only = shown->shows == SHOWS_CODE,
				.shows_all = shown->shows_all,
			});
	fclose(out);
	screen_page_set(&shown->page, text);
	shown->pane.list = shown->page.list;
}

static void layout(struct pane *pane)
{
	struct annotate_pane *shown = (struct annotate_pane *)pane;

	text_begin_names(pane->viewed->session, 0);
	if (shown->has_annotation && !shown->page.text)
		write_page(shown);
}

static char *state(struct pane *pane)
{
	const struct annotate_pane *shown = (const struct annotate_pane *)pane;

	if (!shown->has_annotation)
		return memory_printf("no function is selected: choose one in "
				     "the functions or the tree");
	return memory_printf("%s%s", annotated_texts[shown->shows],
			     shown->shows_all ? ", also without time" : "");
}

/*
 * Writes the name of the annotated function, if there is one, as the heading of
 * the pane. The text below has further headings.
 */
static void heading(FILE *out, struct pane *pane)
{
	const struct annotate_pane *shown = (const struct annotate_pane *)pane;

	if (shown->has_annotation)
		fputs(shown_name(&pane->viewed->session->names,
				 &pane->viewed->session->catalog,
				 shown->function),
		      out);
}

static void write_row(FILE *out, void *context, size_t row)
{
	const struct annotate_pane *shown = context;

	fputs(shown->page.lines[row], out);
}

static uint32_t function_of(struct pane *pane, size_t row)
{
	(void)pane;
	(void)row;
	return FUNCTION_NONE;
}

static int find(struct pane *pane, int is_backward)
{
	struct annotate_pane *shown = (struct annotate_pane *)pane;

	return screen_page_find(&shown->page, &pane->list,
				pane->viewed->searched, is_backward);
}

static int is_text(const struct pane *pane)
{
	(void)pane;
	return 1;
}

static int obey(struct pane *pane, int key)
{
	struct annotate_pane *shown = (struct annotate_pane *)pane;

	switch (key) {
	case 's':
		shown->shows = (shown->shows + 1) % ANNOTATED_COUNT;
		break;
	case 'A':
		shown->shows_all ^= 1;
		break;
	case SCREEN_LEFT:
	case SCREEN_RIGHT:
		screen_list_shift(&pane->list, key);
		return 1;
	default:
		return 0;
	}
	if (shown->has_annotation)
		write_page(shown);
	return 1;
}

static void fini(struct pane *pane)
{
	struct annotate_pane *shown = (struct annotate_pane *)pane;

	forget(shown);
	call_sites_fini(&shown->sites);
}

static const struct pane_kind annotate_kind = {
	.name = "annotate",
	.keys = "arrows scroll  s source, instructions  A all  b butterfly",
	.update = update,
	.layout = layout,
	.state = state,
	.heading = heading,
	.row = write_row,
	.function = function_of,
	.key = obey,
	.find = find,
	.is_text = is_text,
	.follows_function = 1,
	.fini = fini,
};

struct pane *annotate_pane_create(struct viewed *viewed)
{
	struct annotate_pane *shown = memory_zeroed(1, sizeof(*shown));

	shown->pane = (struct pane){ .kind = &annotate_kind,
				     .viewed = viewed,
				     .is_stale = 1 };
	return &shown->pane;
}
