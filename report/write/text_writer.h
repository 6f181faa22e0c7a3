/* SPDX-License-Identifier: MIT */
/* The text format; each view has its own file. */
#ifndef CLEW_WRITE_TEXT_WRITER_H
#define CLEW_WRITE_TEXT_WRITER_H

#include "report/view/java_methods.h"
#include "report/write/writer.h"

void text_flat(FILE *out, struct session *session,
	       const struct flat_view *view);
void text_tree(FILE *out, struct session *session,
	       const struct tree_view *view);
void text_butterfly(FILE *out, struct session *session,
		    const struct butterfly_view *view);
void text_diff(FILE *out, struct session *session,
	       const struct diff_view *view);
void text_annotation(FILE *out, struct session *session,
		     const struct annotation_view *view);
void text_marks(FILE *out, struct session *session);
void text_events(FILE *out, struct session *session);
void text_snapshots(FILE *out, struct session *session,
		    const struct snapshots_view *view);

/*
 * Writes the lines about --java=exact, standby or inplace; nothing without
 * these options.
 */
void text_java_methods(FILE *out, const struct session *session);
/* Writes how many methods are counted, and when, as part of a sentence. */
void text_java_counted(FILE *out, const struct java_methods *methods,
		       int is_in_place);
void text_list(FILE *out, const struct list_view *view);

/* Writes the lines of the summary about the cost of clew itself. */
void text_self_cost(FILE *out, const struct session *session);

/*
 * A number of the table's main columns: time, or the agents' value that
 * replaces it (session.value); and the width of such a column.
 */
struct text_amount {
	char text[32];
};
struct text_amount text_amount(const struct session *session, uint64_t number);
int text_amount_width(const struct session *session);

/* Returns `utf8` if the locale's character set is UTF-8, else `ascii`. */
const char *text_glyph(const char *utf8, const char *ascii);

struct text_change {
	uint64_t before, after;
	/*
	 * whether each recording has the function; otherwise it is "new" or
	 * "gone"
	 */
	int was_there, is_there;
	int is_sure; /* whether the change is significant */
};

/*
 * Writes four columns: the numbers before and after, the change, and its
 * percentage.
 */
void text_change(FILE *out, const struct session *session, enum metric metric,
		 const struct text_change *change);
void text_change_heading(FILE *out, const struct session *session,
			 enum metric metric);

enum text_style {
	STYLE_HEADING,
	STYLE_HOT,  /* a large share */
	STYLE_WARM, /* a smaller but notable share */
	STYLE_DIM,  /* unimportant */
	STYLE_MORE, /* more than before */
	STYLE_LESS,
	STYLE_PLAIN,
};

/* Write escape sequences if `has_color`. */
void text_begin(FILE *out, int has_color, enum text_style style);
void text_end(FILE *out, int has_color, enum text_style style);

enum { TEXT_NAME_MIN = 30 }; /* least number of columns for names */

/*
 * Returns whether a table has room for a further column beside names. If it
 * has, adds the column's width to *used. Tables call this function for their
 * most important columns first.
 */
static inline int text_has_room(unsigned int width, unsigned int *used,
				unsigned int column)
{
	if (width && *used + column + TEXT_NAME_MIN > width)
		return 0;
	*used += column;
	return 1;
}

/*
 * Returns whether names would have too few columns to be recognised, on a
 * narrow screen. Tables then omit all columns but the main numbers.
 */
static inline int text_is_narrow(unsigned int width, unsigned int used)
{
	enum { NAME_LEAST = 12 };

	return width && used + NAME_LEAST > width;
}

/* Returns the style for a share from 0 to 1. */
enum text_style text_heat(double share);

/*
 * Writes "  [module]" if the function has a module and is no group
 * (KIND_GROUP), such as a process or a module.
 */
void text_module(FILE *out, const struct session *session, uint32_t function);

/*
 * Begins a table whose functions have `room` columns (shown_names.h). Until
 * this call, names have the limits of the former table.
 */
void text_begin_names(struct session *session, unsigned int room);

/* Begins a table of changes; chooses names for all rows that may be written. */
void text_begin_changed_names(struct session *session,
			      const struct diff_view *view, unsigned int room);

/* Writes the name for a table, and whether the function is inlined. */
void text_function(FILE *out, struct session *session, uint32_t function);

/*
 * Returns the name of the function that a table is about, which the caller
 * frees. No other function that was called has the same name, unless the full
 * names are equal.
 */
char *text_subject(struct session *session, uint32_t function);

/*
 * Writes "  file:line" after a function, if this is known and the session shows
 * lines.
 */
void text_place(FILE *out, struct session *session, uint32_t function);

/*
 * Returns "1,234 bytes of code in a.so, b.so, c.so and 2 more modules belong to
 * no known function; calls there are not counted", which the caller frees. NULL
 * without such code.
 */
char *text_unknown_code(const struct catalog *catalog);

/*
 * Returns the modules that could not be hooked: "a.so and 2 more modules
 * (WHY)"; the caller frees it. NULL if there are none.
 */
char *text_unhooked_modules(const struct catalog *catalog);

/*
 * Writes text_unknown_code(), and one line for each module that could not be
 * hooked.
 */
void text_gaps(FILE *out, const struct catalog *catalog);

/*
 * Writes advice on the use of JNI, one sentence a line; nothing without advice.
 */
void text_jni(FILE *out, struct session *session,
	      const struct selection *selection);

/*
 * Writes the footer below a table, details if the session shows them, and
 * hints. Writes nothing if the session is quiet.
 */
void text_summary(FILE *out, struct session *session);

/* Writes the details, one fact a line. */
void text_details(FILE *out, struct session *session);

/* Writes the summary's lines about moments and regions. */
void text_marks_summary(FILE *out, const struct session *session);

/*
 * Writes "6 of 7 functions hooked; 1 refused" without a newline. `hooked`
 * replaces the word "hooked".
 */
void text_coverage(FILE *out, const struct coverage *coverage,
		   const char *hooked);

#endif
