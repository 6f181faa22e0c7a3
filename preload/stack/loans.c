/* SPDX-License-Identifier: MIT */
/* See loans.h. */
#include "preload/stack/loans.h"

#include <stddef.h>
#include <unwind.h>

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/heal.h"
#include "preload/stack/landing_stacks.h"
#include "preload/stack/unwind_context.h"
#include "preload/stack/walk.h"
#include "wire/id.h"

/*
 * Maximum number of stack slots that are searched for functions whose return
 * addresses can be lent.
 */
#define SCAN_SLOTS 2048 /* 16 KiB */

/*
 * Returns whether another exception has loans and has not landed yet. It has
 * not if the present stack pointer is further in than the outermost of its
 * loans. An exception that never lands looks the same, so throws from further
 * in then get no loans.
 */
static int is_another_on_its_way(uint64_t exception, uint64_t sp)
{
	struct stack_range signals;

	if (!hot.loans.borrower || hot.loans.borrower == exception)
		return 0;
	signals = landing_signal_stack();
	return landing_is_inward(&signals, sp, hot.aside->lent.until);
}

static void forget(void)
{
	hot.loans.borrower = 0;
	hot.loans.filter = 0;
	hot.aside->lent.count = 0;
}

/*
 * Returns whether the slot has the address of the function's own stub.
 * Otherwise the function has no slot, or the slot has a trampoline or the stub
 * of a function that has made a tail call to this one. Such a stub may be freed
 * before its address is put back.
 */
static int is_plain(const struct link *link)
{
	uint64_t word;

	if (link->at == WALK_NO_SLOT)
		return 0;
	word = *(const uint64_t *)link->at;
	return runtime_is_stub(word) &&
	       runtime_stub_key(word) == id_key(link->function);
}

static void lend(const struct link *link)
{
	struct hot_lent *lent = &hot.aside->lent;
	uint64_t *slot = (uint64_t *)link->at;

	lent->of[lent->count] = (struct loan){ link->at, *slot };
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hot.loans.filter |= UINT64_C(1) << link->at / 8 % 64;
	lent->count++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*slot = link->shadow->return_address;
	lent->until = link->at;
}

static void lend_outwards(uint64_t exception, uint64_t sp)
{
	struct walk walk = walk_from((const void *)sp, hot.id);
	struct link link;

	forget();
	hot.loans.borrower = exception;
	hot.aside->lent.until = sp;
	walk.readable_until = (sp | (PAGE_BYTES - 1)) + 1;
	walk.scan_left = SCAN_SLOTS;
	while (hot.aside->lent.count < HOT_LOANS_MAX &&
	       walk_next(&walk, &link) && !walk.interrupted_until &&
	       is_plain(&link))
		lend(&link);
}

/*
 * Returns whether the thread has memory for loans, which is in its first tally.
 * In a process that clew has attached to, a thread may have called no hooked
 * function yet and have no tally.
 */
static int has_place(void)
{
	if (!hot.aside && rt.is_late)
		hot_make_room();
	return hot.aside != NULL;
}

void loans_make(uint64_t exception, uint64_t sp)
{
	struct sink_pause pause;

	if (!runtime_has_callers() || runtime_is_filtered() ||
	    is_another_on_its_way(exception, sp) || !has_place())
		return;
	pause = sink_pause();
	lend_outwards(exception, sp);
	sink_resume(&pause);
}

/*
 * The caller and the unwinder are in the same module. If no probe reports the
 * landings of this unwinder, loans would never end, so none are made.
 */
void loans_on_raise(const struct _Unwind_Exception *exception, uint64_t sp)
{
	if (heal_is_watched(*(const uint64_t *)sp))
		loans_make((uintptr_t)exception, sp);
}

/*
 * Puts the stub's address back into the slot, unless the slot has been
 * overwritten since.
 */
static void take_back(const struct loan *loan)
{
	const struct shadow_slot *shadow = shadow_of(loan->at);
	uint64_t *slot = (uint64_t *)loan->at;

	if (*slot == shadow->return_address)
		*slot = loan->word;
}

/*
 * Removes the loans of functions further in than the frame with this CFA, which
 * have ended. Their bits stay in the filter, which does no harm.
 */
static void drop_below(uint64_t cfa)
{
	struct hot_lent *lent = &hot.aside->lent;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lent->count; i++)
		if (lent->of[i].at >= cfa)
			lent->of[kept++] = lent->of[i];
	lent->count = kept;
}

static uint64_t handler_of(uint64_t exception)
{
	const struct _Unwind_Exception *thrown = (const void *)exception;

	return unwind_even_cfa(thrown->private_2);
}

/*
 * Returns whether the borrower lands in the frame whose callee has this CFA.
 * The personality routines of some languages do not show which exception lands,
 * and `exception` is then another value. In that case the exception that has
 * the loans may have been freed, so the function checks that its memory is
 * readable.
 */
static int is_handler(uint64_t exception, uint64_t cfa)
{
	const uint64_t note = hot.loans.borrower +
			      offsetof(struct _Unwind_Exception, private_2);
	uint64_t page = 0, handler;

	if (exception == hot.loans.borrower)
		return handler_of(exception) == cfa;
	return walk_read(note, &page, &handler) &&
	       unwind_even_cfa(handler) == cfa;
}

static void settle(uint64_t exception, uint64_t cfa)
{
	const int is_here = is_handler(exception, cfa);

	if (exception != hot.loans.borrower && !is_here)
		return;
	drop_below(cfa);
	if (!is_here) {
		hot.aside->lent.until = handler_of(exception);
		return;
	}
	for (uint32_t i = 0; i < hot.aside->lent.count; i++)
		take_back(&hot.aside->lent.of[i]);
	forget();
}

void loans_settle(uint64_t exception, uint64_t cfa)
{
	struct sink_pause pause = sink_pause();

	settle(exception, cfa);
	sink_resume(&pause);
}
