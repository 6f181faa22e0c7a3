/* SPDX-License-Identifier: MIT */
/*
 * Reads the frames of both compilers, which differ only in the first
 * instructions (MacroAssembler::verified_entry() and
 * C1_MacroAssembler::build_frame() in HotSpot's sources):
 *
 *	mov %eax, -N(%rsp)	once or more  |  sub $N, %rsp
 *	push %rbp			      |  mov %rbp, N-8(%rsp) <- entry
 *	[mov %rsp, %rbp]	  <- entry    |
 *	sub $N, %rsp			      |
 *	...
 *	add $N, %rsp
 *	pop %rbp		  <- exit
 */
#include "jvm/inplace/compiled_shape.h"

#include <errno.h>
#include <string.h>

#include "preload/sys/copy_bytes.h"

/* size of the jump that HotSpot writes at a method's entry */
#define OWN_JUMP_BYTES 5
/* maximum number of instructions from an exit to its return */
#define EPILOGUE_INSNS 6

struct shape_reading {
	const uint8_t *code;
	uint32_t bytes;
	/*
	 * Each has a bit for each byte of code. The bit is set in `targets` if
	 * the byte is a branch's target, and in `starts` if an instruction
	 * begins there.
	 */
	uint8_t *targets, *starts;
	uint32_t since_exit; /* number of instructions since the last exit */
	uint32_t frame_end;  /* end of the instructions that create the frame */
	struct compiled_shape *shape;
};

/* ---- Instructions, by their bytes ---- */

static int begins(const struct shape_reading *reading, uint32_t at,
		  const char *bytes, uint32_t count)
{
	return at + count <= reading->bytes &&
	       !memcmp(reading->code + at, bytes, count);
}

/*
 * Returns the length of the instruction at `at`, whose operand of 8 or 32 bits
 * comes last, and stores the operand in *number. Returns 0 for other
 * instructions, and for negative or very large operands. `shorter` and `longer`
 * are the `before` bytes before an operand of 8 and of 32 bits.
 */
static uint32_t with_number(const struct shape_reading *reading, uint32_t at,
			    const char *shorter, const char *longer,
			    uint32_t before, uint32_t *number)
{
	if (begins(reading, at, shorter, before) &&
	    at + before + 1 <= reading->bytes) {
		*number = reading->code[at + before];
		return *number < 0x80 ? before + 1 : 0;
	}
	if (!begins(reading, at, longer, before) ||
	    at + before + 4 > reading->bytes)
		return 0;
	memcpy(number, reading->code + at + before, 4);
	return *number < 1 << 30 ? before + 4 : 0;
}

/* 89 84 24 d32	mov %eax, d32(%rsp): below the stack pointer */
static uint32_t stack_effect_at(const struct shape_reading *reading,
				uint32_t at)
{
	int32_t offset;

	if (!begins(reading, at, "\x89\x84\x24", 3) || at + 7 > reading->bytes)
		return 0;
	memcpy(&offset, reading->code + at + 3, 4);
	return offset < 0 ? 7 : 0;
}

/* ---- The entry ---- */

static int take_site(const struct shape_reading *reading, uint32_t at,
		     uint32_t bytes, struct compiled_site *site)
{
	if (bytes < SHAPE_JUMP_BYTES || bytes > SHAPE_SITE_BYTES)
		return -ENOEXEC;
	site->at = at;
	site->bytes = (uint8_t)bytes;
	copy_bytes(site->code, reading->code + at, bytes);
	return 0;
}

static int read_framed_entry(struct shape_reading *reading, uint32_t at)
{
	uint32_t number, end = at, length;

	if (!begins(reading, end++, "\x55", 1)) /* push %rbp */
		return -ENOEXEC;
	if (begins(reading, end, "\x48\x8b\xec", 3) || /* mov %rsp, %rbp */
	    begins(reading, end, "\x48\x89\xe5", 3))
		end += 3;
	/* 48 83 ec i8, 48 81 ec i32	sub $i, %rsp */
	length = with_number(reading, end, "\x48\x83\xec", "\x48\x81\xec", 3,
			     &number);
	if (!length)
		return -ENOEXEC;
	reading->frame_end = end + length;
	reading->shape->entry_rise = 0;
	reading->shape->exit_rise = number + 8;
	return take_site(reading, at, reading->frame_end - at,
			 &reading->shape->entry);
}

static int read_frameless_entry(struct shape_reading *reading, uint32_t at)
{
	uint32_t frame, saved_at, length;

	if (!begins(reading, at, "\x48\x81\xec", 3) || at + 7 > reading->bytes)
		return -ENOEXEC;
	memcpy(&frame, reading->code + at + 3, 4);
	at += 7;
	/* 48 89 6c 24 d8, 48 89 ac 24 d32	mov %rbp, d(%rsp) */
	length = with_number(reading, at, "\x48\x89\x6c\x24",
			     "\x48\x89\xac\x24", 4, &saved_at);
	if (!length || frame < 16 || saved_at + 8 != frame)
		return -ENOEXEC;
	reading->frame_end = at + length;
	reading->shape->entry_rise = frame;
	reading->shape->exit_rise = frame;
	return take_site(reading, at, length, &reading->shape->entry);
}

static int read_entry(struct shape_reading *reading, uint32_t verified_at)
{
	uint32_t at = verified_at, length;
	int err;

	if (begins(reading, at, "\xe9", 1)) /* the jump that HotSpot writes */
		return -ENOENT;
	while ((length = stack_effect_at(reading, at)) != 0)
		at += length;
	err = at > verified_at ? read_framed_entry(reading, at)
			       : read_frameless_entry(reading, at);
	return !err && reading->shape->entry.at - verified_at < OWN_JUMP_BYTES
		       ? -ENOEXEC
		       : err;
}

/* ---- The other instructions ---- */

static void note(uint8_t *bits, uint64_t at)
{
	bits[at / 8] |= (uint8_t)(1 << at % 8);
}

static void note_target(struct shape_reading *reading, uint32_t end,
			const struct insn *insn)
{
	const int64_t to = (int64_t)end + insn->branch_bytes;

	if (insn_is_direct_branch(insn) && to >= 0 && to < reading->bytes)
		note(reading->targets, (uint64_t)to);
}

/* Returns the length of an exit's instructions, or 0 if this is no exit. */
static uint32_t exit_at(const struct shape_reading *reading, uint32_t at)
{
	uint32_t number;
	/* 48 83 c4 i8, 48 81 c4 i32	add $i, %rsp */
	const uint32_t length = with_number(reading, at, "\x48\x83\xc4",
					    "\x48\x81\xc4", 3, &number);

	return length && number + 8 == reading->shape->exit_rise &&
			       begins(reading, at + length, "\x5d", 1)
		       ? length + 1
		       : 0;
}

static int add_exit(struct shape_reading *reading, uint32_t at, uint32_t bytes)
{
	struct compiled_shape *shape = reading->shape;

	if (shape->exit_count == SHAPE_EXITS_MAX)
		return -E2BIG;
	reading->since_exit = 0;
	return take_site(reading, at, bytes,
			 &shape->exits[shape->exit_count++]);
}

/* e9 rel32	jmp; returns its target in the code, or 0 */
static uint32_t jump_at(const struct shape_reading *reading, uint32_t at)
{
	int32_t distance;
	int64_t to;

	if (!begins(reading, at, "\xe9", 1) || at + 5 > reading->bytes)
		return 0;
	memcpy(&distance, reading->code + at + 1, 4);
	to = (int64_t)at + 5 + distance;
	return to > 0 && to < reading->bytes ? (uint32_t)to : 0;
}

/*
 * While the first compiler does not know a class, a jump overwrites the
 * beginning of an instruction. The jump's target contains the instruction's
 * length (PatchingStub in HotSpot's sources):
 *
 *	b8 00 offset skip bytes
 *	e8 rel32	call the JVM	<- the jump's target
 *	e9 rel32	jmp back
 *
 * Returns the instruction's length, or 0 if there is no such jump.
 */
static uint32_t unknown_class_at(const struct shape_reading *reading,
				 uint32_t at)
{
	const uint32_t to = jump_at(reading, at);

	if (to <= at + 5 || !begins(reading, to, "\xe8", 1) ||
	    !begins(reading, to - 5, "\xb8\x00", 2) ||
	    jump_at(reading, to + 5) != at)
		return 0;
	return reading->code[to - 1];
}

/* Reads an instruction that belongs to no exit. */
static int read_other(struct shape_reading *reading, uint32_t at,
		      const struct insn *insn)
{
	if (reading->since_exit < EPILOGUE_INSNS)
		reading->since_exit++;
	else if (insn->kind == INSN_RETURN)
		return -ENOEXEC;
	/*
	 * c9 leave; 5d pop %rbp, without the prefix 41, with which the
	 * instruction pops another register
	 */
	if (begins(reading, at, "\xc9", 1) || begins(reading, at, "\x5d", 1))
		return -ENOEXEC;
	return insn->kind == INSN_SYSTEM ? -ENOEXEC : 0;
}

static int read_code(struct shape_reading *reading,
		     const struct decoder *decoder, uint32_t at)
{
	int err = 0;

	reading->since_exit = EPILOGUE_INSNS;
	while (!err && at < reading->bytes) {
		const uint32_t exit = exit_at(reading, at);
		const uint32_t unknown = unknown_class_at(reading, at);
		struct insn insn;

		note(reading->starts, at);
		if (exit) {
			err = add_exit(reading, at, exit);
			at += exit;
			continue;
		}
		if (unknown) {
			at += unknown;
			continue;
		}
		if (decode_scan(decoder, reading->code + at,
				reading->bytes - at, &insn))
			return -ENOEXEC;
		err = read_other(reading, at, &insn);
		at += insn.length;
		note_target(reading, at, &insn);
	}
	return err;
}

/*
 * Returns 0 if all branches behind the verified entry lead to the start of an
 * instruction behind the entry's instructions, and none into an exit. Otherwise
 * returns -ENOEXEC. Data may have been read as instructions: the first compiler
 * stores data in its code until classes are loaded.
 */
static int check_branches(const struct shape_reading *reading,
			  uint32_t verified_at)
{
	uint32_t at = verified_at + 1;

	for (; at < reading->bytes; at++) {
		const int is_start = reading->starts[at / 8] >> at % 8 & 1;

		if (reading->targets[at / 8] >> at % 8 & 1 && !is_start)
			return -ENOEXEC;
	}
	return 0;
}

int compiled_shape_read(const struct decoder *decoder, struct arena *scratch,
			const uint8_t *code, uint32_t bytes,
			uint32_t verified_at, struct compiled_shape *out)
{
	struct shape_reading reading = {
		.code = code,
		.bytes = bytes,
		.shape = out,
	};
	int err;

	out->exit_count = 0;
	if (bytes > SHAPE_CODE_MAX)
		return -E2BIG;
	reading.targets = arena_alloc(scratch, bytes / 8 + 1);
	reading.starts = arena_alloc(scratch, bytes / 8 + 1);
	if (!reading.targets || !reading.starts)
		return -ENOMEM;
	err = read_entry(&reading, verified_at);
	if (!err)
		err = read_code(&reading, decoder, reading.frame_end);
	return err ? err : check_branches(&reading, verified_at);
}
