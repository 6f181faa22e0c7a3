/* SPDX-License-Identifier: MIT */
/* See attach_blocks.h. */
#include "cli/attach/attach_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/attach_steps.h"
#include "cli/attach/stopped_registers.h"
#include "cli/target/attachment_copy.h"
#include "machine/control_block.h"

/*
 * A symbol that is new in glibc 2.23. From this version on, the loader does not
 * save registers in the bytes of control blocks that the library uses.
 */
#define OF_FIRST_LIBC "fts64_open"

int attach_is_in_blocks(const struct wire_attachment *attachment)
{
	return attachment->variable_bytes &&
	       attachment->variables_at >= CONTROL_BLOCK_ROOM_AT &&
	       attachment->variables_at <
		       CONTROL_BLOCK_ROOM_AT + CONTROL_BLOCK_ROOM_BYTES;
}

uint64_t attach_makes_threads(const struct attaching *attaching)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, TARGET_LIBC);
	const struct target_mapping *libpthread =
		target_module(&attaching->maps, "libpthread.so.0");
	const uint64_t at =
		target_symbol(attaching->pid, libc, "pthread_create");

	return at || !libpthread ? at
				 : target_symbol(attaching->pid, libpthread,
						 "pthread_create");
}

/*
 * Returns the address of a stopped thread's control block, or 0 if the thread
 * has no control block of libc's.
 */
static uint64_t block_of(const struct tracer *tracer,
			 const struct tracee *thread)
{
	const uint64_t block = stopped_block(&thread->registers);
	uint64_t words[CONTROL_BLOCK_SELF_AT / sizeof(uint64_t) + 1];

	if (target_read(tracer->memory, block, words, sizeof(words)) != 0 ||
	    words[0] != block ||
	    words[CONTROL_BLOCK_SELF_AT / sizeof(uint64_t)] != block)
		return 0;
	return block;
}

static int stop_all(struct attaching *attaching, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
	int err;

	do {
		err = tracer_stop_all(&attaching->tracer, ATTACH_STOP_NS, why);
	} while (attach_is_to_be_repeated(err, deadline_ns, why));
	return err;
}

static void release_thread(struct attaching *attaching)
{
	attach_note_pause(&attaching->tracer, &attaching->all_ns);
	tracer_release(&attaching->tracer);
}

static int is_zero(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			return 0;
	return 1;
}

/* ---- Before loading ---- */

static int check(const struct tracer *tracer, const struct tracee *thread,
		 char **why)
{
	const uint64_t block = block_of(tracer, thread);
	uint8_t room[CONTROL_BLOCK_ROOM_BYTES];

	if (thread->is_gone)
		return 0;
	if (!block || target_read(tracer->memory, block + CONTROL_BLOCK_ROOM_AT,
				  room, sizeof(room)) != 0)
		return fail(why, -ENOTSUP,
			    "thread %d has no thread control block of glibc",
			    thread->tid);
	return is_zero(room, sizeof(room))
		       ? 0
		       : fail(why, -ENOTSUP,
			      "the free part of thread %d's control block is "
			      "already in use",
			      thread->tid);
}

int attach_check_blocks(struct attaching *attaching, char **why)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, TARGET_LIBC);
	struct tracer *tracer = &attaching->tracer;
	int err;

	if (!target_symbol(attaching->pid, libc, OF_FIRST_LIBC))
		return fail(why, -ENOTSUP,
			    "its glibc is older than 2.23, the first version "
			    "that leaves room in thread control blocks");
	err = stop_all(attaching, why);
	if (err)
		return err;
	for (size_t i = 0; i < tracer->count && !err; i++)
		err = check(tracer, &tracer->threads[i], why);
	release_thread(attaching);
	return err;
}

/* ---- After loading ---- */

/*
 * Writes the initial values of a thread's variables. Does nothing if the thread
 * has exited or has no control block of libc's, or if a variable is not 0: then
 * libc has already initialised the variables. Returns 0 or -errno.
 */
static int fill(const struct tracer *tracer, const struct tracee *thread,
		uint64_t at, const uint8_t *values, size_t bytes)
{
	const uint64_t block = thread->is_gone ? 0 : block_of(tracer, thread);
	uint8_t *found;
	int err;

	if (!block)
		return 0;
	found = memory_zeroed(bytes, 1);
	err = target_read(tracer->memory, block + at, found, bytes);
	if (!err && is_zero(found, bytes))
		err = target_write(tracer->memory, block + at, values, bytes);
	free(found);
	return err;
}

int attach_fill_blocks(struct attaching *attaching, char **why)
{
	struct tracer *tracer = &attaching->tracer;
	struct wire_attachment attachment;
	uint8_t *values;
	int err = attaching_read(attaching, &attachment, why);

	if (err || !attach_is_in_blocks(&attachment) ||
	    attachment.variable_bytes > CONTROL_BLOCK_ROOM_BYTES)
		return err;
	err = stop_all(attaching, why);
	if (err)
		return err;
	err = attachment_copy_variables(tracer->memory, &attachment, &values);
	for (size_t i = 0; i < tracer->count && !err; i++)
		err = fill(tracer, &tracer->threads[i], attachment.variables_at,
			   values, attachment.variable_bytes);
	release_thread(attaching);
	free(values);
	return err ? fail(why, err,
			  "its thread control blocks cannot be written: %s",
			  strerror(-err))
		   : 0;
}
