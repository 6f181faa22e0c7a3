/* SPDX-License-Identifier: MIT */
#include "preload/earlier_frames.h"

#include "disasm/function_code.h"
#include "preload/host/next.h"
#include "preload/host/thread_template.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/upcalls.h"
#include "preload/patch/patches.h"
#include "preload/stack/heal.h"
#include "preload/stubs/stub_template.h"
#include "preload/sys/sys.h"
#include "wire/id.h"
#include "wire/verdict.h"

static const struct patch_site *site_at(uint64_t pc)
{
	const struct patch_site *site = NULL;

	for (const struct patch *p = rt.patches->first; p && !site; p = p->next)
		if (p->is_written)
			site = patch_find(p, pc);
	return site && verdict_class(site->verdict) == VERDICT_HOOKED ? site
								      : NULL;
}

/* Nothing of the function precedes its site but such a mark. */
static const struct patch_site *site_of(uint64_t function)
{
	const struct patch_site *site = site_at(function);

	return site ? site : site_at(function + FUNCTION_MARK_BYTES);
}

/* What has been interrupted at its entry is about to be called. */
static int is_under_way(const struct wire_frame *frame,
			const struct patch_site *site)
{
	uint64_t word;

	return (!frame->pc || frame->pc > site->text.pc) && !frame->is_kept &&
	       native_find(frame->word) && frame->at % 8 == 0 &&
	       !sys_read_memory(frame->at, &word, sizeof(word)) &&
	       word == frame->word;
}

/* The id of the function, called by that with this one. */
static uint64_t enter(struct wire_frame *frame, uint64_t caller)
{
	const struct patch_site *site = site_of(frame->function);
	const uint64_t at = frame->at;
	uint64_t id;

	if (!site || !is_under_way(frame, site) ||
	    (!shadow_of(at) && hot_map_shadow(at))) {
		frame->at = 0;
		return caller;
	}
	id = id_push(caller, id_key(site->function));
	*shadow_of(at) = (struct shadow_slot){ frame->word, caller };
	sink_resume_call(at, id);
	frame->word =
		site->stub + (at >= hot_shadow_low
				      ? STUB_EXIT_AT
				      : stub_template()->exit_elsewhere_at);
	return id;
}

static int is_unwinder(uint64_t pc)
{
	return next_is_inside(&next.unwinder, pc) || heal_is_watched(pc);
}

/*
 * An unwinder that is under way has found some frames and not others, and would
 * not know again where it wanted to land.
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
	while (i-- > 0)
		id = enter(&frames[i], id);
	frames[thread->frame_count] = (struct wire_frame){
		.at = (uintptr_t)&thread_template_of(thread->block)->id,
		.word = id,
	};
	return 1;
}
