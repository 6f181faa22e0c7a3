/* SPDX-License-Identifier: MIT */
/*
 * Single rows of the text format, for a screen that shows some of them. Columns
 * depend on session->columns; names are chosen when a row is written.
 */
#ifndef CLEW_WRITE_TEXT_ROWS_H
#define CLEW_WRITE_TEXT_ROWS_H

#include "report/write/writer.h"

/* The columns of a flat table. */
struct text_table {
	FILE *out;
	struct session *session;
	const struct flat_view *view;
	size_t shown; /* number of rows */
	int calls_width, amount_width;
	/* Columns that are omitted so that names have room. */
	int is_narrow, has_contexts, has_total, has_total_share, has_range;
	/* columns for the name and the module; 0 if they are unlimited */
	int room;
};

/* Chooses the columns of a table, and begins its names. */
void text_table_init(struct text_table *table, struct session *session,
		     const struct flat_view *view);
void text_table_heading(struct text_table *table, FILE *out);
/* Writes a row without a newline. */
void text_table_row(struct text_table *table, FILE *out, size_t row);

void text_tree_heading(FILE *out, struct session *session,
		       const struct tree_view *view);
/*
 * Writes a node without a newline. `lead`, of `columns` columns, shows its
 * place in the tree.
 */
void text_tree_row(FILE *out, struct session *session,
		   const struct tree_view *view, uint32_t node,
		   const char *lead, size_t columns);

void text_butterfly_heading(FILE *out, const struct session *session);
/*
 * Writes a row without a newline. The rows are the callers, the function
 * itself, and the callees.
 */
void text_butterfly_row(FILE *out, struct session *session,
			const struct butterfly_view *view, size_t row);

#endif
