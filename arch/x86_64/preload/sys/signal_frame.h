/* SPDX-License-Identifier: MIT */
/*
 * The stack frame of a signal handler. The kernel stores the handler's return
 * address, which is that of a restorer (code that calls sigreturn), and above
 * it a struct ucontext. See setup_rt_frame() of Linux,
 * arch/x86/kernel/signal_64.c.
 */
#ifndef CLEW_SYS_SIGNAL_FRAME_H
#define CLEW_SYS_SIGNAL_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * A restorer is `mov $SYS_rt_sigreturn,%rax; syscall`; SIGNAL_FRAME_CALL_AT is
 * the call's offset.
 */
#define SIGNAL_FRAME_RESTORER_BYTES 9
#define SIGNAL_FRAME_CALL_AT        7

static inline int signal_frame_is_restorer(uint64_t pc)
{
	static const uint8_t restorer[SIGNAL_FRAME_RESTORER_BYTES] = {
		0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05
	};
	const uint8_t *code = (const uint8_t *)pc;

	for (unsigned int i = 0; i < sizeof(restorer); i++)
		if (code[i] != restorer[i])
			return 0;
	return 1;
}

static inline uint64_t signal_frame_pc(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline uint64_t signal_frame_stack(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

/*
 * Offsets in a struct ucontext. Code that copies single words of a frame,
 * because it may not be mapped, needs these.
 */
#define SIGNAL_FRAME_GREG_AT(number)                                           \
	(offsetof(ucontext_t, uc_mcontext.gregs) + sizeof(greg_t) * (number))
#define SIGNAL_FRAME_LINK_AT     offsetof(ucontext_t, uc_link)
#define SIGNAL_FRAME_SEGMENTS_AT SIGNAL_FRAME_GREG_AT(REG_CSGSFS)
#define SIGNAL_FRAME_STACK_AT    SIGNAL_FRAME_GREG_AT(REG_RSP)
#define SIGNAL_FRAME_PC_AT       SIGNAL_FRAME_GREG_AT(REG_RIP)

/*
 * The signal frame of a handler that has returned stays on the stack, where a
 * search may find it. Therefore clew's handlers mark their frames just before
 * they return, by a bit of the saved flags register (REG_EFL), which the kernel
 * stores as 0 and does not read.
 */
#define SIGNAL_FRAME_IS_OVER (UINT64_C(1) << 63)

/*
 * In signal_frame_end(), which calls nothing, the handler's stack pointer is at
 * most this many bytes below the ucontext.
 */
#define SIGNAL_FRAME_END_BYTES 256

static inline void signal_frame_end(ucontext_t *context)
{
	greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];

	*(volatile greg_t *)flags |= (greg_t)SIGNAL_FRAME_IS_OVER;
}

/*
 * Returns whether words of the stack look like a struct ucontext that the
 * kernel has written for a signal handler: uc_link is NULL, cs is that of user
 * space, and gs and fs are 0. `segments` is the word at
 * SIGNAL_FRAME_SEGMENTS_AT.
 */
static inline int signal_frame_is_context(uint64_t link, uint64_t segments)
{
	return !link && (segments & 3) == 3 && !(uint32_t)(segments >> 16);
}

#endif
