/* SPDX-License-Identifier: MIT */
/*
 * The page's instructions (clew html --sources): the member "code" of its JSON,
 * a list of the functions with the most self time. The data is that of
 * clew annotate. An instruction is an array:
 *
 *	[bytes after the former one's address, lines of jumps, text, ns,
 *	 samples, calls made, file, line, ns with callees]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/code/annotation.h"
#include "report/code/jump_arrows.h"
#include "report/html/html_page.h"
#include "report/write/text_instruction.h"

/* A function with self time. */
struct timed_function {
	uint32_t function; /* the function's index in the catalog */
	uint64_t ns;
};

static int has_more_time(const void *a, const void *b)
{
	const struct timed_function *one = a, *other = b;

	if (one->ns != other->ns)
		return (one->ns < other->ns) - (one->ns > other->ns);
	return (one->function > other->function) -
	       (one->function < other->function);
}

/* Returns the functions of modules, those with the most self time first. */
static struct timed_function *find_functions(const struct html_page *page,
					     size_t *count)
{
	const struct catalog *catalog = page->catalog;
	struct timed_function *all =
		memory_zeroed(catalog->function_count + 1, sizeof(*all));
	size_t timed = 0;

	for (size_t i = 0; i < page->tree->count; i++) {
		const uint32_t function = annotation_function_of(
			catalog, page->tree, (uint32_t)i);

		all[function].ns += tree_self(page->tree, i).ns;
	}
	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++)
		if (all[i].ns > 0 &&
		    catalog->functions[i].module != CATALOG_NO_MODULE)
			all[timed++] = (struct timed_function){ i, all[i].ns };
	qsort(all, timed, sizeof(*all), has_more_time);
	*count = timed;
	return all;
}

/* Returns the text that a function writes for a row; the caller frees it. */
static char *text_of(const struct instruction_text *text, size_t row,
		     void write(const struct instruction_text *, FILE *,
				size_t))
{
	char *made = NULL;
	size_t bytes = 0;
	FILE *out = memory_stream(&made, &bytes);

	write(text, out, row);
	fclose(out);
	return made;
}

static json_t *row_of(struct html_page *page,
		      const struct instruction_text *text, size_t row)
{
	const struct annotation *annotation = text->annotation;
	const struct instruction *items = annotation->code.items;
	const struct annotated_row *own = &annotation->rows[row];
	const struct annotated_line *line =
		own->line == NO_ITEM ? NULL : &annotation->lines[own->line];
	char *arrows = text_of(text, row, text_instruction_arrows);
	char *code = text_of(text, row, text_instruction);
	json_t *array = json_pack(
		"[ooooooooo]",
		json_number(row ? items[row].vaddr - items[row - 1].vaddr : 0),
		json_text(arrows), json_text(code), json_number(own->cost.ns),
		json_number(own->cost.samples), json_number(own->cost.calls),
		json_number(line ? strings_number(&page->files, line->file)
				 : 0),
		json_number(line ? line->line : 0), json_number(own->total_ns));

	free(arrows);
	free(code);
	return array;
}

static void write_rows(struct html_page *page, struct json_stream *function,
		       const struct annotation *annotation)
{
	struct instruction_text text = { .session = page->session,
					 .annotation = annotation,
					 .is_utf8 = 1 };
	struct json_stream rows = json_begin(function, "rows", "[");

	jump_arrows_init(&text.arrows, &annotation->code);
	for (size_t i = 0; i < annotation->code.count; i++)
		json_member(&rows, NULL, row_of(page, &text, i));
	jump_arrows_fini(&text.arrows);
	json_end(&rows, "]");
}

/* Returns whether any instruction of the function has time or calls. */
static int has_cost(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->code.count; i++)
		if (annotation->rows[i].cost.ns > 0 ||
		    annotation->rows[i].cost.calls > 0)
			return 1;
	return 0;
}

/*
 * Writes a function if its instructions fit and have costs; returns their
 * number.
 */
static size_t write_function(struct html_page *page, struct json_stream *list,
			     uint32_t function, size_t left)
{
	static const struct call_sites none;
	const struct call_sites *sites = page->view->sites;
	struct annotation annotation;
	struct json_stream object;
	char address[24];
	size_t count;

	annotation_init(&annotation, page->session, function,
			sites ? sites : &none);
	count = annotation.code.count;
	if (count > left || !has_cost(&annotation))
		count = 0;
	if (count > 0) {
		snprintf(address, sizeof(address), "0x%" PRIx64,
			 annotation.code.items[0].vaddr);
		object = json_begin(list, NULL, "{");
		json_member(&object, "function",
			    json_number(html_page_function(page, function)));
		json_member(&object, "vaddr", json_string(address));
		json_member(&object, "self_ns",
			    json_number(annotation.self.ns));
		json_member(&object, "samples",
			    json_number(annotation.self.samples));
		json_member(&object, "total_ns",
			    json_number(annotation.total_ns));
		json_member(&object, "has_sites",
			    json_boolean(annotation.has_call_sites));
		json_member(&object, "is_cut",
			    json_boolean(annotation.code.is_cut));
		write_rows(page, &object, &annotation);
		json_end(&object, "}");
	}
	annotation_fini(&annotation);
	return count;
}

void html_page_code(struct html_page *page, struct json_stream *out)
{
	struct timed_function *functions;
	struct json_stream list;
	size_t count, left = HTML_CODE_ROWS_MAX;

	/*
	 * A comparison contains the contexts of two recordings, so it shows no
	 * instructions.
	 */
	if (!page->view->sources || page->view->diff)
		return;
	functions = find_functions(page, &count);
	if (count > HTML_CODE_FUNCTIONS_MAX)
		count = HTML_CODE_FUNCTIONS_MAX;
	list = json_begin(out, "code", "[");
	for (size_t i = 0; i < count; i++)
		left -= write_function(page, &list, functions[i].function,
				       left);
	json_end(&list, "]");
	free(functions);
}
