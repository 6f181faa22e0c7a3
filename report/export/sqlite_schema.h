/* SPDX-License-Identifier: MIT */
/*
 * SQL statements that create the tables of a database, and, once these are
 * full, their indices.
 */
#ifndef CLEW_EXPORT_SQLITE_SCHEMA_H
#define CLEW_EXPORT_SQLITE_SCHEMA_H

enum { SQLITE_SCHEMA_VERSION = 1 };

extern const char sqlite_schema[];
extern const char sqlite_indices[];

#endif
