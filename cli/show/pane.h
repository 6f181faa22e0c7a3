/* SPDX-License-Identifier: MIT */
/*
 * The panes of `clew view`: each shows a recording as a list of rows. Rows and
 * headings are those of the text reports (report/write/text_rows.h).
 */
#ifndef CLEW_CLI_SHOW_PANE_H
#define CLEW_CLI_SHOW_PANE_H

#include "cli/common/options.h"
#include "cli/show/screen.h"
#include "report/code/source_files.h"
#include "report/view/session.h"

/* The recording and the state that all panes share. */
struct viewed {
	struct session *session;
	const struct view_options *options;
	struct source_files *sources;
	/* Changes when session->tree becomes another tree. */
	unsigned int tree_number;
	uint32_t function; /* the selected function, or FUNCTION_NONE */
	/*
	 * For each function, 1 if the search finds it. NULL without a search.
	 */
	uint8_t *matches;
	size_t match_room;    /* length of `matches` */
	const char *searched; /* the text of the search */
	char *message; /* a message that is shown until the next key, or NULL */
	/* for trees: whether shares refer to the caller and not to the total */
	int is_share_of_caller;
};

struct pane;

struct pane_kind {
	const char *name;
	const char *keys; /* the keys that the last line lists for this pane */
	/*
	 * Finds the rows. Called before the pane is drawn if is_stale is set.
	 */
	void (*update)(struct pane *pane);
	/* Chooses columns for the width of the screen. */
	void (*layout)(struct pane *pane);
	/*
	 * Returns the status line, with the order of the rows for example. The
	 * caller frees it.
	 */
	char *(*state)(struct pane *pane);
	void (*heading)(FILE *out, struct pane *pane);
	screen_write_row *row; /* called with the pane as its context */
	/* Returns the function of a row, or FUNCTION_NONE. */
	uint32_t (*function)(struct pane *pane, size_t row);
	/* Obeys a key. Returns 0 if the pane does not use it. */
	int (*key)(struct pane *pane, int key);
	/*
	 * Selects the next row, or the previous one, that the search finds.
	 * Returns 0 if there is none.
	 */
	int (*find)(struct pane *pane, int is_backward);
	/*
	 * Returns whether the search reads the rows as text. NULL: it always
	 * searches for functions.
	 */
	int (*is_text)(const struct pane *pane);
	/* Whether the pane shows viewed->function when it is opened. */
	int follows_function;
	void (*fini)(struct pane *pane);
};

/* The first member of each pane. */
struct pane {
	const struct pane_kind *kind;
	struct viewed *viewed;
	struct screen_list list;
	int is_stale;  /* whether update() is needed before the pane is drawn */
	int is_opened; /* whether the pane was opened since update() */
};

/* Create a pane, which kind->fini and free() destroy. */
struct pane *table_pane_create(struct viewed *viewed);
struct pane *tree_pane_create(struct viewed *viewed);
struct pane *butterfly_pane_create(struct viewed *viewed);
struct pane *annotate_pane_create(struct viewed *viewed);
struct pane *calls_pane_create(struct viewed *viewed);

/* The function pane_kind.find of panes whose rows are functions. */
int pane_find_function(struct pane *pane, int is_backward);

/* Returns whether the search finds the function. */
static inline int viewed_matches(const struct viewed *viewed, uint32_t function)
{
	return viewed->matches && function < viewed->match_room &&
	       viewed->matches[function];
}

/* Replaces the message, of which `viewed` becomes the owner. */
void viewed_say(struct viewed *viewed, char *message);

/* Shows a message at once, before work that may take long. */
void viewed_announce(const char *message);

#endif
