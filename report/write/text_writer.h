/* SPDX-License-Identifier: MIT */
/* The text format: one file a view. */
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
void text_marks(FILE *out, struct session *session);
void text_events(FILE *out, struct session *session);

/* What --java=exact or standby has done, a line of a report; nothing without it. */
void text_java_methods(FILE *out, const struct session *session);
/* How many of them are counted, and when, as a part of a sentence. */
void text_java_counted(FILE *out, const struct java_methods *methods,
		       int is_in_place);
void text_list(FILE *out, const struct list_view *view);

/* What clew itself took: lines of the summary. */
void text_self_cost(FILE *out, const struct session *session);

/*
 * A number of the table's main columns: time, or what an agent counted in its place
 * (session.value), and how wide such a column is.
 */
struct text_amount {
	char text[32];
};
struct text_amount text_amount(const struct session *session, uint64_t number);
int text_amount_width(const struct session *session);

/* One of the two, by what the locale's character set can show. */
const char *text_glyph(const char *utf8, const char *ascii);

struct text_change {
	uint64_t before, after;
	int was_there, is_there; /* if not, it is "new" or "gone" */
	int is_sure;             /* is significant */
};

/* Four columns: a number before, after, the change, and its percentage. */
void text_change(FILE *out, const struct session *session, enum metric metric,
		 const struct text_change *change);
void text_change_heading(FILE *out, const struct session *session,
			 enum metric metric);

enum text_style {
	STYLE_HEADING,
	STYLE_HOT,  /* much of all */
	STYLE_WARM, /* less, but still worth a look */
	STYLE_DIM,  /* beside the point */
	STYLE_MORE, /* than before */
	STYLE_LESS,
	STYLE_PLAIN,
};

/* Escape sequences, if `has_color`. */
void text_begin(FILE *out, int has_color, enum text_style style);
void text_end(FILE *out, int has_color, enum text_style style);

/* Of a share from 0 to 1. */
enum text_style text_heat(double share);

/* "  [module]", if it has one and is not one itself. */
void text_module(FILE *out, const struct session *session, uint32_t function);

/* Its name, and whether it is inlined. */
void text_function(FILE *out, struct session *session, uint32_t function);

/* Behind a function: "  file:line", if that is known and wanted. */
void text_place(FILE *out, struct session *session, uint32_t function);

/*
 * "1,234 bytes of code in a.so, b.so and 2 more modules are of no function that
 * is known: their calls are not counted"; free() it. NULL without such code.
 */
char *text_unknown_code(const struct catalog *catalog);

/*
 * Modules that could not be hooked although they should have been: "a.so and 2 more
 * modules (WHY)"; free() it. NULL if there are none.
 */
char *text_unhooked_modules(const struct catalog *catalog);

/* The same as a line, and one for each module that could not be hooked. */
void text_gaps(FILE *out, const struct catalog *catalog);

/* What to change in the use of JNI, a sentence a line; nothing if nothing is. */
void text_jni(FILE *out, struct session *session,
	      const struct selection *selection);

/* The footer below a table, with details if the session shows them, and hints. */
void text_summary(FILE *out, struct session *session);

/* The details: one fact a line. */
void text_details(FILE *out, struct session *session);

/* Its lines on what programs told of moments and regions. */
void text_marks_summary(FILE *out, const struct session *session);

/*
 * "6 of 7 functions hooked; 1 refused", without a newline; `hooked` is the word, or more words, that stand for it there.
 */
void text_coverage(FILE *out, const struct coverage *coverage,
		   const char *hooked);

#endif
