/* SPDX-License-Identifier: MIT */
/*
 * The numbers under which the page of `clew html` knows contexts, functions and
 * files, and the sections of data that are written in these. Contexts are in
 * pre-order, so that a subtree is a range and a parent is said by how far it is
 * before its child; functions and files are those that occur.
 */
#ifndef CLEW_HTML_HTML_PAGE_H
#define CLEW_HTML_HTML_PAGE_H

#include "base/strings.h"
#include "report/html/html.h"
#include "report/html/html_stream.h"
#include "report/html/html_timeline.h"

/* A process or a thread, with what it did in each context. */
struct html_group {
	const char *name;
	uint32_t function; /* of the catalog, that stands for it */
	int is_process;
	uint64_t calls;
	size_t contexts;
};

struct html_page {
	const struct html_view *view;
	struct session *session;
	struct catalog *catalog;
	const struct tree *tree;
	uint32_t *order;     /* context of the page -> node */
	uint32_t *positions; /* node -> context of the page */

	uint32_t *functions; /* of the page -> of the catalog */
	size_t function_count, function_capacity;
	uint32_t *numbers; /* the reverse + 1; 0: does not occur */

	struct strings files; /* the first is "" */

	/* See html_page_callee(); whether it was asked, and the answers differ. */
	int is_indexed, has_inlines;
	struct idmap uninlined;

	struct html_group *groups;
	size_t group_count, group_capacity;
	int has_too_many; /* contexts to tell threads apart */

	struct html_timeline timeline; /* no lanes: there is none */
};

/* The page's number of a catalog's function. */
uint32_t html_page_function(struct html_page *page, uint32_t function);

/*
 * The node of a function that is called in another's node, or TREE_ROOT: there is none.
 * What is inlined between the two does not matter.
 */
uint32_t html_page_callee(struct html_page *page, uint32_t caller,
			  uint32_t function);

/* Sections; the second finds the groups. */
void html_page_contexts(struct html_page *page, struct html_stream *stream);
void html_page_groups(struct html_page *page, struct html_stream *stream);
void html_page_lines(struct html_page *page, struct html_stream *stream);

/* JSON; the last section, for it names what the others numbered. */
void html_page_meta(struct html_page *page, struct html_stream *stream);

#endif
