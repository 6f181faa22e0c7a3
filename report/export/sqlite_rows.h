/* SPDX-License-Identifier: MIT */
/* Rows for SQLite: errors stick, and are asked for once, at the end. */
#ifndef CLEW_EXPORT_SQLITE_ROWS_H
#define CLEW_EXPORT_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stdint.h>

struct rows {
	sqlite3 *db;
	sqlite3_stmt *insert; /* of the table that is being filled */
	int column;
	int status; /* SQLITE_OK, or the first that was not */
	char *why;  /* then what it says; free() it */
};

void rows_execute(struct rows *rows, const char *sql);

/* Rows from here on are of this table, which has so many columns. */
void rows_begin(struct rows *rows, const char *table, int columns);
void rows_end(struct rows *rows);

/* The columns of a row, from left to right; one that is left out is NULL. */
void rows_number(struct rows *rows, uint64_t number);
void rows_real(struct rows *rows, double number);
void rows_text(struct rows *rows, const char *text); /* NULL: NULL */
void rows_null(struct rows *rows);
void rows_next(struct rows *rows);

#endif
