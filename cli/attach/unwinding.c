/* SPDX-License-Identifier: MIT */
/* See unwinding.h. */
#include "cli/attach/unwinding.h"

#include <elf.h>
#include <errno.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/attach/remote_call.h"
#include "cli/attach/stopped_registers.h"
#include "machine/address_space.h"
#include "wire/recording.h"

/* Number of cached pages; a power of 2. */
#define PAGES 8192
/* Maximum number of program headers that are read for a module. */
#define HEADERS 64

/*
 * Size and alignment of the blocks in which the library reserves stub memory.
 */
#define STUB_BLOCK_BYTES (UINT64_C(1) << 24)

/*
 * Limits against hostile tables and stacks, for example an endless loop in an
 * expression of call frame information. Ordinary programs need far less. In
 * this order: frames of all threads; stack bytes of one thread that are
 * searched for exceptions; libunwind's reads of memory for one thread; its
 * reads for all threads. libunwind reads call frame information byte by byte.
 */
#define STEPS_MAX        (UINT64_C(1) << 20)
#define SPAN_BYTES_MAX   (UINT64_C(64) << 20)
#define THREAD_READS_MAX (UINT64_C(1) << 23)
#define READS_MAX        (UINT64_C(1) << 26)

/* Bytes of a signal frame up to the last saved register. */
#define SIGNAL_BYTES 256

/* libunwind exports this function, but its headers do not declare it. */
#define search_table UNW_OBJ(dwarf_search_unwind_table)
int search_table(unw_addr_space_t space, unw_word_t pc, unw_dyn_info_t *info,
		 unw_proc_info_t *function, int need_unwind_info,
		 void *context);

struct unwound_page {
	uint64_t at; /* 0 if the entry is empty. */
	int is_there;
	uint8_t bytes[PAGE_BYTES];
};

/*
 * The code of a module, and the address of its table of call frame information.
 */
struct unwound_code {
	uint64_t start, end;
	uint64_t table; /* 0: no table of a supported format was found. */
	uint64_t entries;
};

/* The part of a stack that belongs to one frame. */
struct unwound_span {
	uint64_t start, end;
};

struct unwinding {
	int memory;
	const struct target_maps *maps;
	/* The thread whose registers libunwind reads. */
	const struct tracee *thread;
	unw_addr_space_t space;
	struct unwound_code *codes;
	size_t count, capacity;
	/* The spans of the present thread's frames. */
	struct unwound_span *spans;
	size_t span_count, span_capacity;
	uint64_t span_bytes;
	uint64_t steps; /* attempts to unwind a frame, in all threads */
	uint64_t reads; /* libunwind's reads of memory, in all threads */
	/* Value of `reads` at which the present thread's limit is reached. */
	uint64_t reads_end;
	struct unwound_page *pages[PAGES];
};

/* ---- Memory ---- */

static const uint8_t *page_at(struct unwinding *unwinding, uint64_t at)
{
	struct unwound_page **kept = &unwinding->pages[at / PAGE_BYTES % PAGES];
	struct unwound_page *page = *kept;

	at -= at % PAGE_BYTES;
	if (!page)
		page = *kept = memory_zeroed(1, sizeof(*page));
	if (page->at != at) {
		page->at = at;
		page->is_there = target_read(unwinding->memory, at, page->bytes,
					     PAGE_BYTES) == 0;
	}
	return page->is_there ? page->bytes : NULL;
}

/*
 * Reads a word of the process. Returns 0 if the address is not mapped, or the
 * word crosses a page boundary.
 */
static int read_word(struct unwinding *unwinding, uint64_t at, uint64_t *word)
{
	const uint8_t *page;

	if (at < PAGE_BYTES || at % PAGE_BYTES > PAGE_BYTES - sizeof(*word))
		return 0;
	page = page_at(unwinding, at);
	if (page)
		memcpy(word, page + at % PAGE_BYTES, sizeof(*word));
	return page != NULL;
}

static int read_memory(unw_addr_space_t space, unw_word_t at, unw_word_t *word,
		       int is_write, void *context)
{
	struct unwinding *unwinding = context;
	uint64_t got;

	if (is_write || unwinding->reads >= unwinding->reads_end)
		return -UNW_EINVAL;
	unwinding->reads++;
	if (!read_word(unwinding, at, &got) &&
	    target_read(unwinding->memory, at, &got, sizeof(got)) != 0)
		return -UNW_EINVAL;
	*word = got;
	return 0;
}

static int read_register(unw_addr_space_t space, unw_regnum_t number,
			 unw_word_t *word, int is_write, void *context)
{
	const struct unwinding *unwinding = context;

	if (is_write || number < 0 || number >= STOPPED_REGISTERS)
		return -UNW_EBADREG;
	*word = stopped_register(&unwinding->thread->registers,
				 (unsigned int)number);
	return 0;
}

/* ---- Modules ---- */

/*
 * Returns the mapping of the beginning of the mapping's file. It is searched
 * backwards in the list, as far as all mappings are of the same file; if it is
 * not among these, returns the first one of them.
 */
static const struct target_mapping *module_of(
	const struct target_maps *maps, const struct target_mapping *mapping)
{
	const struct target_mapping *first = mapping;

	while (first > maps->items && first->offset &&
	       strcmp(first[-1].path, mapping->path) == 0)
		first--;
	return first;
}

struct module_headers {
	Elf64_Ehdr file;
	Elf64_Phdr items[HEADERS];
};

static int read_headers(const struct unwinding *unwinding, uint64_t start,
			struct module_headers *headers)
{
	const Elf64_Ehdr *file = &headers->file;

	return target_read(unwinding->memory, start, &headers->file,
			   sizeof(headers->file)) == 0 &&
	       memcmp(file->e_ident, ELFMAG, SELFMAG) == 0 &&
	       file->e_phentsize == sizeof(Elf64_Phdr) &&
	       file->e_phnum <= HEADERS &&
	       target_read(unwinding->memory, start + file->e_phoff,
			   headers->items,
			   file->e_phnum * sizeof(Elf64_Phdr)) == 0;
}

/*
 * Stores the address and length of the search table in the .eh_frame_hdr at
 * `at`. Only the format that linkers write is accepted: sorted pairs of
 * offsets.
 */
static void find_table(const struct unwinding *unwinding, uint64_t at,
		       struct unwound_code *code)
{
	static const uint8_t usual[] = { 1, 0x1b, 0x03, 0x3b };
	struct {
		uint8_t form[4];
		int32_t frames;
		uint32_t count;
	} header;

	if (target_read(unwinding->memory, at, &header, sizeof(header)) != 0 ||
	    memcmp(header.form, usual, sizeof(usual)) != 0)
		return;
	code->table = at;
	code->entries = header.count;
}

static void see_module(const struct unwinding *unwinding, uint64_t start,
		       struct unwound_code *code)
{
	struct module_headers headers;
	uint64_t base = 0;
	int has_base = 0;

	if (!read_headers(unwinding, start, &headers))
		return;
	for (int i = 0; i < headers.file.e_phnum; i++) {
		const Elf64_Phdr *segment = &headers.items[i];

		if (segment->p_type == PT_LOAD && !has_base) {
			base = start - (segment->p_vaddr & -PAGE_BYTES);
			has_base = 1;
		}
	}
	for (int i = 0; i < headers.file.e_phnum && has_base; i++)
		if (headers.items[i].p_type == PT_GNU_EH_FRAME)
			find_table(unwinding, base + headers.items[i].p_vaddr,
				   code);
}

/*
 * Finds the unwind information of stubs. The first page of each stub block is
 * an ELF image (preload/stubs/stub_image.h), also in a block that is anonymous
 * memory because its file could not be created or mapped as code. One mapping
 * may contain several blocks.
 */
static void see_stubs(const struct unwinding *unwinding, uint64_t pc,
		      struct unwound_code *code)
{
	const uint64_t block = pc & ~(STUB_BLOCK_BYTES - 1);

	if (code->start < block)
		code->start = block;
	if (code->end > block + STUB_BLOCK_BYTES)
		code->end = block + STUB_BLOCK_BYTES;
	see_module(unwinding, block, code);
}

/*
 * Returns whether the mapping is of a file of stubs. In one block, pages may be
 * mapped from the files of several recordings.
 */
static int is_of_stubs(const struct target_mapping *mapping)
{
	const char *suffix =
		strstr(text_basename(mapping->path), WIRE_STUBS_SUFFIX);

	return suffix && (!suffix[sizeof(WIRE_STUBS_SUFFIX) - 1] ||
			  suffix[sizeof(WIRE_STUBS_SUFFIX) - 1] == ' ');
}

/* Returns the module or stub block with code at pc, or NULL. */
static const struct unwound_code *code_at(struct unwinding *unwinding,
					  uint64_t pc)
{
	const struct target_mapping *mapping;
	struct unwound_code *code;

	for (size_t i = 0; i < unwinding->count; i++)
		if (pc >= unwinding->codes[i].start &&
		    pc < unwinding->codes[i].end)
			return &unwinding->codes[i];
	mapping = target_find(unwinding->maps, pc);
	if (!mapping || !mapping->is_executable)
		return NULL;
	unwinding->codes =
		memory_grow(unwinding->codes, unwinding->count,
			    &unwinding->capacity, sizeof(*unwinding->codes));
	code = &unwinding->codes[unwinding->count++];
	*code = (struct unwound_code){ .start = mapping->start,
				       .end = mapping->end };
	if (*mapping->path && !is_of_stubs(mapping))
		see_module(unwinding,
			   module_of(unwinding->maps, mapping)->start, code);
	else
		see_stubs(unwinding, pc, code);
	return code;
}

/* ---- Callbacks of libunwind ---- */

static int find_function(unw_addr_space_t space, unw_word_t pc,
			 unw_proc_info_t *function, int need_unwind_info,
			 void *context)
{
	struct unwinding *unwinding = context;
	const struct unwound_code *code = code_at(unwinding, pc);
	unw_dyn_info_t info = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };

	if (!code || !code->table)
		return -UNW_ENOINFO;
	info.start_ip = code->start;
	info.end_ip = code->end;
	info.u.rti.segbase = code->table;
	info.u.rti.table_data = code->table + 12;
	info.u.rti.table_len = code->entries; /* In units of words. */
	return search_table(space, pc, &info, function, need_unwind_info,
			    context);
}

static void forget_function(unw_addr_space_t space, unw_proc_info_t *function,
			    void *context)
{
}

static int no_list(unw_addr_space_t space, unw_word_t *list, void *context)
{
	return -UNW_ENOINFO;
}

static int no_fp_register(unw_addr_space_t space, unw_regnum_t number,
			  unw_fpreg_t *value, int is_write, void *context)
{
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor,
		     void *context)
{
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t at, char *name,
		   size_t bytes, unw_word_t *offset, void *context)
{
	return -UNW_EUNSPEC;
}

/* ---- Return addresses that an exception needs ---- */

/*
 * An exception that is being thrown has stored, in its exception object, the
 * end of the frame of the function that the handler's function has called. The
 * unwinder searches this frame again, so the frame's return address must not
 * change. No variable contains the address of the exception object. But if a
 * destructor runs during unwinding, this address is on the stack or in a
 * register, so all words there are tried.
 */
/*
 * Offset of private_1 in an exception object. Its value is 0 except in a forced
 * unwind, which has no handler.
 */
#define PRIVATE_1_AT 16
/*
 * Offset of private_2. Its value is the end of that frame; clew makes it odd if
 * the frame is a stub's.
 */
#define PRIVATE_2_AT 24

static void keep_way(struct unwinding *unwinding, uint64_t exception,
		     struct wire_frame *frames, size_t count)
{
	uint64_t forced, end, at;

	if (exception % 8 ||
	    !read_word(unwinding, exception + PRIVATE_1_AT, &forced) ||
	    forced || !read_word(unwinding, exception + PRIVATE_2_AT, &end) ||
	    end % STOPPED_ALIGNMENT > 1)
		return;
	at = (end & ~UINT64_C(1)) - STOPPED_RETURN_BYTES;
	for (size_t i = 0; i < count; i++)
		if (frames[i].at == at)
			frames[i].is_kept = 1;
}

static void keep_ways(struct unwinding *unwinding, struct wire_frame *frames,
		      size_t count)
{
	uint64_t word;

	for (unsigned int i = 0; i < STOPPED_REGISTERS; i++)
		keep_way(unwinding,
			 stopped_register(&unwinding->thread->registers, i),
			 frames, count);
	for (size_t i = 0; i < unwinding->span_count; i++)
		for (uint64_t at = (unwinding->spans[i].start + 7) & -8;
		     at < unwinding->spans[i].end; at += 8)
			if (read_word(unwinding, at, &word))
				keep_way(unwinding, word, frames, count);
}

/* ---- Unwinding ---- */

struct unwinding *unwinding_create(int memory, const struct target_maps *maps)
{
	/*
	 * A libunwind that is newer than its header copies more members:
	 * version 1.8 has three, which may be NULL, that 1.6 lacks.
	 */
	static const struct {
		unw_accessors_t known;
		void *later[8];
	} accessors = {
		.known = {
			.find_proc_info = find_function,
			.put_unwind_info = forget_function,
			.get_dyn_info_list_addr = no_list,
			.access_mem = read_memory,
			.access_reg = read_register,
			.access_fpreg = no_fp_register,
			.resume = no_resume,
			.get_proc_name = no_name,
		},
	};
	struct unwinding *unwinding = memory_zeroed(1, sizeof(*unwinding));

	unwinding->memory = memory;
	unwinding->maps = maps;
	unwinding->space =
		unw_create_addr_space((unw_accessors_t *)&accessors.known, 0);
	if (!unwinding->space) {
		free(unwinding);
		return NULL;
	}
	unw_set_caching_policy(unwinding->space, UNW_CACHE_GLOBAL);
	return unwinding;
}

void unwinding_destroy(struct unwinding *unwinding)
{
	unw_destroy_addr_space(unwinding->space);
	for (size_t i = 0; i < PAGES; i++)
		free(unwinding->pages[i]);
	free(unwinding->codes);
	free(unwinding->spans);
	free(unwinding);
}

/*
 * Adds a span to those of the present thread. Returns 0 if the spans become too
 * long.
 */
static int add_span(struct unwinding *unwinding, uint64_t start, uint64_t end)
{
	if (end < start || end - start > SPAN_BYTES_MAX - unwinding->span_bytes)
		return 0;
	unwinding->span_bytes += end - start;
	unwinding->spans = memory_grow(unwinding->spans, unwinding->span_count,
				       &unwinding->span_capacity,
				       sizeof(*unwinding->spans));
	unwinding->spans[unwinding->span_count++] =
		(struct unwound_span){ start, end };
	return 1;
}

/*
 * Returns whether pc is at libc's code to which signal handlers return, so that
 * a signal frame follows. unw_is_signal_frame() does not work for another
 * process.
 */
static int is_restorer(struct unwinding *unwinding, uint64_t pc)
{
	uint64_t code[2];

	return read_word(unwinding, pc, &code[0]) &&
	       read_word(unwinding, pc + sizeof(*code), &code[1]) &&
	       memcmp(code, remote_restorer_code, remote_restorer_bytes) == 0;
}

/*
 * Moves the cursor to the caller, and fills *frame for the function that it
 * leaves; frame->at stays 0 if there is no return address. Returns 1; 0 if
 * there is no caller; or -errno.
 */
static int step(struct unwinding *unwinding, unw_cursor_t *cursor,
		struct wire_frame *frame)
{
	unw_proc_info_t function = { 0 };
	unw_word_t before = 0, sp = 0, pc = 0;
	uint64_t word;
	int is_signal, more;

	frame->at = 0;
	unw_get_reg(cursor, UNW_REG_IP, &pc);
	unw_get_reg(cursor, UNW_REG_SP, &before);
	is_signal = is_restorer(unwinding, pc);
	if (unw_get_proc_info(cursor, &function) != 0)
		return -ENOENT;
	more = unw_step(cursor);
	if (more <= 0)
		return more < 0 ? -ENOENT : 0;
	unw_get_reg(cursor, UNW_REG_IP, &pc);
	unw_get_reg(cursor, UNW_REG_SP, &sp);
	if (!pc)
		return 0;
	if (is_signal)
		return add_span(unwinding, before, before + SIGNAL_BYTES)
			       ? 1
			       : -ENOENT;
	if (!add_span(unwinding, before, sp))
		return -ENOENT;
	frame->at = sp - STOPPED_RETURN_BYTES;
	frame->word = pc;
	frame->function = function.start_ip;
	return sp > before && read_word(unwinding, frame->at, &word) &&
			       word == pc
		       ? 1
		       : -ENOENT;
}

int unwinding_begin(struct unwinding *unwinding, const struct tracee *thread,
		    unw_cursor_t *cursor)
{
	unwinding->thread = thread;
	unwinding->span_count = 0;
	unwinding->span_bytes = 0;
	unwinding->reads_end = unwinding->reads + THREAD_READS_MAX;
	if (unwinding->reads_end > READS_MAX)
		unwinding->reads_end = READS_MAX;
	return unw_init_remote(cursor, unwinding->space, unwinding) ? -ENOENT
								    : 0;
}

long unwinding_frames(struct unwinding *unwinding, const struct tracee *thread,
		      struct wire_frame *frames, size_t room)
{
	uint64_t pc = stopped_pc(&thread->registers);
	unw_cursor_t cursor;
	size_t count = 0;
	int more = 1;

	if (unwinding_begin(unwinding, thread, &cursor) != 0)
		return -ENOENT;
	while (more > 0) {
		struct wire_frame frame = { .pc = pc };
		unw_word_t interrupted = 0;

		more = unwinding->steps++ < STEPS_MAX
			       ? step(unwinding, &cursor, &frame)
			       : -ENOSPC;
		if (more < 0)
			return more;
		pc = 0;
		if (more && !frame.at) {
			unw_get_reg(&cursor, UNW_REG_IP, &interrupted);
			pc = interrupted;
		}
		if (!frame.at)
			continue;
		if (count == room)
			return -ENOSPC;
		frames[count++] = frame;
	}
	if (count)
		keep_ways(unwinding, frames, count);
	return (long)count;
}
