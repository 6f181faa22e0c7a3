/* SPDX-License-Identifier: MIT */
/*
 * --budget: keeps clew's own cost below a share of the program's CPU time.
 * Functions whose calls cost most in relation to their information are unhooked
 * while the program runs, and hooked again when the budget permits.
 *
 * clew's own thread (time/watch.h) decides inside the process, so it works for
 * all processes, however they were started. At each poll, about twenty times a
 * second, it compares the calibrated cost of the calls since the last poll with
 * the CPU time of the process. If the cost is too high, functions are unhooked
 * until the rest would take 40 % of the budget: first those with the highest
 * cost for each context directly below theirs, which are leaves. The calls of
 * unhooked functions cannot be counted. All of them are therefore hooked again
 * for 5 to 20 ms at times (a survey), as seldom as costs a tenth of the budget,
 * and stay hooked if the budget permits.
 *
 * The recording has a record of each function that was ever unhooked (struct
 * wire_left_out), whose counted calls are fewer than the real ones.
 */
#ifndef CLEW_BUDGET_BUDGET_H
#define CLEW_BUDGET_BUDGET_H

/*
 * Begins, if there is a budget. Called before the program runs, or before it
 * counts again; all functions are hooked then.
 */
void budget_start(void);

/* The process is about to end: records the CPU time since the last poll. */
void budget_note_end(void);

/*
 * Records that no function is unhooked any more. clew's own thread has ended.
 */
void budget_end(void);

#endif
