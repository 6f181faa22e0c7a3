/* SPDX-License-Identifier: MIT */
/*
 * Is the id right? The confidence statistics.
 *
 * Now and then a call is checked against the thread's whole stack. The shadow
 * slots on the way out hold the caller's id of each frame that is running, so
 * each step is proved by arithmetic: from the id below and the caller's id in
 * a slot follows a key, and only a slot of this very chain yields the key of
 * a function that exists (one in 2^45 others would). Stale slots between live
 * frames thus do not confuse the walk.
 *
 * The chain must end at the root of the thread, and every context on it must
 * have been recorded for the function that is really there. Otherwise two
 * contexts share an id (a collision), or id and stack have gone different
 * ways (a divergence).
 */
#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "wire/id.h"

#define FRAMES_MAX 100000
#define SCAN_MAX   (8 << 20) /* stack slots looked at in all: 64 MiB */
#define STACK_END  UINT64_C(0x7fffffffe000)

enum outcome { VERIFIED, PARTIAL, COLLISION, DIVERGED };

struct walk {
	uint64_t at; /* stack slot */
	uint64_t id; /* of the frame whose slot is at, or further out */
	uint32_t scan_left;
};

/* The function whose call left this slot, if the slot belongs to the chain. */
static int is_link(const struct shadow_slot *shadow, uint64_t id,
		   uint32_t *function)
{
	return shadow->return_address &&
	       id_key_function(id_key_between(shadow->caller_id, id),
			       function) &&
	       *function && *function <= rt.function_count;
}

/* Go outwards to the slot of walk->id. */
static const struct shadow_slot *find_link(struct walk *walk,
					   uint32_t *function)
{
	for (; walk->at < STACK_END && walk->scan_left; walk->at += 8) {
		const struct shadow_slot *shadow = shadow_of(walk->at);

		walk->scan_left--;
		if (!shadow)
			return NULL;
		if (is_link(shadow, walk->id, function))
			return shadow;
	}
	return NULL;
}

/*
 * `mov $SYS_rt_sigreturn,%rax; syscall`: the frame was entered by a signal,
 * and what it interrupted may be on another stack. The kernel's frame above
 * the return address is { struct ucontext, ... }; rsp is in its registers.
 */
static int is_signal_return(uint64_t pc)
{
	static const unsigned char code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
					      0x00, 0x00, 0x0f, 0x05 };
	const unsigned char *at = (const unsigned char *)pc;

	for (unsigned int i = 0; i < sizeof(code); i++)
		if (at[i] != code[i])
			return 0;
	return 1;
}

static uint64_t interrupted_stack(uint64_t slot)
{
	/* ucontext_t: uc_mcontext at 40, its gregs[REG_RSP] at 15 * 8 */
	uint64_t rsp = *(const uint64_t *)(slot + 8 + 40 + 15 * 8);

	/* A stub may have been interrupted just after popping its slot. */
	return (rsp - 16) & ~UINT64_C(7);
}

static enum outcome verify(struct walk *walk)
{
	for (int frames = 0; frames < FRAMES_MAX; frames++) {
		const struct shadow_slot *shadow;
		uint32_t function;
		union note note;

		if (walk->id == ID_ROOT)
			return VERIFIED;
		note = tally_note(hot.tally, walk->id);
		if (!note.word || note.function == WIRE_FOLDED)
			return PARTIAL;
		shadow = find_link(walk, &function);
		if (!shadow)
			return walk->scan_left ? DIVERGED : PARTIAL;
		if (note.function != function)
			return COLLISION;
		walk->id = shadow->caller_id;
		walk->at = is_signal_return(shadow->return_address)
				   ? interrupted_stack(walk->at)
				   : walk->at + 8;
	}
	return PARTIAL;
}

void hot_verify_stack(const uint64_t *slot)
{
	struct walk walk = { .at = (uintptr_t)slot,
			     .id = hot.id,
			     .scan_left = SCAN_MAX };
	struct wire_tally *wire = hot.tally->wire;

	switch (verify(&walk)) {
	case VERIFIED:
		wire->verified++;
		break;
	case PARTIAL:
		wire->partial++;
		break;
	case COLLISION:
		wire->collisions++;
		break;
	case DIVERGED:
		wire->diverged++;
		break;
	}
}
