/* SPDX-License-Identifier: MIT */
/*
 * --budget: clew's own cost stays below a share of the program's CPU time, because
 * functions whose calls cost most for what they tell are unhooked while the program
 * runs, and hooked again when that can be afforded.
 *
 * Clew's own thread (time/watch.h) decides, from inside, so that it works for all
 * processes alike, whoever started them. At each look, some twenty times a second,
 * it compares what the calls since the last one have cost, as calibrated, with the
 * CPU time of the process. Where that is too much, functions are left out until
 * what remains would take 40 % of the budget: first those that cost most for each
 * context right below theirs, which are leaves. Whether they are still called as
 * often nobody can count; so all of them are hooked again for 5 to 20 ms now and then,
 * as seldom as costs a tenth of the budget, and stay so if the budget allows it.
 *
 * The recording has a record of each function that was ever left out
 * (struct wire_left_out): what is counted of it are fewer calls than were made.
 */
#ifndef CLEW_BUDGET_BUDGET_H
#define CLEW_BUDGET_BUDGET_H

/*
 * Begin, where there is a budget. Before the program runs, or before it counts again;
 * what is hooked is all hooked then.
 */
void budget_start(void);

/* The process is about to end: how much CPU time nobody has looked at yet. */
void budget_note_end(void);

/* Nothing is left out any more, in the recording. Clew's own thread has ended. */
void budget_end(void);

#endif
