/* SPDX-License-Identifier: MIT */
/*
 * --budget: keeps clew's own cost below a share of the program's CPU time.
 * Functions whose calls cost most in relation to their information are unhooked
 * while the program runs, and hooked again when the budget permits.
 *
 * clew's own thread (time/watch.h) decides inside the process, so it works for
 * all processes, however they were started. At each poll, usually about twenty
 * times a second, it compares the calibrated cost of the calls since the last
 * poll with the CPU time of the process. If the cost is too high, functions are
 * unhooked until the rest would take 40 % of the budget: first those with the
 * highest cost in relation to the number of contexts directly below theirs,
 * which are mostly leaves. The calls of unhooked functions cannot be counted.
 * Therefore all of them are hooked again from time to time for 5 to 20 ms (a
 * survey), so seldom that surveys cost about a tenth of the budget, or up to
 * half of it in a young process. They stay hooked if the budget permits.
 *
 * The recording has a record (struct wire_left_out) for each function that was
 * ever unhooked, and whose counts are therefore too small.
 */
#ifndef CLEW_BUDGET_BUDGET_H
#define CLEW_BUDGET_BUDGET_H

/*
 * Begins to enforce the budget, if the configuration has one. Called before the
 * program runs, or when clew has attached; all functions are hooked at that
 * time.
 */
void budget_start(void);

/*
 * Records the CPU time since the last poll. Called when the recording is about
 * to end.
 */
void budget_note_end(void);

/*
 * Records that no function is unhooked any more. clew's own thread has ended.
 */
void budget_end(void);

#endif
