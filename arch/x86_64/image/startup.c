/* SPDX-License-Identifier: MIT */
/*
 * See startup.h. Recognizes gcc's crtstuff.c as known versions of compilers
 * translate it, in position-independent modules and in others, which use
 * immediate addresses:
 *
 *	deregister_tm_clones	compares or subtracts the bounds of a table
 *	register_tm_clones	subtracts them
 *	__do_global_dtors_aux	[endbr64] cmpb $0, completed; jne
 *	frame_dummy		ends with: jmp register_tm_clones
 *
 * Also recognizes the code of glibc's crt1.o that passes on the address of
 * main().
 */
#include "image/startup.h"

#include "image/dynamic.h"

#define ALIGNMENT 16
#define MAX_BYTES 256 /* size of all four functions; most have 182 to 198 */

static int has(const uint8_t *code, const char *bytes, size_t count)
{
	return memcmp(code, bytes, count) == 0;
}

/* Each of these functions may read MAX_READ bytes at `code`. */
#define MAX_READ  20
#define FRAME_MAX 48 /* maximum size of frame_dummy */
/* In older versions: begins a frame, after any instruction. */
#define PUSH_RBP 0x55

/*
 * Returns the address after an instruction and an optional push, or NULL for
 * any other instruction.
 */
static const uint8_t *behind(const uint8_t *code, const char *bytes,
			     size_t count, size_t operand)
{
	if (!code || !has(code, bytes, count))
		return NULL;
	code += count + operand;
	return *code == PUSH_RBP ? code + 1 : code;
}

static int is_deregister(const uint8_t *code)
{
	/* lea table(%rip), %rdi; lea table(%rip), %rax */
	const uint8_t *at = behind(behind(code, "\x48\x8d\x3d", 3, 4),
				   "\x48\x8d\x05", 3, 4);

	if (at)
		return has(at, "\x48\x39\xf8", 3) || /* cmp %rdi, %rax */
		       has(at, "\x48\x29\xf8", 3);   /* sub */
	at = behind(code, "\xb8", 1, 4);             /* mov $table, %eax */
	return at && (has(at, "\x48\x3d", 2) ||      /* cmp $table, %rax */
		      has(at, "\x48\x2d", 2));       /* sub */
}

static int is_register(const uint8_t *code)
{
	/* lea table(%rip), %rdi; lea table(%rip), %rsi; sub %rdi, %rsi */
	const uint8_t *at = behind(behind(code, "\x48\x8d\x3d", 3, 4),
				   "\x48\x8d\x35", 3, 4);

	if (at)
		return has(at, "\x48\x29\xfe", 3);
	at = behind(code, "\xbe", 1, 4); /* mov $table, %esi; sub */
	return at && has(at, "\x48\x81\xee", 3);
}

static int is_at_end(const uint8_t *code)
{
	if (has(code, "\xf3\x0f\x1e\xfa", 4))
		code += 4;
	return has(code, "\x80\x3d", 2) && code[6] == 0 && code[7] == 0x75;
}

/*
 * Returns the end of the frame_dummy that begins at `code`: after a jump to
 * `to`. NULL if there is none.
 */
static const uint8_t *end_of_frame_dummy(const uint8_t *code, uint64_t left,
					 const uint8_t *to)
{
	for (uint64_t i = 0; i < FRAME_MAX && i + 2 <= left; i++, code++) {
		int32_t disp;

		if (code[0] == 0xeb && (int8_t)code[1] == to - (code + 2))
			return code + 2;
		if (code[0] != 0xe9 || i + 5 > left)
			continue;
		memcpy(&disp, code + 1, sizeof(disp));
		if (disp == to - (code + 5))
			return code + 5;
	}
	return NULL;
}

uint64_t startup_bytes(const struct image *image, uint64_t vaddr)
{
	uint64_t left = 0;
	const uint8_t *code = image_at(image, vaddr, &left);
	const uint8_t *middle = NULL, *end = NULL;
	int has_end = 0;

	if (!code || left < MAX_READ || !is_deregister(code))
		return 0;
	for (uint64_t at = ALIGNMENT; at < MAX_BYTES && at < left;
	     at += ALIGNMENT) {
		const int is_whole = left - at >= MAX_READ;

		if (!middle && is_whole && is_register(code + at))
			middle = code + at;
		else if (middle && is_whole && is_at_end(code + at))
			has_end = 1;
		else if (has_end)
			end = end_of_frame_dummy(code + at, left - at, middle);
		if (end)
			break;
	}
	/*
	 * Older versions of frame_dummy have two jumps to register_tm_clones.
	 */
	for (const uint8_t *next = end; next;
	     next = end_of_frame_dummy(end, left - (uint64_t)(end - code),
				       middle))
		end = next;
	return end ? (uint64_t)(end - code) : 0;
}

/* ---- crt1.o ---- */

/*
 * [endbr64]; xor %ebp, %ebp; mov %rdx, %r9; pop %rsi; mov %rsp, %rdx; and ...;
 * push; push
 */
static const char enters[] =
	"\x31\xed\x49\x89\xd1\x5e\x48\x89\xe2\x48\x83\xe4\xf0\x50\x54";

/*
 * Further arguments: none in newer versions, __libc_csu_fini and
 * __libc_csu_init in older ones. Each row has the opcode bytes and the size of
 * the operand.
 */
static const struct {
	const char *bytes;
	uint8_t count, operand;
} passed[] = {
	{ "\x45\x31\xc0\x31\xc9", 5, 0 }, /* xor %r8d, %r8d; xor %ecx, %ecx */
	{ "\x4c\x8d\x05", 3, 4 },         /* lea fini(%rip), %r8 */
	{ "\x48\x8d\x0d", 3, 4 },         /* lea init(%rip), %rcx */
	{ "\x49\xc7\xc0", 3, 4 },         /* mov $fini, %r8 */
	{ "\x48\xc7\xc1", 3, 4 },         /* mov $init, %rcx */
};

#define CRT1_BYTES 64

static const uint8_t *behind_passed(const uint8_t *code)
{
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		if (has(code, passed[i].bytes, passed[i].count))
			code += passed[i].count + passed[i].operand;
	return code;
}

uint64_t startup_main(const struct image *image)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->bytes;
	uint64_t left = 0, at = header->e_entry;
	const uint8_t *start = image_at(image, at, &left), *code = start;
	int32_t operand;

	if (!code || left < CRT1_BYTES)
		return 0;
	if (has(code, "\xf3\x0f\x1e\xfa", 4))
		code += 4;
	if (!has(code, enters, sizeof(enters) - 1))
		return 0;
	code = behind_passed(code + sizeof(enters) - 1);
	memcpy(&operand, code + 3, sizeof(operand));
	at += (uint64_t)(code - start) + 7;
	if (has(code, "\x48\x8d\x3d", 3)) /* lea main(%rip), %rdi */
		return at + (uint64_t)(int64_t)operand;
	if (has(code, "\x48\xc7\xc7", 3)) /* mov $main, %rdi */
		return (uint64_t)(int64_t)operand;
	return 0;
}

/* ---- .init, .fini ---- */

int startup_is_init(const struct image *image, uint64_t vaddr)
{
	uint64_t start;

	return (dynamic_value(image, DT_INIT, &start) && start == vaddr) ||
	       (dynamic_value(image, DT_FINI, &start) && start == vaddr);
}
