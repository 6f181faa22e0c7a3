/* SPDX-License-Identifier: MIT */
/* See prelinked.h. */
#include "preload/stubs/prelinked.h"

#include <errno.h>
#include <string.h>

#include "machine/address_space.h"
#include "preload/hot/shadow.h"
#include "preload/hot/tails.h"
#include "preload/stubs/stub_template.h"
#include "preload/sys/slices.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/verdict.h"

#define FILES_MAX    8 /* maximum number of files for one module */

#define BUFFER_BYTES 65536
#define STUBS_MAX    (UINT64_C(1) << 29)

/*
 * How far below their module stubs may lie. With a fixed distance, the stubs of
 * adjacent modules are adjacent as well. If a module's stubs are larger than
 * the module, they extend into its neighbour's range.
 */
static const uint64_t distances[PRELINKED_PLACES] = {
	UINT64_C(1024) << 20,
	UINT64_C(1536) << 20,
	UINT64_C(512) << 20,
};

/*
 * How far above their module stubs lie if there is no room below: as far as a
 * jump can reach, because a heap grows there from below.
 */
#define REACH    ((UINT64_C(1) << 31) - (UINT64_C(1) << 20))
#define FOUR_GIB (UINT64_C(1) << 32)

/*
 * An arbitrary distance, a multiple of the page size, at which stubs are
 * composed a second time (compose()).
 */
#define ELSEWHERE (UINT64_C(0x2a) << 20)

/* ---- Layout ---- */

static uint64_t pages(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t flags_bytes(const struct prelinked_module *module)
{
	return pages(module->count);
}

static uint64_t place_of(const struct prelinked_module *module, uint64_t bytes)
{
	const uint64_t start =
		module->user.image.start & ~(uint64_t)(PAGE_BYTES - 1);

	if (start >= FOUR_GIB)
		return start - distances[module->place];
	return ((start + REACH - bytes) & ~(WINDOW_BLOCK_BYTES - 1)) -
	       WINDOW_BLOCK_BYTES + WINDOW_HEAD_BYTES;
}

static uint64_t add_template(uint64_t key, const struct stub_template *template)
{
	key = prelinked_sum(key, template->start, template->bytes);
	for (const struct hole *hole = template->holes;
	     hole < template->holes_end; hole++) {
		const uint64_t word = (uint64_t)hole->kind << 16 | hole->at;

		key = prelinked_sum(key, &word, sizeof(word));
	}
	return key;
}

/*
 * Returns a hash of everything that the bytes of stubs depend on, except the
 * library's build and the displaced code.
 */
static uint64_t key_of(const struct prelinked_module *module, uint64_t place)
{
	const struct stub_template *template = stub_template();
	const uint64_t others[] = {
		template->bytes,
		template->kind,
		hot_tails_nest,
		(uint64_t)(int64_t)module->constants.tls_offset,
		module->constants.counted,
		module->first_number,
		place - module->base,
		hot_shadow_half,
	};
	uint64_t key = PRELINKED_SUM_OF_NOTHING;

	key = add_template(key, template);
	if (rt.leaf_stub)
		key = add_template(key, rt.leaf_stub);
	key = prelinked_sum(key, others, sizeof(others));
	return prelinked_sum(key, module->functions,
			     module->count * sizeof(*module->functions));
}

static void add_digits(struct text *text, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		text_char(text, digits[bytes[i] >> 4]);
		text_char(text, digits[bytes[i] & 15]);
	}
}

static const char *const suffixes[] = {
	[PRELINKED_STUBS] = ".prelinked",
	[PRELINKED_TEXT] = ".hooked",
	[PRELINKED_LEARNT] = ".learnt",
};

/*
 * The name has the same form as that of a cached analysis (image/cache_path.h).
 */
int prelinked_name(char name[PRELINKED_NAME_BYTES],
		   const struct prelinked_module *module, uint32_t number,
		   enum prelinked_kind kind)
{
	struct text text = text_in(name, PRELINKED_NAME_BYTES);
	const int is_late = kind == PRELINKED_STUBS && rt.is_late;

	/* the file is in the recording's folder and not in the cache */
	if (is_late)
		text_string(&text, WIRE_STUBS_MODULE);
	add_digits(&text, module->content.digest,
		   sizeof(module->content.digest));
	text_char(&text, '-');
	text_hex(&text, number);
	text_string(&text, is_late ? WIRE_STUBS_SUFFIX : suffixes[kind]);
	return text_was_cut(&text) ? -ENAMETOOLONG : 0;
}

/*
 * Returns -ENOTSUP if this process's stubs cannot equal those of other
 * processes.
 */
static int lay_out(struct prelinked_layout *layout,
		   const struct prelinked_module *module)
{
	const uint64_t bytes = module->count * stub_bytes();

	if (!content_is_known(&module->content) || module->maker_bytes < 8 ||
	    !module->count || rt.sink->index ||
	    hot_shadow_low == SHADOW_NOWHERE || bytes > STUBS_MAX)
		return -ENOTSUP;
	layout->stubs_at = PRELINKED_FLAGS_AT + flags_bytes(module);
	layout->bytes = pages(layout->stubs_at + bytes);
	layout->place.start = place_of(module, layout->bytes);
	layout->place.end = layout->place.start + layout->bytes;
	layout->maker = prelinked_sum(PRELINKED_SUM_OF_NOTHING, module->maker,
				      module->maker_bytes);
	layout->key = key_of(module, layout->place.start);
	return 0;
}

/* ---- Displaced code ---- */

static uint64_t code_pc(const struct prelinked_module *module, uint32_t i)
{
	const struct wire_function *function = &module->functions[i];

	return module->base + function->vaddr + function->patch_offset;
}

static uint64_t add_code(uint64_t sum, const struct prelinked_module *module,
			 uint32_t i)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)code_pc(module, i);
	uint32_t left = wire_displaced_bytes(&module->functions[i]);
	uint64_t word = 0;

	sum = prelinked_sum(sum, code, left);
	code += left & ~7U;
	left &= 7;
	memcpy(&word, code, left);
	return left ? prelinked_sum(sum, &word, sizeof(word)) : sum;
}

static int is_hooked(const struct prelinked_module *module, uint32_t i)
{
	return verdict_class(module->functions[i].verdict) == VERDICT_HOOKED;
}

/*
 * Returns a hash of the code that stubs displace. The hash includes functions
 * whose stubs are not in the file, because these may be added when a debugger's
 * breakpoints are removed.
 */
static uint64_t sum_of_code(const struct prelinked_module *module)
{
	uint64_t sum = PRELINKED_SUM_OF_NOTHING;

	for (uint32_t i = 0; i < module->count; i++)
		if (is_hooked(module, i))
			sum = add_code(sum, module, i);
	return sum;
}

/* ---- Mapping ---- */

/*
 * Returns whether the flags are valid: only a function that can have a stub may
 * have one in the file.
 */
static int flags_are_sound(const struct prelinked_module *module,
			   const uint8_t *has)
{
	for (uint32_t i = 0; i < module->count; i++)
		if (has[i] > 1 || (has[i] && !is_hooked(module, i)))
			return 0;
	return 1;
}

static int read_flags(const struct prelinked_module *module, int fd,
		      const struct prelinked_head *head, uint8_t *has)
{
	const uint64_t bytes = flags_bytes(module);
	const long got = sys_call(SYS_pread64, fd, (long)has, (long)bytes,
				  PRELINKED_FLAGS_AT, 0, 0);

	return got == (long)bytes &&
	       prelinked_sum(PRELINKED_SUM_OF_NOTHING, has, bytes) ==
		       head->flags &&
	       flags_are_sound(module, has);
}

/*
 * Returns whether the file's stubs belong to these functions and to their code
 * in memory.
 */
static int are_its(const struct prelinked_module *module,
		   const struct prelinked_found *found, int code_is_known,
		   uint8_t *has)
{
	const struct prelinked_layout *layout = &found->layout;
	const struct prelinked_head *head = &found->head;

	return head->function_count == module->count &&
	       head->bytes == layout->bytes &&
	       head->stubs_at == layout->stubs_at &&
	       read_flags(module, found->fd, head, has) &&
	       (code_is_known || head->code == sum_of_code(module));
}

/*
 * Returns a descriptor of the file, or -errno. After -ENOENT the file with
 * number found->number may be created.
 */
static int find_file(const struct prelinked_module *module,
		     const struct prelinked_folder *folder,
		     struct prelinked_found *found)
{
	const struct prelinked_head *head = &found->head;
	char name[PRELINKED_NAME_BYTES];

	for (uint32_t i = 0; i < FILES_MAX; i++) {
		int fd = prelinked_name(name, module, i, PRELINKED_STUBS);

		if (!fd)
			fd = prelinked_file_open(folder, name, PRELINKED_STUBS,
						 &found->head);
		found->number = i;
		if (fd == -ENAMETOOLONG)
			return fd;
		if (fd >= 0 && head->maker == found->layout.maker &&
		    head->key == found->layout.key)
			return fd;
		if (fd >= 0)
			sys_close(fd);
		if (fd < 0 || head->maker != found->layout.maker)
			return -ENOENT;
	}
	return -ENOSPC;
}

int prelinked_find(struct prelinked_found *found,
		   const struct prelinked_module *module,
		   const struct prelinked_folder *folder)
{
	int err = lay_out(&found->layout, module);

	if (err)
		return err;
	found->fd = find_file(module, folder, found);
	return found->fd < 0 ? found->fd : 0;
}

int prelinked_map(struct prelinked *prelinked,
		  const struct prelinked_module *module,
		  const struct prelinked_found *found, int code_is_known,
		  struct windows *windows, struct arena *arena)
{
	const struct prelinked_layout *layout = &found->layout;
	uint8_t *has = arena_alloc(arena, flags_bytes(module));
	int err = 0;

	if (!has)
		err = -ENOMEM;
	else if (!are_its(module, found, code_is_known, has))
		err = -ENOENT;
	if (!err)
		err = window_take(windows, &module->user, &layout->place);
	if (!err)
		err = window_map(&layout->place, found->fd);
	sys_close(found->fd);
	if (err)
		return err;
	prelinked->stubs = layout->place.start + layout->stubs_at;
	prelinked->has = has;
	return 0;
}

/* ---- Creating ---- */

struct maker {
	const struct prelinked_module *module;
	const struct decoder *decoder;
	struct prelinked_writing writing;
	uint8_t *has;
	uint8_t *buffer;
	uint8_t *again; /* room for the second copy of a stub (compose()) */
	uint64_t stubs; /* address at which the first stub will run */
};

static int compose_for(const struct maker *maker, uint32_t i, uint64_t away,
		       uint8_t *at)
{
	const struct prelinked_module *module = maker->module;
	const struct wire_function *function = &module->functions[i];
	const uint64_t pc = code_pc(module, i);

	return stub_write(
		&module->constants, maker->decoder,
		&(struct stub_function){
			.number = module->first_number + i,
			.pc = pc + away,
			.code = (const uint8_t *)(uintptr_t)pc,
			.displaced_bytes = wire_displaced_bytes(function),
			.loops = (uint8_t)wire_loops(function),
			.is_leaf = (uint8_t)wire_is_leaf(function),
		},
		at, maker->stubs + i * stub_bytes() + away);
}

/*
 * Composes a stub twice, for two pairs of addresses of the module and the stubs
 * with the same distance. Returns whether both are equal, so that the stub can
 * be stored.
 */
static int compose(const struct maker *maker, uint32_t i, uint8_t *at)
{
	memset(at, 0, stub_bytes());
	memset(maker->again, 0, stub_bytes());
	if (!compose_for(maker, i, 0, at) &&
	    !compose_for(maker, i, ELSEWHERE, maker->again) &&
	    !memcmp(at, maker->again, stub_bytes()))
		return 1;
	memset(at, 0, stub_bytes());
	return 0;
}

static int write_stubs(struct maker *maker)
{
	const uint32_t at_once = (uint32_t)(BUFFER_BYTES / stub_bytes());
	const uint32_t count = maker->module->count;
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i += at_once) {
		uint32_t n = 0;

		for (; n < at_once && i + n < count; n++) {
			uint8_t *at = maker->buffer + n * stub_bytes();

			memset(at, 0, stub_bytes());
			if (is_hooked(maker->module, i + n))
				maker->has[i + n] =
					(uint8_t)compose(maker, i + n, at);
		}
		err = prelinked_file_write(
			&maker->writing, maker->buffer, n * stub_bytes(),
			maker->writing.head.stubs_at + i * stub_bytes());
	}
	return err;
}

static int write_front(struct maker *maker)
{
	struct prelinked_head *head = &maker->writing.head;
	const uint64_t bytes = flags_bytes(maker->module);
	struct stub_image *image = (struct stub_image *)maker->buffer;
	int err;

	memset(image, 0, sizeof(*image));
	stub_image_write_file(image, head->bytes);
	head->function_count = maker->module->count;
	head->flags =
		prelinked_sum(PRELINKED_SUM_OF_NOTHING, maker->has, bytes);
	head->code = sum_of_code(maker->module);
	err = prelinked_file_write(&maker->writing, image, sizeof(*image), 0);
	return err ? err
		   : prelinked_file_write(&maker->writing, maker->has, bytes,
					  PRELINKED_FLAGS_AT);
}

static int begin_file(struct maker *maker,
		      const struct prelinked_folder *folder, const char *name,
		      const struct prelinked_layout *layout)
{
	int err = prelinked_file_begin(&maker->writing, folder, name,
				       PRELINKED_STUBS, layout->bytes);

	if (err)
		return err;
	maker->writing.head.stubs_at = layout->stubs_at;
	maker->writing.head.maker = layout->maker;
	maker->writing.head.key = layout->key;
	return 0;
}

static int end_file(struct maker *maker, int err)
{
	if (!err)
		err = write_front(maker);
	if (!err)
		return prelinked_file_commit(&maker->writing);
	prelinked_file_revert(&maker->writing);
	return err;
}

int prelinked_make(const struct prelinked_module *module,
		   const struct prelinked_folder *folder,
		   const struct decoder *decoder, struct arena *arena,
		   uint32_t number)
{
	struct maker maker = { .module = module, .decoder = decoder };
	char name[PRELINKED_NAME_BYTES];
	struct prelinked_layout layout;
	int err = lay_out(&layout, module);

	if (!err)
		err = prelinked_name(name, module, number, PRELINKED_STUBS);
	if (err)
		return err;
	maker.has = arena_alloc(arena, flags_bytes(module));
	maker.buffer = arena_alloc(arena, BUFFER_BYTES);
	maker.again = arena_alloc(arena, stub_bytes());
	maker.stubs = layout.place.start + layout.stubs_at;
	if (!maker.has || !maker.buffer || !maker.again)
		return -ENOMEM;
	err = begin_file(&maker, folder, name, &layout);
	return err ? err : end_file(&maker, write_stubs(&maker));
}

/* ---- Composing stubs without writing a file yet ---- */

/* How many stubs are composed between two calls of slices_rest(): 0.3 ms. */
#define BETWEEN_RESTS 256

static int compose_all(struct maker *maker)
{
	const struct prelinked_module *module = maker->module;

	for (uint32_t i = 0; i < module->count; i++) {
		if (i % BETWEEN_RESTS == BETWEEN_RESTS - 1)
			slices_rest();
		if (*module->is_gone)
			return -ESTALE;
		if (is_hooked(module, i))
			maker->has[i] = (uint8_t)compose(
				maker, i, maker->buffer + i * stub_bytes());
	}
	return 0;
}

int prelinked_compose(struct prelinked_composed *ahead,
		      const struct prelinked_module *module,
		      const struct decoder *decoder, struct arena *arena)
{
	struct maker maker = { .module = module, .decoder = decoder };
	struct prelinked_layout layout;
	int err = lay_out(&layout, module);

	if (err)
		return err;
	ahead->bytes = module->count * stub_bytes();
	ahead->has = arena_alloc(arena, flags_bytes(module));
	ahead->stubs = sys_map_private(ahead->bytes);
	if (sys_failed(ahead->stubs))
		ahead->stubs = NULL;
	maker.has = ahead->has;
	maker.buffer = ahead->stubs;
	maker.again = arena_alloc(arena, stub_bytes());
	maker.stubs = layout.place.start + layout.stubs_at;
	return maker.has && maker.buffer && maker.again ? compose_all(&maker)
							: -ENOMEM;
}

int prelinked_write(const struct prelinked_composed *ahead,
		    const struct prelinked_module *module,
		    const struct prelinked_folder *folder, struct arena *arena,
		    uint32_t number)
{
	struct maker maker = { .module = module, .has = ahead->has };
	char name[PRELINKED_NAME_BYTES];
	struct prelinked_layout layout;
	int err = lay_out(&layout, module);

	if (!err)
		err = prelinked_name(name, module, number, PRELINKED_STUBS);
	if (err)
		return err;
	maker.buffer = arena_alloc(arena, BUFFER_BYTES);
	if (!maker.buffer)
		return -ENOMEM;
	err = begin_file(&maker, folder, name, &layout);
	if (err)
		return err;
	return end_file(&maker,
			prelinked_file_write(&maker.writing, ahead->stubs,
					     ahead->bytes, layout.stubs_at));
}

void prelinked_free_composed(struct prelinked_composed *ahead)
{
	if (ahead->stubs)
		sys_munmap(ahead->stubs, ahead->bytes);
	*ahead = (struct prelinked_composed){ 0 };
}
