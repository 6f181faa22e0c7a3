/* SPDX-License-Identifier: MIT */
/* See code.h. */
#include "preload/patch/code.h"

#include <errno.h>
#include <stddef.h>

#include "preload/patch/journal.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

/* from <linux/membarrier.h>, since Linux 4.16 */
#define EXPEDITED_SYNC_CORE          (1 << 5)
#define REGISTER_EXPEDITED_SYNC_CORE (1 << 6)

/*
 * One method of writing code. Each function returns 0 or -errno, and is NULL if
 * there is nothing to do.
 */
struct code_way {
	int (*open)(struct code_writer *writer);
	int (*close)(struct code_writer *writer);
	int (*enter)(struct code_writer *writer); /* sets writer->bytes */
	int (*leave)(struct code_writer *writer);
	int (*barrier)(void);
};

static uint64_t page_of(uint64_t pc)
{
	return pc & ~(uint64_t)(PAGE_BYTES - 1);
}

static int write_in_place(struct code_writer *writer)
{
	writer->bytes = (volatile uint8_t *)writer->page;
	return 0;
}

/* ---- Method: writable instead of executable ---- */

/*
 * Returns whether memory that was writable may become executable. The kernel
 * may forbid it: by request of the process (prctl(PR_SET_MDWE)), by a system
 * call filter, or by a security module.
 */
static int can_be_unprotected(void)
{
	void *page = place_map(PAGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (sys_failed(page))
		return 0;
	err = sys_mprotect(page, PAGE_BYTES, PROT_READ | PROT_EXEC);
	sys_munmap(page, PAGE_BYTES);
	return !err;
}

static int protection_of(const ElfW(Phdr) * segment)
{
	return (segment->p_flags & PF_R ? PROT_READ : 0) |
	       (segment->p_flags & PF_W ? PROT_WRITE : 0) |
	       (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/*
 * Makes all executable segments of the module writable, or executable again.
 * Continues with the other segments after an error.
 */
static int protect_code(const struct module *module, int is_writable)
{
	int first_err = 0;

	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		const uint64_t pc = module->base + segment->p_vaddr;
		int err;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		err = sys_mprotect((void *)page_of(pc),
				   pc + segment->p_memsz - page_of(pc),
				   is_writable ? PROT_READ | PROT_WRITE
					       : protection_of(segment));
		if (err && !first_err)
			first_err = err;
	}
	return first_err;
}

static int unprotect_module(struct code_writer *writer)
{
	int err;

	if (!can_be_unprotected())
		return -EACCES;
	err = protect_code(writer->module, 1);
	if (err)
		protect_code(writer->module, 0);
	return err;
}

static int protect_module(struct code_writer *writer)
{
	return protect_code(writer->module, 0);
}

static const struct code_way unprotected = {
	.open = unprotect_module,
	.close = protect_module,
	.enter = write_in_place,
};

/* ---- Method: through the kernel ---- */

static int membarrier(int command)
{
	return (int)sys_call(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

static int synchronise(void)
{
	return membarrier(EXPEDITED_SYNC_CORE);
}

static int open_memory(struct code_writer *writer)
{
	writer->fd = proc_open_own("mem", O_RDWR);
	return writer->fd < 0 ? writer->fd : 0;
}

static int open_live_memory(struct code_writer *writer)
{
	int err = membarrier(REGISTER_EXPEDITED_SYNC_CORE);

	return err ? err : open_memory(writer);
}

static int close_memory(struct code_writer *writer)
{
	sys_close(writer->fd);
	return 0;
}

/* Reads or writes the page: call is SYS_pread64 or SYS_pwrite64. */
static int transfer(struct code_writer *writer, long call)
{
	long done = sys_call(call, writer->fd, (long)writer->copy, PAGE_BYTES,
			     (long)writer->page, 0, 0);

	if (done < 0)
		return (int)done;
	return done == PAGE_BYTES ? 0 : -EIO;
}

static int read_page(struct code_writer *writer)
{
	writer->bytes = writer->copy;
	return transfer(writer, SYS_pread64);
}

/*
 * Writes a page by one system call, because each call takes the lock of the
 * process's memory map. Bytes between the changed ones are rewritten unchanged.
 */
static int write_page(struct code_writer *writer)
{
	return transfer(writer, SYS_pwrite64);
}

static const struct code_way by_kernel = {
	.open = open_memory,
	.close = close_memory,
	.enter = read_page,
	.leave = write_page,
};

static const struct code_way by_kernel_live = {
	.open = open_live_memory,
	.close = close_memory,
	.enter = read_page,
	.leave = write_page,
	.barrier = synchronise,
};

/* ---- Method: writable and executable ---- */

static int protect_page(const struct code_writer *writer, int protection)
{
	return sys_mprotect((void *)writer->page, PAGE_BYTES, protection);
}

/* Returns -EACCES and not -EPERM, which means a tracer to callers. */
static int unseal_page(struct code_writer *writer)
{
	int err;

	write_in_place(writer);
	err = protect_page(writer, PROT_READ | PROT_WRITE | PROT_EXEC);
	return err == -EPERM ? -EACCES : err;
}

static int seal_page(struct code_writer *writer)
{
	return protect_page(writer, PROT_READ | PROT_EXEC);
}

static const struct code_way unsealed = {
	.enter = unseal_page,
	.leave = seal_page,
};

/* ---- Method: from outside ---- */

/* The journal records the bytes; the controller writes them. */
static const struct code_way from_outside = { 0 };

/* ---- The writer ---- */

static int make(int (*step)(struct code_writer *), struct code_writer *writer)
{
	return step ? step(writer) : 0;
}

int code_open(struct code_writer *writer, enum code_use use,
	      const struct module *module)
{
	static const struct code_way *const ways[][2] = {
		[CODE_IS_IDLE] = { &unprotected, &by_kernel },
		[CODE_IS_LIVE] = { &by_kernel_live },
		[CODE_IS_BOTH] = { &unsealed },
	};
	int err = -EINVAL;

	writer->module = module;
	writer->page = 0;
	writer->is_noted = use == CODE_IS_IDLE;
	if (writer->is_noted && journal_is_deferring()) {
		writer->way = &from_outside;
		return 0;
	}
	for (int i = 0; i < 2 && err && ways[use][i]; i++) {
		writer->way = ways[use][i];
		err = make(writer->way->open, writer);
	}
	return err;
}

int code_close(struct code_writer *writer)
{
	return make(writer->way->close, writer);
}

/* Finishes the page, even if it returns an error. */
static int end_page(struct code_writer *writer)
{
	int err = writer->page ? make(writer->way->leave, writer) : 0;

	writer->page = 0;
	return err;
}

static int turn_to(struct code_writer *writer, uint64_t page)
{
	int err;

	if (page == writer->page)
		return 0;
	err = end_page(writer);
	if (err)
		return err;
	writer->page = page;
	err = writer->way->enter(writer);
	if (err)
		writer->page = 0;
	return err;
}

int code_write(struct code_writer *writer, uint64_t pc, const uint8_t *bytes,
	       uint64_t count)
{
	int noted = writer->is_noted ? journal_note(pc, bytes, count, 0) : 0;

	if (noted || writer->way == &from_outside)
		return noted;
	for (uint64_t i = 0; i < count; i++) {
		int err = turn_to(writer, page_of(pc + i));

		if (err)
			return err;
		writer->bytes[pc + i - writer->page] = bytes[i];
	}
	return 0;
}

int code_barrier(struct code_writer *writer)
{
	int err = end_page(writer);

	return err || !writer->way->barrier ? err : writer->way->barrier();
}
