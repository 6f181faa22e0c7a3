/* SPDX-License-Identifier: MIT */
#include "preload/walk.h"

#include "preload/hot/runtime.h"
#include "preload/sys.h"
#include "wire/id.h"

#define SCAN_MAX  (8 << 20) /* stack slots looked at in all: 64 MiB */
#define GAP_MAX   (1 << 17) /* between two hooked functions: 1 MiB */
#define STACK_END UINT64_C(0x7fffffffe000)

struct walk walk_from(const void *slot, uint64_t id)
{
	return (struct walk){ .at = (uintptr_t)slot & ~UINT64_C(7),
			      .id = id,
			      .scan_left = SCAN_MAX };
}

/*
 * A stack that was here may be gone, and a guard page be in its place: the
 * kernel is asked to read, with a request that it refuses. Once for each page.
 */
static int is_readable(uint64_t address, uint64_t *known_page)
{
	uint64_t page = address & ~UINT64_C(4095);
	const int no_such_way = -1;

	if (page == *known_page)
		return 1;
	if (sys_call(SYS_rt_sigprocmask, no_such_way, (long)page, 0, 8, 0, 0) ==
	    -EFAULT)
		return 0;
	*known_page = page;
	return 1;
}

int walk_is_live(uint64_t at, uint64_t *mapped_page)
{
	return is_readable(at, mapped_page) &&
	       runtime_is_stub(*(const uint64_t *)at);
}

static int is_link(const struct shadow_slot *shadow, uint64_t id,
		   uint32_t *function)
{
	return shadow->return_address &&
	       id_key_function(id_key_between(shadow->caller_id, id),
			       function) &&
	       *function && *function <= rt.function_count;
}

/*
 * `mov $SYS_rt_sigreturn,%rax; syscall`: the function was entered by a signal,
 * and what it interrupted may be on another stack.
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

/* Where the interrupted function's slot may begin; the kernel's frame above
 * the return address is { struct ucontext, ... }. */
static uint64_t interrupted_stack(uint64_t slot)
{
	/* ucontext_t: uc_mcontext at 40, its gregs[REG_RSP] at 15 * 8 */
	uint64_t rsp = *(const uint64_t *)(slot + 8 + 40 + 15 * 8);

	/* A stub may have been interrupted just after popping its slot. */
	return (rsp - 16) & ~UINT64_C(7);
}

int walk_next(struct walk *walk, struct link *link)
{
	if (walk->id == ID_ROOT)
		return 0;
	walk->gap_left = walk->scan_left < GAP_MAX ? walk->scan_left : GAP_MAX;
	for (; walk->at < STACK_END && walk->gap_left; walk->at += 8) {
		struct shadow_slot *shadow = shadow_of(walk->at);

		walk->scan_left--;
		walk->gap_left--;
		if (!shadow)
			return 0;
		if (!is_link(shadow, walk->id, &link->function) ||
		    !walk_is_live(walk->at, &walk->mapped_page))
			continue;
		link->at = walk->at;
		link->shadow = shadow;
		walk->id = shadow->caller_id;
		walk->at = is_signal_return(shadow->return_address)
				   ? interrupted_stack(walk->at)
				   : walk->at + 8;
		return 1;
	}
	return 0;
}
