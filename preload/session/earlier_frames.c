/* SPDX-License-Identifier: MIT */
/* See earlier_frames.h. */
#include "preload/session/earlier_frames.h"

#include "disasm/function_code.h"
#include "preload/host/next.h"
#include "preload/host/thread_template.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/upcalls.h"
#include "preload/lookup/patches.h"
#include "preload/stack/heal.h"
#include "preload/stubs/stub_template.h"
#include "preload/sys/sys.h"
#include "wire/id.h"
#include "wire/verdict.h"

static const struct patch_site *site_at(uint64_t pc, uint64_t *base)
{
	const struct patch_site *site = NULL;

	for (const struct patch *p = rt.patches->first; p && !site;
	     p = p->next) {
		*base = p->base;
		if (p->is_written)
			site = patch_find(p, pc);
	}
	return site && verdict_class(site->verdict) == VERDICT_HOOKED ? site
								      : NULL;
}

/*
 * Returns the hook of the function with this entry address, or NULL. The hook
 * is at the entry, or behind an endbr64 instruction there. Sets *base to the
 * address to which the hook's addresses are relative.
 */
static const struct patch_site *site_of(uint64_t function, uint64_t *base)
{
	const struct patch_site *site = site_at(function, base);

	return site ? site : site_at(function + FUNCTION_MARK_BYTES, base);
}

/*
 * The stack page that was read last. Most frames are on the same page, and
 * every system call that is saved matters: a tracer may stop the thread twice
 * at each.
 */
struct stack_page {
	int pid;
	uint64_t at; /* address of the page that was read, or 0 */
	uint64_t words[PAGE_BYTES / 8];
};

/*
 * Returns the word at address `at`, or 0 if nothing is mapped there. 0 cannot
 * be confused with a return address.
 */
static uint64_t word_at(struct stack_page *page, uint64_t at)
{
	const uint64_t wanted = at & ~(PAGE_BYTES - 1);

	if (page->at != wanted &&
	    sys_read_memory_of(page->pid, wanted, page->words, PAGE_BYTES)) {
		page->at = 0;
		return 0;
	}
	page->at = wanted;
	return page->words[(at - wanted) / 8];
}

/*
 * Returns whether the frame's function is active behind its hook. If a thread
 * was stopped at the entry, before the hook, the function will execute the hook
 * and be counted by it.
 */
static int is_under_way(struct stack_page *page, const struct wire_frame *frame,
			uint64_t site_pc)
{
	return (!frame->pc || frame->pc > site_pc) && !frame->is_kept &&
	       native_find(frame->word) && frame->at % 8 == 0 &&
	       word_at(page, frame->at) == frame->word;
}

/*
 * Turns the frame into a call by a stub, made in context `caller`. Returns the
 * id of the function's context, or `caller` if the frame stays as it is, for
 * example because the function is not hooked.
 */
static uint64_t enter(struct stack_page *page, struct wire_frame *frame,
		      uint64_t caller)
{
	uint64_t base;
	const struct patch_site *site = site_of(frame->function, &base);
	const uint64_t at = frame->at;
	uint64_t id;

	if (!site || !is_under_way(page, frame, base + site->text.pc) ||
	    (!shadow_of(at) && hot_map_shadow(at))) {
		frame->at = 0;
		return caller;
	}
	id = id_push(caller, id_key(site->function));
	frame->number = site->function;
	*shadow_of(at) = (struct shadow_slot){ frame->word, caller };
	sink_resume_call(at, id);
	frame->word =
		base + site->stub +
		(at >= hot_shadow_low ? STUB_EXIT_AT
				      : stub_template()->exit_elsewhere_at);
	return id;
}

static int is_unwinder(uint64_t pc)
{
	return next_is_inside(&next.unwinder, pc) || heal_is_watched(pc);
}

/*
 * Returns whether one of the frames belongs to the unwinder of exceptions. The
 * unwinder has already read some return addresses, and would not find its
 * destination again if others were replaced.
 */
static int is_in_unwinder(const struct wire_stopped *thread,
			  const struct wire_frame *frames)
{
	int is_in = is_unwinder(thread->pc);

	for (uint32_t i = 0; i < thread->frame_count && !is_in; i++)
		is_in = is_unwinder(frames[i].word);
	return is_in;
}

int earlier_frames_enter(const struct wire_stopped *thread,
			 struct wire_frame *frames)
{
	struct stack_page page;
	uint64_t id = ID_ROOT;
	uint32_t i = thread->frame_count;

	if (!thread->is_unwound)
		return 0;
	frames += thread->first_frame;
	if (is_in_unwinder(thread, frames)) {
		while (i-- > 0)
			frames[i].at = 0;
		frames[thread->frame_count].at = 0;
		return 0;
	}
	page.pid = sys_getpid();
	page.at = 0;
	while (i-- > 0)
		id = enter(&page, &frames[i], id);
	frames[thread->frame_count] = (struct wire_frame){
		.at = (uintptr_t)&thread_template_of(thread->block)->id,
		.word = id,
	};
	return 1;
}
