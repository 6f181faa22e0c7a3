/* SPDX-License-Identifier: MIT */
/* See instructions.h. */
#include "report/code/instructions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "disasm/decode.h"
#include "report/code/plt_imports.h"
#include "symbolizer/elf/elf.h"
#include "symbolizer/elf/heap.h"
#include "symbolizer/indexer/worker.h"

enum { WORKER_SECONDS = 20, OPERANDS_AT = 7, PLT_INSNS = 2 };
#define WORKER_BYTES (UINT64_C(1) << 30)

/* The head of the worker's answer; items and texts follow. */
struct answer {
	uint64_t count;
	uint64_t text_bytes;
	uint64_t is_cut;
};

/* ---- The worker: no function below may be used outside of it. ---- */

struct code_request {
	const char *path;
	const struct a2n_build_id *build_id;
	const struct vaddr_range *ranges;
	size_t count;
};

struct decoding {
	struct elf elf;
	struct decoder decoder;
	struct plt_imports imports;
	struct answer answer;
	struct instruction *items;
	size_t capacity;
	char *texts;
	size_t text_capacity;
};

static void *alloc(void *context, size_t bytes)
{
	(void)context;
	return heap_zeroed(1, bytes);
}

/* Returns the bytes of the file at a vaddr, up to the end of their segment. */
static struct span code_at(const struct elf *elf, uint64_t vaddr)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];
		const uint64_t offset = vaddr - segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    vaddr < segment->p_vaddr || offset >= segment->p_filesz ||
		    segment->p_offset > elf->bytes.bytes ||
		    segment->p_filesz > elf->bytes.bytes - segment->p_offset)
			continue;
		return (struct span){ elf->bytes.at + segment->p_offset +
					      offset,
				      segment->p_filesz - offset };
	}
	return (struct span){ 0 };
}

static uint32_t add_text(struct decoding *decoding, const char *text)
{
	const size_t at = decoding->answer.text_bytes;
	const size_t bytes = strlen(text) + 1;

	decoding->texts = heap_reserve(decoding->texts, at + bytes,
				       &decoding->text_capacity, 1);
	memcpy(decoding->texts + at, text, bytes);
	decoding->answer.text_bytes += bytes;
	return (uint32_t)at;
}

/* Writes bytes that have no text as the assembler would read them. */
static void write_bytes(char *text, size_t room, const uint8_t *code,
			size_t bytes)
{
	size_t length =
		(size_t)snprintf(text, room, "%-*s", OPERANDS_AT, ".byte");

	for (size_t i = 0; i < bytes && length < room; i++)
		length += (size_t)snprintf(text + length, room - length,
					   "%s0x%02x", i ? ", " : "", code[i]);
}

static uint8_t kind_of(const struct insn *insn)
{
	switch (insn->kind) {
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_LOOP:
		return INSTRUCTION_JUMP;
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return INSTRUCTION_CALL;
	default:
		return INSTRUCTION_PLAIN;
	}
}

/* Returns the address of the branch's destination, or of the data. */
static uint64_t target_of(const struct insn *insn, uint64_t vaddr,
			  const uint8_t *code)
{
	const uint64_t end = vaddr + insn->length;
	int32_t distance;

	if (insn_is_direct_branch(insn))
		return end + (uint64_t)(int64_t)insn->branch_bytes;
	if (!insn->rip_disp_at)
		return NO_TARGET;
	memcpy(&distance, code + insn->rip_disp_at, sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

/*
 * Returns the name of the function that an entry of the procedure linkage table
 * jumps to, or NULL.
 */
static const char *plt_name(const struct decoding *decoding, uint64_t vaddr)
{
	struct span code = code_at(&decoding->elf, vaddr);
	struct insn insn;

	for (int i = 0; i < PLT_INSNS; i++) {
		if (decode_operands(&decoding->decoder, code.at, code.bytes,
				    &insn) != 0)
			return NULL;
		if (insn.kind == INSN_JUMP_INDIRECT)
			return plt_imports_find(
				&decoding->imports,
				target_of(&insn, vaddr, code.at));
		code.at += insn.length;
		code.bytes -= insn.length;
		vaddr += insn.length;
	}
	return NULL;
}

/* Returns the name of the imported function that is called, or NULL. */
static const char *import_of(const struct decoding *decoding,
			     const struct insn *insn, uint64_t target)
{
	if (target == NO_TARGET)
		return NULL;
	if (insn->kind == INSN_CALL_INDIRECT ||
	    insn->kind == INSN_JUMP_INDIRECT)
		return plt_imports_find(&decoding->imports, target);
	if (insn->kind == INSN_CALL || insn->kind == INSN_JUMP)
		return plt_name(decoding, target);
	return NULL;
}

static uint32_t add_name(struct decoding *decoding, const char *name)
{
	char text[256];

	if (!name)
		return 0;
	snprintf(text, sizeof(text), "%s", name);
	return add_text(decoding, text_printable(text));
}

/*
 * Decodes one instruction. A byte that begins no instruction counts as one of
 * length 1.
 */
static struct instruction decode_one(struct decoding *decoding,
				     const uint8_t *code, size_t bytes,
				     uint64_t vaddr)
{
	struct instruction one = { .vaddr = vaddr,
				   .target = NO_TARGET,
				   .bytes = 1,
				   .kind = INSTRUCTION_UNKNOWN };
	const char *mnemonic, *operands;
	char text[256];
	struct insn insn;

	if (decode_operands(&decoding->decoder, code, bytes, &insn) == 0) {
		one.bytes = insn.length;
		one.kind = kind_of(&insn);
		one.target = target_of(&insn, vaddr, code);
		one.import = add_name(decoding,
				      import_of(decoding, &insn, one.target));
	}
	if (one.kind != INSTRUCTION_UNKNOWN &&
	    decode_text(&decoding->decoder, code, one.bytes, vaddr, vsnprintf,
			&mnemonic, &operands) == 0)
		snprintf(text, sizeof(text), "%-*s%s%s",
			 *operands ? OPERANDS_AT - 1 : 0, mnemonic,
			 *operands ? " " : "", operands);
	else
		write_bytes(text, sizeof(text), code, one.bytes);
	one.text = add_text(decoding, text_printable(text));
	return one;
}

static void decode_range(struct decoding *decoding,
			 const struct vaddr_range *range, uint64_t *room)
{
	struct span code = code_at(&decoding->elf, range->start);
	uint64_t vaddr = range->start;
	size_t left = range->end - vaddr < code.bytes ? range->end - vaddr
						      : code.bytes;

	if (left > *room) {
		left = *room;
		decoding->answer.is_cut = 1;
	}
	*room -= left;
	while (left > 0) {
		const struct instruction one =
			decode_one(decoding, code.at, left, vaddr);

		decoding->items = heap_reserve(
			decoding->items, decoding->answer.count + 1,
			&decoding->capacity, sizeof(*decoding->items));
		decoding->items[decoding->answer.count++] = one;
		code.at += one.bytes;
		vaddr += one.bytes;
		left -= one.bytes;
	}
}

static int write_all(int fd, const void *from, size_t bytes)
{
	const uint8_t *at = from;

	while (bytes > 0) {
		const ssize_t written = write(fd, at, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		at += written;
		bytes -= (size_t)written;
	}
	return 0;
}

static int is_same_build(const struct a2n_build_id *a,
			 const struct a2n_build_id *b)
{
	return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

static int decode(const void *input, int fd)
{
	const struct code_request *request = input;
	struct decoding decoding = { 0 };
	uint64_t room = INSTRUCTIONS_CODE_MAX;
	int err = elf_open(&decoding.elf, request->path);

	if (err)
		return err;
	if (request->build_id->bytes > 0 &&
	    !is_same_build(request->build_id, &decoding.elf.build_id))
		return -ESTALE;
	err = decoder_open(&decoding.decoder, alloc, NULL);
	if (err)
		return err;
	plt_imports_init(&decoding.imports, &decoding.elf);
	add_text(&decoding, ""); /* position 0 stands for no text */
	for (size_t i = 0; i < request->count; i++)
		decode_range(&decoding, &request->ranges[i], &room);
	err = write_all(fd, &decoding.answer, sizeof(decoding.answer));
	if (!err)
		err = write_all(fd, decoding.items,
				decoding.answer.count *
					sizeof(*decoding.items));
	if (!err)
		err = write_all(fd, decoding.texts, decoding.answer.text_bytes);
	return err;
}

/* ---- The caller ---- */

static int read_all(int fd, void *to, size_t bytes, uint64_t *offset)
{
	uint8_t *at = to;

	while (bytes > 0) {
		const ssize_t got = pread(fd, at, bytes, (off_t)*offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EBADMSG;
		at += got;
		bytes -= (size_t)got;
		*offset += (uint64_t)got;
	}
	return 0;
}

/*
 * Makes each text safe to print. The worker does so, but the file that it
 * decodes may have taken control of it. Every byte belongs to a text that ends
 * with a NUL.
 */
static void make_printable(char *texts, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += strlen(texts + at) + 1)
		text_printable(texts + at);
}

/* Returns whether a text begins there. */
static int is_text(const struct instructions *code, size_t text_bytes,
		   uint32_t at)
{
	return at < text_bytes && (at == 0 || code->texts[at - 1] == '\0');
}

/* Returns whether items and texts are as the reader expects them. */
static int is_sound(const struct instructions *code, size_t text_bytes)
{
	uint64_t end = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct instruction *one = &code->items[i];

		if (one->vaddr < end || one->bytes == 0 ||
		    one->bytes > INSN_MAX_BYTES ||
		    !is_text(code, text_bytes, one->text) ||
		    !is_text(code, text_bytes, one->import) ||
		    one->kind > INSTRUCTION_UNKNOWN)
			return 0;
		end = one->vaddr + one->bytes;
	}
	return code->count == 0 || code->texts[text_bytes - 1] == '\0';
}

static int read_answer(int fd, struct instructions *out)
{
	struct instructions code = { 0 };
	struct answer answer;
	struct stat status;
	uint64_t offset = 0, bytes;
	int err = read_all(fd, &answer, sizeof(answer), &offset);

	if (err)
		return err;
	if (fstat(fd, &status) != 0)
		return -errno;
	bytes = (uint64_t)status.st_size - sizeof(answer);
	if (answer.count > bytes / sizeof(*code.items) ||
	    answer.text_bytes != bytes - answer.count * sizeof(*code.items))
		return -EBADMSG;
	code.count = answer.count;
	code.is_cut = answer.is_cut != 0;
	code.items = memory_zeroed(answer.count + 1, sizeof(*code.items));
	code.texts = memory_zeroed(answer.text_bytes + 1, 1);
	err = read_all(fd, code.items, answer.count * sizeof(*code.items),
		       &offset);
	if (!err)
		err = read_all(fd, code.texts, answer.text_bytes, &offset);
	if (!err && !is_sound(&code, answer.text_bytes))
		err = -EBADMSG;
	if (err) {
		instructions_fini(&code);
		return err;
	}
	make_printable(code.texts, answer.text_bytes);
	*out = code;
	return 0;
}

static int explain(int err, const char *path, const char *worker_why,
		   char **why)
{
	switch (err) {
	case -ESTALE:
		return fail(why, err,
			    "%s is another build than the recorded one", path);
	case -ENOEXEC:
	case -ENODATA:
		return fail(why, err, "%s is no complete ELF file", path);
	case -ECHILD:
	case -EBADMSG:
		return fail(why, -EBADMSG, "%s cannot be decoded%s%s", path,
			    *worker_why ? ": " : "", worker_why);
	default:
		return fail(why, err, "%s cannot be read: %s", path,
			    strerror(-err));
	}
}

int instructions_read(const char *path, const struct a2n_build_id *build_id,
		      const struct vaddr_range *ranges, size_t count,
		      struct instructions *out, char **why)
{
	const struct worker_limits limits = { .seconds = WORKER_SECONDS,
					      .bytes = WORKER_BYTES,
					      .is_silent = 1 };
	const struct code_request request = { path, build_id, ranges, count };
	char worker_why[WORKER_WHY_BYTES] = "";
	int fd = memfd_create("clew-code", MFD_CLOEXEC);
	int err;

	if (fd < 0)
		return explain(-errno, path, "", why);
	err = worker_run(&limits, decode, &request, fd, worker_why);
	if (!err)
		err = read_answer(fd, out);
	close(fd);
	return err ? explain(err, path, worker_why, why) : 0;
}

void instructions_fini(struct instructions *instructions)
{
	free(instructions->items);
	free(instructions->texts);
	*instructions = (struct instructions){ 0 };
}
