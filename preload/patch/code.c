/* SPDX-License-Identifier: MIT */
#include "preload/patch/code.h"

#include "preload/sys/sys.h"

/* <linux/membarrier.h>, since Linux 4.16 */
#define EXPEDITED_SYNC_CORE          (1 << 5)
#define REGISTER_EXPEDITED_SYNC_CORE (1 << 6)

static int membarrier(int command)
{
	return (int)sys_call(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

int code_open(struct code_writer *writer)
{
	int err = membarrier(REGISTER_EXPEDITED_SYNC_CORE);

	if (err)
		return err;
	writer->page = 0;
	writer->fd = sys_open("/proc/self/mem", O_RDWR | O_CLOEXEC, 0);
	return writer->fd < 0 ? writer->fd : 0;
}

void code_close(struct code_writer *writer)
{
	sys_close(writer->fd);
}

/* SYS_pread64 or SYS_pwrite64 the page. */
static int transfer(struct code_writer *writer, long call)
{
	long done = sys_call(call, writer->fd, (long)writer->bytes,
			     CODE_PAGE_BYTES, (long)writer->page, 0, 0);

	if (done < 0)
		return (int)done;
	return done == CODE_PAGE_BYTES ? 0 : -EIO;
}

static int flush(struct code_writer *writer)
{
	int err = writer->page ? transfer(writer, SYS_pwrite64) : 0;

	writer->page = 0;
	return err;
}

static int turn_to(struct code_writer *writer, uint64_t page)
{
	int err;

	if (page == writer->page)
		return 0;
	err = flush(writer);
	if (err)
		return err;
	writer->page = page;
	err = transfer(writer, SYS_pread64);
	if (err)
		writer->page = 0;
	return err;
}

int code_write(struct code_writer *writer, uint64_t pc, const uint8_t *bytes,
	       uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = (pc + i) % CODE_PAGE_BYTES;
		int err = turn_to(writer, pc + i - at);

		if (err)
			return err;
		writer->bytes[at] = bytes[i];
	}
	return 0;
}

int code_barrier(struct code_writer *writer)
{
	int err = flush(writer);

	return err ? err : membarrier(EXPEDITED_SYNC_CORE);
}

int code_can_be_unprotected(void)
{
	void *page = place_map(CODE_PAGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (sys_failed(page))
		return 0;
	err = sys_mprotect(page, CODE_PAGE_BYTES, PROT_READ | PROT_EXEC);
	sys_munmap(page, CODE_PAGE_BYTES);
	return !err;
}
