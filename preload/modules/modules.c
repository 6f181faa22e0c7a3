/* SPDX-License-Identifier: MIT */
/* See modules.h. */
#include "preload/modules/modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "libc/libc.h"
#include "preload/host/libc_calls.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/sys/own_code.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

/*
 * State of one update of the list. The loader reports modules in the order in
 * which they were loaded, which is also the order of the list. Therefore the
 * search for a reported module starts behind the one that was found last, and
 * ends when all modules of the list were found. Otherwise an update would take
 * quadratic time.
 */
struct finder {
	struct modules *modules;
	struct arena *arena;
	/* Module at which the next search starts; NULL: at the first one. */
	struct module *next;
	/* number of modules in the list that were not found yet */
	uint32_t unseen;
	uint8_t has_unloaded; /* some modules were unloaded */
	/*
	 * The reported modules belong to another namespace, which may share
	 * ld.so with the first one.
	 */
	uint8_t is_in_others;
};

/*
 * Begins an update: increments the generation, which each module that is found
 * gets.
 */
static void begin(struct finder *finder)
{
	struct modules *modules = finder->modules;

	modules->generation++;
	finder->has_unloaded = modules->spare != NULL;
	for (struct module *m = modules->first; m; m = m->next) {
		finder->unseen += !m->is_gone;
		finder->has_unloaded |= m->is_gone;
	}
}

/*
 * Returns the stored copy of this path if an unloaded module of the list has
 * it, so that no second copy is stored when a module is loaded again; else
 * NULL.
 */
static const char *known_path(const struct module *list, const char *path)
{
	for (; list; list = list->next)
		if (list->is_gone && list->path && !strcmp(list->path, path))
			return list->path;
	return NULL;
}

static const char *keep_path(struct finder *finder, const char *path)
{
	const char *known = NULL;
	size_t bytes = strlen(path) + 1;
	char *copy;

	if (finder->has_unloaded)
		known = known_path(finder->modules->first, path);
	if (!known && finder->has_unloaded)
		known = known_path(finder->modules->spare, path);
	if (known)
		return known;
	copy = arena_alloc(finder->arena, bytes);
	return copy ? memcpy(copy, path, bytes) : NULL;
}

/*
 * Returns a copy of a path, which is made absolute if possible, or NULL if
 * there is no memory. The loader reports names as they were passed to it, and
 * some are relative.
 */
static const char *absolute_path(struct finder *finder, const char *path)
{
	char absolute[2 * PATH_MAX];
	struct text text = text_in(absolute, sizeof(absolute));
	char folder[PATH_MAX];

	if (*path == '/' || !strchr(path, '/') ||
	    !getcwd(folder, sizeof(folder)))
		return keep_path(finder, path);
	text_string(&text, folder);
	text_char(&text, '/');
	text_string(&text, path);
	return keep_path(finder, text_was_cut(&text) ? path : absolute);
}

/* Returns the path of the executable, for which the loader reports no name. */
static const char *executable_path(struct finder *finder)
{
	char path[PATH_MAX];
	long length = proc_read_own_link("exe", path, sizeof(path) - 1);

	if (length <= 0)
		return "/proc/self/exe";
	path[length] = '\0';
	return keep_path(finder, path);
}

/* Returns the bounds of the loaded segments that have one of these flags. */
static struct pc_range bounds_of(uint64_t base, const ElfW(Phdr) * segments,
				 uint32_t count, uint32_t flags)
{
	struct pc_range bounds = { .start = UINT64_MAX };

	for (uint32_t i = 0; i < count; i++) {
		const ElfW(Phdr) *segment = &segments[i];
		uint64_t start = base + segment->p_vaddr;
		uint64_t end = start + segment->p_memsz;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & flags))
			continue;
		if (start < bounds.start)
			bounds.start = start;
		if (end > bounds.end)
			bounds.end = end;
	}
	return bounds.end ? bounds : (struct pc_range){ 0 };
}

/*
 * Reads the GNU build-id from the notes in [at, end). Returns its length, or 0.
 */
static uint32_t find_build_id(const uint8_t *at, const uint8_t *end,
			      uint8_t out[32])
{
	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name_bytes = (note->n_namesz + 3) & ~3UL;
		size_t bytes = (note->n_descsz + 3) & ~3UL;

		at += sizeof(*note);
		if ((size_t)(end - at) < name_bytes ||
		    (size_t)(end - at) - name_bytes < bytes)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(at, "GNU", 4) && note->n_descsz <= 32) {
			memcpy(out, at + name_bytes, note->n_descsz);
			return note->n_descsz;
		}
		at += name_bytes + bytes;
	}
	return 0;
}

/*
 * Returns whether a loaded segment contains these notes. Tools that remove
 * notes may leave a program header that points to unmapped memory.
 */
static int is_loaded(const struct module *module, const ElfW(Phdr) * part)
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		const uint64_t skipped = part->p_vaddr - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R &&
		    part->p_vaddr >= segment->p_vaddr &&
		    skipped <= segment->p_filesz &&
		    part->p_memsz <= segment->p_filesz - skipped)
			return 1;
	}
	return 0;
}

static void read_build_id(struct module *module)
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		const uint8_t *at =
			(const uint8_t *)(module->base + segment->p_vaddr);

		if (segment->p_type != PT_NOTE || module->build_id_bytes ||
		    !is_loaded(module, segment))
			continue;
		module->build_id_bytes = find_build_id(
			at, at + segment->p_memsz, module->build_id);
	}
}

static struct module *find_between(struct module *at, const struct module *end,
				   const struct dl_phdr_info *info)
{
	for (; at != end; at = at->next)
		if (!at->is_gone && at->segments == info->dlpi_phdr &&
		    at->base == info->dlpi_addr)
			return at;
	return NULL;
}

static struct module *find_module(struct finder *finder,
				  const struct dl_phdr_info *info)
{
	struct module *found = find_between(finder->next, NULL, info);

	if (!found && (finder->unseen || finder->is_in_others))
		found = find_between(finder->modules->first, finder->next,
				     info);
	if (found)
		finder->next = found->next;
	return found;
}

static void note_seen(struct finder *finder, struct module *module)
{
	if (module->generation == finder->modules->generation)
		return;
	module->generation = finder->modules->generation;
	finder->unseen--;
}

static struct module *take_module(struct finder *finder)
{
	struct module *spare = finder->modules->spare;

	if (!spare)
		return arena_alloc(finder->arena, sizeof(*spare));
	finder->modules->spare = spare->next;
	*spare = (struct module){ .path = spare->path };
	return spare;
}

static int add_module(struct finder *finder, const struct dl_phdr_info *info)
{
	struct modules *modules = finder->modules;
	struct module *module = take_module(finder);

	if (!module)
		return -ENOMEM;
	module->base = info->dlpi_addr;
	module->segments = info->dlpi_phdr;
	module->segment_count = info->dlpi_phnum;
	module->code = bounds_of(module->base, module->segments,
				 module->segment_count, PF_X);
	module->image = bounds_of(module->base, module->segments,
				  module->segment_count, PF_R | PF_W | PF_X);
	module->path = *info->dlpi_name ? absolute_path(finder, info->dlpi_name)
					: executable_path(finder);
	if (!module->path)
		return -ENOMEM;
	read_build_id(module);
	module->is_new = 1;
	module->generation = modules->generation;
	if (modules->last)
		modules->last->next = module;
	else
		modules->first = module;
	modules->last = module;
	if (module->base == own_code_start())
		modules->self = module;
	return 0;
}

/*
 * Returns whether a module still has the build-id that was read when it was
 * added.
 */
static int has_same_build_id(const struct module *module,
			     const struct dl_phdr_info *info)
{
	struct module now = { .base = info->dlpi_addr,
			      .segments = info->dlpi_phdr,
			      .segment_count = info->dlpi_phnum };

	read_build_id(&now);
	return now.build_id_bytes == module->build_id_bytes &&
	       !memcmp(now.build_id, module->build_id, now.build_id_bytes);
}

/*
 * Returns whether a reported module is the one in the list that has the same
 * address. Another module may have been loaded there since the last update.
 * Modules without a build-id are distinguished by their paths.
 */
static int is_same(const struct module *module, const struct dl_phdr_info *info)
{
	return has_same_build_id(module, info) &&
	       (*info->dlpi_name != '/' ||
		!strcmp(module->path, info->dlpi_name));
}

static int see_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct finder *finder = context;
	struct module *module = find_module(finder, info);

	if (!module || !is_same(module, info))
		return add_module(finder, info);
	note_seen(finder, module);
	return 0;
}

/* Calls `see` for each module of the program's namespace. */
static int each_module(struct finder *finder, libc_visit see)
{
	const struct libc_calls own = libc_calls_begin();
	const int err = libc_each_module(NEXT(dl_iterate_phdr), see, finder);

	libc_calls_end(&own);
	return err;
}

/*
 * Returns dlinfo() if it finds program headers (RTLD_DI_PHDR), as it does since
 * glibc 2.36; else NULL. Older versions allocate an error message with the
 * program's malloc. process_mrelease() is also new in glibc 2.36.
 */
static __typeof__(&dlinfo) headers_finder(void)
{
	return next.libc.start && lookup_in(next.libc.start, "process_mrelease")
		       ? NEXT(dlinfo)
		       : NULL;
}

/*
 * dl_iterate_phdr() visits only its caller's namespace. Namespaces of dlmopen()
 * are listed in the loader's data for debuggers (<link.h>), since glibc 2.35.
 */
static int see_other_namespaces(struct finder *finder,
				int (*see)(struct dl_phdr_info *, size_t,
					   void *))
{
	const struct r_debug_extended *debug = (const void *)lookup_debug();
	__typeof__(&dlinfo) find_headers;
	int err = 0;

	if (!debug || debug->base.r_version < 2)
		return 0;
	find_headers = headers_finder();
	if (!find_headers)
		return 0;
	finder->is_in_others = 1;
	for (debug = debug->r_next; debug; debug = debug->r_next) {
		for (struct link_map *map = debug->base.r_map; map && !err;
		     map = map->l_next) {
			struct dl_phdr_info info = { .dlpi_addr = map->l_addr,
						     .dlpi_name = map->l_name };
			const struct libc_calls own = libc_calls_begin();
			int count = find_headers(map, RTLD_DI_PHDR,
						 &info.dlpi_phdr);

			libc_calls_end(&own);
			if (count <= 0)
				continue;
			info.dlpi_phnum = (ElfW(Half))count;
			err = see(&info, sizeof(info), finder);
		}
	}
	return err;
}

int modules_update(struct modules *modules, struct arena *arena)
{
	struct finder finder = { .modules = modules, .arena = arena };
	int err;

	begin(&finder);
	for (struct module *m = modules->first; m; m = m->next)
		m->is_new = 0;
	err = each_module(&finder, see_module);
	if (!err)
		err = see_other_namespaces(&finder, see_module);
	for (struct module *m = modules->first; m && !err; m = m->next)
		m->is_gone |= m->generation != modules->generation;
	return err;
}

int modules_add(struct modules *modules, const struct dl_phdr_info *info,
		struct arena *arena)
{
	struct finder finder = { .modules = modules, .arena = arena };

	return add_module(&finder, info);
}

/*
 * Returns whether a reported module may be the one in the list. Without a
 * build-id, a new module may be another file with the same path.
 */
static int may_be_same(const struct module *module,
		       const struct dl_phdr_info *info)
{
	return (!module->is_new || module->build_id_bytes) &&
	       is_same(module, info);
}

static int see_again(struct dl_phdr_info *info, size_t size, void *context)
{
	struct finder *finder = context;
	struct module *module = find_module(finder, info);

	if (module && may_be_same(module, info))
		note_seen(finder, module);
	return 0;
}

/* Skips the first module, the program itself, which cannot be unloaded. */
void modules_find_unloaded(struct modules *modules)
{
	struct finder finder = { .modules = modules };

	begin(&finder);
	each_module(&finder, see_again);
	see_other_namespaces(&finder, see_again);
	if (modules->first)
		modules->first->generation = modules->generation;
	for (struct module *m = modules->first; m; m = m->next)
		m->is_gone |= m->generation != modules->generation;
}

void modules_forget(struct modules *modules, struct module *module)
{
	struct module *last = NULL, **at = &modules->first;

	while (*at && *at != module) {
		last = *at;
		at = &last->next;
	}
	if (!*at)
		return;
	*at = module->next;
	if (modules->last == module)
		modules->last = last;
	module->is_gone = 1;
	module->next = modules->spare;
	modules->spare = module;
}
