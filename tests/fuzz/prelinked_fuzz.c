/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is xored over the heads and tables of a file of
 * stubs and of one of hooked text. Both are then sealed as their owner would
 * seal them. All accepted data must be usable: stubs of hooked functions,
 * tables inside the file, and a patch that leads to stubs. An unsealed head
 * with any false field is rejected.
 *
 *	bytes	0 .. 512	head of text
 *		512 .. 768	head of stubs
 *		768 .. 1024	which functions have stubs
 *		1024 ..		tables of text
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/patch/patch.h"
#include "preload/patch/prelinked_text.h"
#include "tests/fuzz/folder.h"
#include "wire/verdict.h"

#define COUNT          200
#define FUNCTION_BYTES 16
#define FIRST_NUMBER   4096
#define CODE_AT        PAGE_BYTES
#define MODULE_BYTES   (2 * PAGE_BYTES)

enum {
	TEXT_HEAD_AT = 0,
	STUBS_HEAD_AT = 512,
	FLAGS_AT = 768,
	TABLES_AT = 1024
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct kept_file {
	char path[512];
	uint8_t *bytes;
	size_t size;
	size_t head_at;
};

static char module_path[512];
static struct prelinked_folder folder;
static struct arena always, scratch;
static struct windows windows;
static struct pads pads;
static struct pristine pristine;
static struct wire_function analysed[COUNT], functions[COUNT];
static ElfW(Phdr) segment = { .p_type = PT_LOAD,
			      .p_flags = PF_R | PF_X,
			      .p_filesz = MODULE_BYTES,
			      .p_memsz = MODULE_BYTES };
static struct module module = { .path = module_path,
				.segments = &segment,
				.segment_count = 1 };
static struct prelinked_module stubs_of;
static struct prelinked_text_module text_of;
static struct patch_workshop workshop;
static struct kept_file stubs_file, text_file;

static void require(int condition)
{
	if (!condition)
		abort();
}

/* ---- A module, and its prelinked files ---- */

static void write_module(void)
{
	static const uint8_t code[FUNCTION_BYTES] = { 0x55, 0x48, 0x89, 0xe5,
						      0x90 };
	int fd;

	snprintf(module_path, sizeof(module_path), "%s/module", fuzz_folder());
	fd = open(module_path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	require(fd >= 0 && !ftruncate(fd, MODULE_BYTES));
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t at = CODE_AT + (uint64_t)i * FUNCTION_BYTES;

		require(pwrite(fd, code, sizeof(code), (off_t)at) ==
			sizeof(code));
		analysed[i] = (struct wire_function){
			.vaddr = at,
			.size_bytes = FUNCTION_BYTES,
			.verdict =
				i % 8 ? VERDICT_IS_JUMP : VERDICT_IS_TOO_SHORT,
			.displaced = i % 8 ? 5 : 0,
		};
	}
	module.base = (uintptr_t)mmap(NULL, MODULE_BYTES, PROT_READ | PROT_EXEC,
				      MAP_PRIVATE, fd, 0);
	close(fd);
}

static void describe_module(void)
{
	static const uint8_t id[20] = { 1 };

	module.code = (struct pc_range){ module.base + CODE_AT,
					 module.base + MODULE_BYTES };
	module.image =
		(struct pc_range){ module.base, module.base + MODULE_BYTES };
	stubs_of = (struct prelinked_module){
		.content = { { 1 } },
		.maker = id,
		.maker_bytes = sizeof(id),
		.base = module.base,
		.user = module_user(&module),
		.functions = analysed,
		.count = COUNT,
		.first_number = FIRST_NUMBER,
		.constants = { .tls_offset = -0x1240 },
	};
	text_of = (struct prelinked_text_module){
		.module = &module,
		.stubs_of = &stubs_of,
		.analysed = analysed,
		.functions = functions,
		.count = COUNT,
		.first_number = FIRST_NUMBER,
	};
	memcpy(functions, analysed, sizeof(functions));
}

static void forget_blocks(void)
{
	for (uint32_t i = 0; i < windows.block_count; i++) {
		munmap((void *)windows.blocks[i].start, WINDOW_BLOCK_BYTES);
		hot_windows[windows.blocks[i].start >> WINDOW_SHIFT] = 0;
	}
	windows = (struct windows){ 0 };
}

/* Finds and maps the stubs. Returns the result of prelinked_map(). */
static int load(struct prelinked *stubs, struct prelinked_text *text)
{
	struct prelinked_found found;
	int err = prelinked_find(&found, &stubs_of, &folder);

	*stubs = (struct prelinked){ 0 };
	*text = (struct prelinked_text){ 0 };
	if (err)
		return err;
	prelinked_text_find(text, &text_of, &found, &folder, &pristine);
	return prelinked_map(stubs, &stubs_of, &found, text->is_found, &windows,
			     &scratch);
}

static void read_kept(struct kept_file *file, const char *kind, int head_first)
{
	char name[96] = "01";
	struct stat st;
	int fd;

	memset(name + 2, '0', 62);
	snprintf(name + 64, sizeof(name) - 64, "-0.%s", kind);
	snprintf(file->path, sizeof(file->path), "%s/%s", fuzz_folder(), name);
	fd = open(file->path, O_RDONLY | O_CLOEXEC);
	require(fd >= 0 && !fstat(fd, &st));
	file->size = (size_t)st.st_size;
	file->bytes = malloc(file->size);
	require(file->bytes && read(fd, file->bytes, file->size) == st.st_size);
	close(fd);
	file->head_at = head_first ? PRELINKED_HEAD_AT
				   : file->size - PRELINKED_HEAD_PAGE;
}

static void begin(void)
{
	struct prelinked_text text;
	struct prelinked stubs;
	struct patch patch;

	rt.sink = &sink_counting;
	hot_shadow_low = SHADOW_STACK_LOW;
	require(!prelinked_folder_open(&folder, fuzz_folder()));
	write_module();
	describe_module();
	sleep(2); /* some file systems keep whole seconds */
	require(!pristine_open(&pristine, UINT64_MAX, &always));
	/* the module does not change any more */
	require(!pristine_read(&pristine, UINT64_MAX, &always));
	workshop = (struct patch_workshop){ .windows = &windows,
					    .pads = &pads,
					    .constants = stubs_of.constants,
					    .prelinked = &stubs };
	require(!decoder_open(&workshop.decoder, arena_memory, &always));
	require(load(&stubs, &text) == -ENOENT);
	require(!prelinked_make(&stubs_of, &folder, &workshop.decoder, &always,
				0));
	require(!load(&stubs, &text) && text.is_pristine && !text.is_found);
	require(!patch_prepare(&patch, &workshop, &module, FIRST_NUMBER,
			       functions, COUNT));
	require(!prelinked_text_make(&text, &text_of, &patch, &stubs, &folder,
				     &pristine, &always));
	read_kept(&stubs_file, "prelinked", 1);
	read_kept(&text_file, "hooked", 0);
	forget_blocks();
}

/* ---- Lies ---- */

static void lay_over(struct kept_file *file, size_t at, const uint8_t *data,
		     size_t size)
{
	for (size_t i = 0; i < size && at + i < file->size; i++)
		file->bytes[at + i] ^= data[i];
}

/* Lays the part of the input from `from` to `until` over the file. */
static void lay_part(struct kept_file *file, size_t at, const uint8_t *data,
		     size_t size, size_t from, size_t until)
{
	if (size > from)
		lay_over(file, at, data + from,
			 (size < until ? size : until) - from);
}

static void lay_all(const uint8_t *data, size_t size)
{
	struct prelinked_head head;

	lay_part(&text_file, text_file.head_at, data, size, TEXT_HEAD_AT,
		 STUBS_HEAD_AT);
	lay_part(&stubs_file, stubs_file.head_at, data, size, STUBS_HEAD_AT,
		 FLAGS_AT);
	lay_part(&stubs_file, PRELINKED_FLAGS_AT, data, size, FLAGS_AT,
		 TABLES_AT);
	memcpy(&head, text_file.bytes + text_file.head_at, sizeof(head));
	lay_part(&text_file, MODULE_BYTES, data, size, TABLES_AT, SIZE_MAX);
}

/* Writes the file, and sets its time of change to the one in its head. */
static void write_kept(const struct kept_file *file, const uint8_t *bytes)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct prelinked_head head;
	int fd;

	memcpy(&head, bytes + file->head_at, sizeof(head));
	require(!chmod(file->path, 0600));
	fd = open(file->path, O_RDWR | O_CLOEXEC);
	require(fd >= 0 &&
		pwrite(fd, bytes, file->size, 0) == (ssize_t)file->size);
	times[1].tv_sec = (time_t)((uint64_t)head.seal_s % (1U << 30));
	times[1].tv_nsec = (long)((uint64_t)head.seal_ns % 1000000000);
	require(!fchmod(fd, 0400) && !futimens(fd, times));
	close(fd);
}

/* Seals the file like its owner: with the right sums, inode, boot and seal. */
static void seal(const struct kept_file *file, uint64_t flags_at,
		 uint64_t flags_bytes)
{
	uint8_t *bytes = malloc(file->size);
	struct prelinked_head head;
	struct stat st;

	require(bytes && !stat(file->path, &st));
	memcpy(bytes, file->bytes, file->size);
	memcpy(&head, bytes + file->head_at, sizeof(head));
	head.inode = st.st_ino;
	memcpy(head.boot, folder.boot, sizeof(head.boot));
	head.seal_ns = (int64_t)((uint64_t)head.seal_ns % 1000000000);
	head.seal_s = (int64_t)((uint64_t)head.seal_s % (1U << 30));
	head.flags = prelinked_sum(PRELINKED_SUM_OF_NOTHING, bytes + flags_at,
				   flags_bytes);
	head.checksum =
		prelinked_sum(PRELINKED_SUM_OF_NOTHING, &head,
			      offsetof(struct prelinked_head, checksum));
	memcpy(bytes + file->head_at, &head, sizeof(head));
	write_kept(file, bytes);
	free(bytes);
}

/* ---- Accepted files ---- */

static void check_stubs(const struct prelinked *stubs)
{
	for (uint32_t i = 0; i < COUNT; i++)
		require(!stubs->has[i] ||
			(stubs->has[i] == 1 &&
			 analysed[i].verdict == VERDICT_IS_JUMP));
}

static void check_text(const struct prelinked_text *text)
{
	const uint8_t *end = (const uint8_t *)text->sites + text->table_bytes;

	require(text->about.site_count <= COUNT &&
		text->about.island_count <= COUNT &&
		text->about.rest_count <= COUNT);
	require((const uint8_t *)(text->islands + text->about.island_count) <=
		(const uint8_t *)text->rest);
	require((const uint8_t *)(text->rest + text->about.rest_count) <= end);
	for (uint32_t i = 0; i < text->about.rest_count; i++)
		require(text->rest[i] < COUNT);
	require(msync((void *)text->sites, text->table_bytes, MS_ASYNC) == 0);
}

static int is_left_out(uint32_t i, uint32_t each)
{
	return each && i % each == 1;
}

static int is_site(const struct patch *chain, uint32_t i)
{
	for (; chain; chain = chain->next_of_module)
		if (patch_find(chain, module.base + analysed[i].vaddr))
			return 1;
	return 0;
}

static void destroy(struct patch *chain)
{
	struct patch *next;

	for (; chain; chain = next) {
		next = chain->next_of_module;
		if (chain->memory_bytes)
			patch_destroy(chain);
	}
}

/*
 * Deselects one function in `each` (0: none). If the input is undamaged, all
 * others with the verdict JUMP are patched.
 */
static void check_patches(struct prelinked_text *text,
			  const struct prelinked *stubs, uint32_t each,
			  int has_lies)
{
	struct patch *chain = NULL;
	int err;

	memcpy(functions, analysed, sizeof(functions));
	for (uint32_t i = 0; i < COUNT; i++)
		if (is_left_out(i, each))
			functions[i].verdict = VERDICT_IS_DESELECTED;
	workshop.prelinked = stubs;
	err = prelinked_text_prepare(text, &text_of, &workshop, &pristine,
				     &scratch, &scratch, &chain);
	require(has_lies || !err);
	for (uint32_t i = 0; !has_lies && i < COUNT; i++)
		require(is_site(chain, i) ==
			(analysed[i].verdict == VERDICT_IS_JUMP &&
			 !is_left_out(i, each)));
	for (uint32_t i = 0; !err && i < text->fix_count; i++)
		require(text->fixes[i].pc - module.base < MODULE_BYTES &&
			text->fixes[i].bytes <= PATCH_BYTES_MAX);
	prelinked_text_close(text, !err);
	if (!err)
		destroy(chain);
}

static int lies(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i])
			return 1;
	return 0;
}

/* One in so many functions is deselected; 0: none. */
static const uint32_t left_out[] = { 0, 50, 3 };

static void check_all(const uint8_t *data, size_t size, uint32_t each)
{
	struct prelinked_text text;
	struct prelinked stubs;
	int err = load(&stubs, &text);

	require(lies(data, size) || (!err && text.is_found));
	if (!err)
		check_stubs(&stubs);
	if (text.is_found)
		check_text(&text);
	if (!err && text.is_found)
		check_patches(&text, &stubs, each, lies(data, size));
	else
		prelinked_text_close(&text, 0);
	forget_blocks();
	arena_clear(&scratch);
}

/* Checks that a head with any lie is rejected without its owner's sums. */
static void check_forged(const uint8_t *data, size_t size)
{
	const size_t end = STUBS_HEAD_AT + sizeof(struct prelinked_head);
	struct prelinked_text text;
	struct prelinked stubs;
	int err;

	if (size <= STUBS_HEAD_AT)
		return;
	write_kept(&stubs_file, stubs_file.bytes);
	err = load(&stubs, &text);
	require(!err || lies(data, size));
	require(err || !lies(data + STUBS_HEAD_AT,
			     (size < end ? size : end) - STUBS_HEAD_AT));
	prelinked_text_close(&text, 0);
	forget_blocks();
	arena_clear(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int has_begun;

	if (!has_begun)
		begin();
	has_begun = 1;
	lay_all(data, size);
	check_forged(data, size);
	seal(&stubs_file, PRELINKED_FLAGS_AT, PAGE_BYTES);
	seal(&text_file, text_file.head_at + sizeof(struct prelinked_head),
	     sizeof(struct prelinked_text_about));
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
		check_all(data, size, left_out[i]);
	lay_all(data, size); /* removes the input again */
	return 0;
}
