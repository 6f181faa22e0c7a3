/* SPDX-License-Identifier: MIT */
/*
 * Inserts rows with SQLite. After an error all calls do nothing; the caller
 * checks `status` at the end.
 */
#ifndef CLEW_EXPORT_SQLITE_ROWS_H
#define CLEW_EXPORT_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stdint.h>

struct rows {
	sqlite3 *db;
	sqlite3_stmt *insert; /* inserts a row into the current table */
	int column;
	int status; /* SQLITE_OK or the first error */
	char *why;  /* message of the error; the caller frees it */
};

void rows_execute(struct rows *rows, const char *sql);

/* Begins a table with this number of columns. */
void rows_begin(struct rows *rows, const char *table, int columns);
void rows_end(struct rows *rows);

/*
 * Set the columns of a row from left to right. Columns that are not set are
 * NULL.
 */
void rows_number(struct rows *rows, uint64_t number);
void rows_real(struct rows *rows, double number);
/* Sets a text. NULL becomes NULL in the database. */
void rows_text(struct rows *rows, const char *text);
void rows_null(struct rows *rows);
void rows_next(struct rows *rows);

#endif
