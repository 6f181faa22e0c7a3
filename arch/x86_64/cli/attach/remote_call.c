/* SPDX-License-Identifier: MIT */
/* See cli/attach/remote_call.h. */
#include "cli/attach/remote_call.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/attach/restarted_call.h"
#include "cli/target/target.h"

#define RED_ZONE    128
#define VECTORS_MAX 65536

/* mov $15, %rax; syscall */
const unsigned char remote_restorer_code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
					       0x00, 0x00, 0x0f, 0x05 };
const size_t remote_restorer_bytes = sizeof(remote_restorer_code);

/* The kernel's signal frame (asm/sigcontext.h). */
struct kernel_frame {
	uint64_t restorer;
	uint64_t flags, link;
	uint64_t alternate_stack[3];
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2;
	uint64_t state;
	uint64_t reserved[8];
	uint64_t signals;
};
_Static_assert(sizeof(struct kernel_frame) == 312, "the kernel's");

#define FLAG_HAS_STATE   1
#define FLAG_HAS_SS      2
#define FLAG_RESTORES_SS 4

/* The kernel's notes in the reserved bytes of the vector state. */
struct state_notes {
	uint32_t magic, extended_bytes;
	uint64_t features;
	uint32_t bytes;
	uint32_t padding[7];
};
#define STATE_NOTES_AT  464
#define STATE_MAGIC     0x46505853
#define STATE_END_MAGIC 0x46505845

/* ---- State of the thread ---- */

static int save(struct remote_call *call)
{
	struct iovec vectors = { .iov_len = VECTORS_MAX };
	const pid_t tid = call->thread->tid;

	call->vectors = memory_zeroed(1, VECTORS_MAX);
	vectors.iov_base = call->vectors;
	if (ptrace(PTRACE_GETREGSET, tid, (long)NT_X86_XSTATE, &vectors) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, tid, (long)sizeof(call->signals),
		   &call->signals) != 0)
		return -errno;
	call->vector_bytes = vectors.iov_len;
	return 0;
}

/*
 * Restores the registers last: until then the thread would restore itself from
 * the signal frame.
 */
static void restore(struct remote_call *call)
{
	struct iovec vectors = { .iov_base = call->vectors,
				 .iov_len = call->vector_bytes };
	const pid_t tid = call->thread->tid;

	ptrace(PTRACE_SETSIGMASK, tid, (long)sizeof(call->signals),
	       &call->signals);
	ptrace(PTRACE_SETREGSET, tid, (long)NT_X86_XSTATE, &vectors);
	ptrace(PTRACE_SETREGS, tid, 0, &call->thread->registers);
}

static void put_registers(struct kernel_frame *frame,
			  const struct user_regs_struct *from)
{
	frame->r8 = from->r8;
	frame->r9 = from->r9;
	frame->r10 = from->r10;
	frame->r11 = from->r11;
	frame->r12 = from->r12;
	frame->r13 = from->r13;
	frame->r14 = from->r14;
	frame->r15 = from->r15;
	frame->rdi = from->rdi;
	frame->rsi = from->rsi;
	frame->rbp = from->rbp;
	frame->rbx = from->rbx;
	frame->rdx = from->rdx;
	frame->rax = from->rax;
	frame->rcx = from->rcx;
	frame->rsp = from->rsp;
	frame->rip = from->rip;
	frame->eflags = from->eflags;
	frame->cs = (uint16_t)from->cs;
	frame->ss = (uint16_t)from->ss;
}

/* Writes the vector state with the marks that make it valid. */
static int put_state(const struct remote_call *call)
{
	const uint32_t end = STATE_END_MAGIC;
	struct state_notes notes = {
		.magic = STATE_MAGIC,
		.extended_bytes = (uint32_t)(call->vector_bytes + sizeof(end)),
		.bytes = (uint32_t)call->vector_bytes,
	};
	unsigned char *copy = memory_zeroed(1, call->vector_bytes);
	int err;

	memcpy(copy, call->vectors, call->vector_bytes);
	memcpy(&notes.features, copy + STATE_NOTES_AT, sizeof(notes.features));
	memcpy(copy + STATE_NOTES_AT, &notes, sizeof(notes));
	err = target_write(call->tracer->memory, call->state, copy,
			   call->vector_bytes);
	if (!err)
		err = target_write(call->tracer->memory,
				   call->state + call->vector_bytes, &end,
				   sizeof(end));
	free(copy);
	return err;
}

/*
 * Writes a signal frame by which the thread continues by itself and restarts
 * its system call. The call restarts with its full time: the kernel loses the
 * remaining time when a signal frame is removed.
 */
static int put_frame(const struct remote_call *call)
{
	const struct user_regs_struct from =
		restarted_call(&call->thread->registers);
	struct kernel_frame frame = {
		.restorer = call->restorer,
		.flags = FLAG_HAS_STATE | FLAG_HAS_SS | FLAG_RESTORES_SS,
		.state = call->state,
		.signals = call->signals,
	};

	put_registers(&frame, &from);
	return target_write(call->tracer->memory, call->frame, &frame,
			    sizeof(frame));
}

/* ---- Calls ---- */

/*
 * Signals of a crash. These stay unblocked, because the kernel resets the
 * action of such a signal and kills the process if the signal is raised while
 * blocked.
 */
static const uint64_t raised =
	UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGTRAP - 1) |
	UINT64_C(1) << (SIGBUS - 1) | UINT64_C(1) << (SIGILL - 1) |
	UINT64_C(1) << (SIGFPE - 1);

static int is_raised(int signal)
{
	return raised >> (signal - 1) & 1;
}

/* Blocks all other signals. */
static int block_signals(const struct remote_call *call)
{
	const uint64_t blocked = ~raised;

	return ptrace(PTRACE_SETSIGMASK, call->thread->tid,
		      (long)sizeof(blocked), &blocked) != 0
		       ? -errno
		       : 0;
}

static int set_call(const struct remote_call *call, uint64_t function,
		    const uint64_t *arguments)
{
	struct user_regs_struct registers = call->thread->registers;
	registers.rip = function;
	registers.rsp = call->frame;
	registers.rbp = 0;
	registers.rdi = arguments[0];
	registers.rsi = arguments[1];
	registers.rax = 0;
	registers.orig_rax = (uint64_t)-1;
	registers.eflags = 0x202;
	if (put_state(call) != 0 || put_frame(call) != 0)
		return -EFAULT;
	/*
	 * The registers are set first. From then on the thread restores its own
	 * mask from the frame, if the controller dies.
	 */
	if (ptrace(PTRACE_SETREGS, call->thread->tid, 0, &registers) != 0)
		return -errno;
	return block_signals(call);
}

static uint64_t peek(const struct remote_call *call, size_t offset)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, call->thread->tid,
				(long)offset, 0);
}

#define PEEK(call, name) peek(call, offsetof(struct user_regs_struct, name))

/*
 * Waits for the thread's next stop. Returns the wait status, or 0 if the thread
 * has exited or did not stop before the deadline.
 */
static int wait_for(struct remote_call *call, uint64_t deadline_ns)
{
	int status;

	while (!call->thread->is_gone) {
		pid_t got =
			waitpid(call->thread->tid, &status, __WALL | WNOHANG);

		if (got < 0 || (got > 0 && !WIFSTOPPED(status))) {
			call->thread->is_gone = 1;
			return 0;
		}
		if (got > 0)
			return status;
		if (!tracer_await_news(call->tracer, deadline_ns))
			return 0;
	}
	return 0;
}

/* Notes a SIGSTOP, which cannot be blocked, to send it again later. */
static void note_stop(struct remote_call *call, int status)
{
	if (!(status >> 16) && WSTOPSIG(status) == SIGSTOP)
		call->is_to_stop = 1;
}

/* Stops the thread before it removes the frame, as it was stopped at first. */
static int stop_at_end(struct remote_call *call)
{
	struct user_regs_struct registers;
	const pid_t tid = call->thread->tid;
	int status;

	if (ptrace(PTRACE_GETREGS, tid, 0, &registers) != 0)
		return -ESRCH;
	/*
	 * Instead of this sigreturn, the thread makes a call without effect,
	 * which a filter lets through. It repeats the sigreturn if it
	 * continues.
	 */
	registers.orig_rax = SYS_getpid;
	registers.rip = call->restorer;
	ptrace(PTRACE_SETREGS, tid, 0, &registers);
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	ptrace(PTRACE_CONT, tid, 0, 0);
	do {
		status = wait_for(call, tracer_now_ns() + 5000000000);
		if (!status)
			return -ESRCH;
		if (status >> 16 == PTRACE_EVENT_STOP)
			return 0;
		note_stop(call, status);
		ptrace(PTRACE_CONT, tid, 0, 0);
	} while (1);
}

/*
 * Stops waiting for the call. The thread may hold locks, so it must return by
 * itself.
 */
static void abandon(struct remote_call *call)
{
	call->thread->is_gone = 1;
	call->tracer->is_stuck = 1;
}

static int is_caught(const struct remote_call *call, int signal)
{
	const int64_t caught = target_status(call->tracer->pid, "SigCgt", 16);

	return caught > 0 && (uint64_t)caught >> (signal - 1) & 1;
}

/*
 * Returns the signal to deliver to the thread, or 0 if the call must be given
 * up, because the signal is a crash. A signal that should stay blocked arrives
 * if the called function changes the mask, from which clew's own signals are
 * removed (front/signals.c). hand_on() then blocks the signals again, so the
 * kernel keeps the signal pending until the call is over. A SIGTRAP is no crash
 * if the process has a handler for it: code with a probe, and functions that
 * --budget has left out, contain breakpoints.
 */
static int hand_on(const struct remote_call *call, int signal)
{
	if (!is_raised(signal))
		return block_signals(call) ? 0 : signal;
	return signal == SIGTRAP && is_caught(call, signal) ? signal : 0;
}

static int is_at_end(const struct remote_call *call)
{
	return PEEK(call, orig_rax) == SYS_rt_sigreturn &&
	       PEEK(call, rip) == call->restorer + remote_restorer_bytes;
}

int remote_run(struct remote_call *call, uint64_t function,
	       const uint64_t arguments[REMOTE_ARGUMENTS], uint64_t patience_ns)
{
	const uint64_t deadline_ns = tracer_now_ns() + patience_ns;
	int err = set_call(call, function, arguments), status, signal = 0;

	while (!err) {
		ptrace(PTRACE_SYSCALL, call->thread->tid, 0, signal);
		signal = 0;
		status = wait_for(call, deadline_ns);
		if (!status && call->thread->is_gone)
			return -ESRCH;
		if (!status) {
			abandon(call);
			return -ETIMEDOUT;
		}
		note_stop(call, status);
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			if (is_at_end(call))
				return stop_at_end(call);
		} else if (!(status >> 16) && WSTOPSIG(status) != SIGSTOP) {
			signal = hand_on(call, WSTOPSIG(status));
			if (!signal)
				err = -EFAULT;
		}
	}
	return err;
}

/* ---- Beginning and end ---- */

int remote_begin(struct remote_call *call, const void *data, size_t bytes)
{
	const uint64_t top = call->thread->registers.rsp - RED_ZONE;
	int err = save(call);

	if (!err &&
	    call->vector_bytes + bytes + 2048 > REMOTE_STACK_BYTES + bytes)
		err = -E2BIG;
	call->data = (top - bytes) & ~UINT64_C(63);
	call->state = (call->data - call->vector_bytes - sizeof(uint32_t)) &
		      ~UINT64_C(63);
	call->frame = ((call->state - sizeof(struct kernel_frame) - 256) &
		       ~UINT64_C(15)) -
		      8;
	if (!err)
		err = target_write(call->tracer->memory, call->data, data,
				   bytes);
	if (!err)
		err = target_read(call->tracer->memory, call->errno_at,
				  &call->saved_errno,
				  sizeof(call->saved_errno));
	if (err)
		restore(call);
	if (err)
		free(call->vectors);
	return err;
}

void remote_end(struct remote_call *call)
{
	if (!call->thread->is_gone) {
		target_write(call->tracer->memory, call->errno_at,
			     &call->saved_errno, sizeof(call->saved_errno));
		restore(call);
		if (call->is_to_stop) /* Delivered when it continues. */
			syscall(SYS_tgkill, call->tracer->pid,
				call->thread->tid, SIGSTOP);
	}
	free(call->vectors);
}
