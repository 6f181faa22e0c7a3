/* SPDX-License-Identifier: MIT */
/*
 * The numbers by which the page of `clew html` identifies contexts, functions
 * and files, and the data sections that use them. Contexts are in pre-order: a
 * subtree is a range. For each context the page has the number of contexts that
 * end where it begins, from which the parents follow. Only functions and files
 * that occur have numbers.
 */
#ifndef CLEW_HTML_HTML_PAGE_H
#define CLEW_HTML_HTML_PAGE_H

#include "base/strings.h"
#include "report/html/html.h"
#include "report/html/html_stream.h"
#include "report/html/html_timeline.h"
#include "report/write/json.h"

/* A process or thread, with its measures in each context. */
struct html_group {
	const char *name;
	/* the index in the catalog that stands for the group */
	uint32_t function;
	int is_process;
	uint64_t calls;
	size_t contexts;
};

/* A file with lines that call functions with time. */
struct html_call_file {
	uint32_t number; /* number of the file in the page */
	uint32_t module; /* the module whose debug information names the file */
};

struct html_page {
	const struct html_view *view;
	struct session *session;
	struct catalog *catalog;
	const struct tree *tree;
	uint32_t *order;     /* the node of each context of the page */
	uint32_t *positions; /* the context of the page of each node */

	/* the function in the catalog of each number in the page */
	uint32_t *functions;
	size_t function_count, function_capacity;
	/* by function of the catalog: 1 + its number, or 0 if it has none */
	uint32_t *numbers;

	struct strings files; /* number 0 is "" */
	/* Each file once. Set by html_page_call_lines(). */
	struct html_call_file *call_files;
	size_t call_file_count, call_file_capacity;

	/*
	 * For html_page_callee(): whether the index was built, and whether it
	 * is needed.
	 */
	int is_indexed, has_inlines;
	struct idmap uninlined;

	struct html_group *groups;
	size_t group_count, group_capacity;
	/* whether there are too many contexts to separate threads */
	int has_too_many;

	/* the timeline; none if it has no lanes */
	struct html_timeline timeline;
};

/*
 * Returns the page's number of a catalog's function; assigns it on first use.
 */
uint32_t html_page_function(struct html_page *page, uint32_t function);

/*
 * Returns the node of a function that is called in another node, ignoring
 * inlined functions in between. TREE_ROOT if there is none.
 */
uint32_t html_page_callee(struct html_page *page, uint32_t caller,
			  uint32_t function);

/* Write sections; html_page_groups() also finds the groups. */
void html_page_contexts(struct html_page *page, struct html_stream *stream);
void html_page_groups(struct html_page *page, struct html_stream *stream);
void html_page_lines(struct html_page *page, struct html_stream *stream);
void html_page_call_lines(struct html_page *page, struct html_stream *stream);

/* Maximum size of the source text in a page. */
#define HTML_SOURCES_BYTES_MAX ((size_t)8 << 20)

/*
 * Writes the member "sources", if the view has sources: the text of files with
 * time, those with the most time first. May number further files.
 */
void html_page_sources(struct html_page *page, struct json_stream *out);

/* Maximum numbers of functions with instructions, and of rows, in a page. */
#define HTML_CODE_FUNCTIONS_MAX 50
#define HTML_CODE_ROWS_MAX      20000

/*
 * Writes the member "code", if the view has sources: the instructions of the
 * functions with the most self time. May number further functions and files.
 */
void html_page_code(struct html_page *page, struct json_stream *out);

/*
 * Writes JSON, as the last section, since it contains the names of all numbers.
 */
void html_page_meta(struct html_page *page, struct html_stream *stream);

#endif
