/* SPDX-License-Identifier: MIT */
/* The results of conditions as text, and as files for other tools. */
#ifndef CLEW_WRITE_GATE_TEXT_H
#define CLEW_WRITE_GATE_TEXT_H

#include "report/view/gate.h"
#include "report/write/writer.h"

/* Returns "passed", "undecided" or "failed". */
const char *gate_state_text(enum gate_state state);

/* Returns a value of this key with its unit; the caller frees it. */
char *gate_value(const struct session *session, enum diff_key key,
		 uint64_t value);

/*
 * Returns the change in percent: "+12.3%", or "from 0" for a change from 0;
 * free it.
 */
char *gate_percent(uint64_t before, uint64_t after);

/*
 * Returns the values of a result in one line: "20 before, 30 after (+50.0%)";
 * the caller frees it.
 */
char *gate_values(struct session *session, const struct gate_result *result);

/* Returns "passed: 3 conditions" and the like; the caller frees it. */
char *gate_summary(const struct gate *gate);

/*
 * Writes one line for each condition that failed or is undecided, and one line
 * if none failed.
 */
void text_gate(FILE *out, struct session *session, const struct gate *gate);

/* Writes a JUnit report: a test case for each condition. */
void junit_gate(FILE *out, struct session *session, const struct gate *gate);

/*
 * Writes the changes as a table in GitHub's Markdown, below a table of the
 * conditions, if there are any.
 */
void markdown_diff(FILE *out, struct session *session,
		   const struct diff_view *view);

#endif
