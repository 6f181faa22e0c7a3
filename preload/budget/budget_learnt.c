/* SPDX-License-Identifier: MIT */
/* See budget_learnt.h. */
#include "preload/budget/budget_learnt.h"

#include <errno.h>

#include "preload/budget/budget_hooks.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/stubs/prelinked.h"
#include "preload/sys/sys.h"

/* Files have at most this many functions; further ones are not stored. */
#define COUNT_MAX 16384

/* No function is called more often in a second; larger values are damaged. */
#define PER_S_MAX UINT64_C(100000000000)

static uint64_t bytes_of(uint32_t count)
{
	return sizeof(struct learnt) + count * sizeof(struct learnt_function);
}

static int name_file(char name[PRELINKED_NAME_BYTES],
		     const struct module *module)
{
	const struct prelinked_module of = { .content = module->analysed };

	return prelinked_name(name, &of, 0, PRELINKED_LEARNT);
}

static uint64_t key_of(const struct module *module)
{
	return prelinked_sum(PRELINKED_SUM_OF_NOTHING, &module->analysed,
			     sizeof(module->analysed));
}

/* Returns 0 if there is no cache. */
static int open_folder(struct prelinked_folder *folder)
{
	const char *path = rt.config->cache_dir;

	return path && !prelinked_folder_open(folder, path);
}

/* ---- Reading ---- */

static int is_sound(const struct learnt *learnt,
		    const struct prelinked_head *head)
{
	if (learnt->count != head->function_count ||
	    prelinked_sum(PRELINKED_SUM_OF_NOTHING, learnt,
			  bytes_of(learnt->count)) != head->flags)
		return 0;
	for (uint32_t i = 0; i < learnt->count; i++)
		if (learnt->functions[i].per_s > PER_S_MAX)
			return 0;
	return 1;
}

/*
 * Reads a file to `learnt`, which has room for COUNT_MAX functions. Returns 0
 * or -errno.
 */
static int read_file(const struct prelinked_folder *folder,
		     const struct module *module, struct learnt *learnt)
{
	struct prelinked_head head;
	char name[PRELINKED_NAME_BYTES];
	int err = name_file(name, module), fd;
	long bytes;

	if (err)
		return err;
	fd = prelinked_file_open(folder, name, PRELINKED_LEARNT, &head);
	if (fd < 0)
		return fd;
	err = -EBADMSG;
	if (head.function_count <= COUNT_MAX && head.key == key_of(module)) {
		bytes = (long)bytes_of(head.function_count);
		if (sys_call(SYS_pread64, fd, (long)learnt, bytes, 0, 0, 0) ==
			    bytes &&
		    is_sound(learnt, &head))
			err = 0;
	}
	sys_close(fd);
	return err;
}

static const struct patch_site *site_at(const struct module *module,
					uint64_t vaddr)
{
	const struct patch_site *site = NULL;

	for (const struct patch *p = module->patches; p && !site;
	     p = p->next_of_module)
		if (p->is_written && !p->probe)
			site = patch_find(p, vaddr + module->base);
	return site;
}

static uint32_t add(struct budget_functions *functions,
		    const struct module *module, const struct learnt *learnt)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < learnt->count; i++) {
		const struct learnt_function *from = &learnt->functions[i];
		const struct patch_site *site = site_at(module, from->vaddr);
		struct budget_function *slot =
			site ? budget_functions_add(functions, site->function)
			     : NULL;

		if (slot && from->per_s) {
			slot->recalled_per_s = from->per_s;
			count++;
		}
	}
	return count;
}

static uint32_t recall_module(struct budget_functions *functions,
			      const struct prelinked_folder *folder,
			      struct module *module, struct learnt *learnt)
{
	module->is_recalled = 1;
	if (!content_is_known(&module->analysed) || module->is_libc ||
	    read_file(folder, module, learnt))
		return 0;
	module->has_learnt = 1;
	return rt.config->budget <= 2 * learnt->budget
		       ? add(functions, module, learnt)
		       : 0;
}

static int has_new_modules(void)
{
	for (const struct patch *p = rt.patches->first; p; p = p->next)
		if (!p->module->is_recalled && p->is_written)
			return 1;
	return 0;
}

static uint32_t recall_all(struct budget_functions *functions,
			   const struct prelinked_folder *folder,
			   struct learnt *learnt)
{
	uint32_t count = 0;

	for (const struct patch *p = rt.patches->first; p; p = p->next)
		if (!p->module->is_recalled && p->is_written)
			count += recall_module(functions, folder, p->module,
					       learnt);
	return count;
}

uint32_t budget_learnt_recall(struct budget_functions *functions)
{
	struct prelinked_folder folder = { 0 };
	struct learnt *learnt;
	uint32_t count = 0;
	uint64_t signals;

	if (!rt.config->cache_dir || budget_hooks_lock(&signals))
		return 0;
	if (has_new_modules() && open_folder(&folder)) {
		learnt = sys_map_private(bytes_of(COUNT_MAX));
		if (!sys_failed(learnt)) {
			count = recall_all(functions, &folder, learnt);
			sys_munmap(learnt, bytes_of(COUNT_MAX));
		}
		prelinked_folder_close(&folder);
	}
	budget_hooks_unlock(&signals);
	return count;
}

/* ---- Writing ---- */

static uint64_t calls_a_second(const struct budget_function *slot,
			       uint64_t program_ns)
{
	const uint64_t missed = slot->record ? slot->record->missed : 0;
	const double per_s = (double)(slot->calls + missed) * 1e9 /
			     (double)(program_ns ? program_ns : 1);

	return per_s < PER_S_MAX ? (uint64_t)per_s : PER_S_MAX;
}

/* Lists the functions of a module that are to be stored. */
static void gather(const struct budget_functions *functions,
		   const struct module *module, uint64_t program_ns,
		   struct learnt *learnt)
{
	learnt->budget = rt.config->budget;
	learnt->count = 0;
	for (const struct patch *p = module->patches; p;
	     p = p->next_of_module) {
		for (uint32_t i = 0; i < p->site_count; i++) {
			const struct patch_site *site = &p->sites[i];
			const struct budget_function *slot =
				budget_functions_find(functions,
						      site->function);

			if (!slot || p->probe ||
			    !(slot->is_out || slot->was_too_costly) ||
			    learnt->count == COUNT_MAX)
				continue;
			learnt->functions[learnt->count++] =
				(struct learnt_function){
					.vaddr = p->base + site->text.pc -
						 module->base,
					.per_s = calls_a_second(slot,
								program_ns),
				};
		}
	}
}

static uint64_t pages(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static int write_file(const struct prelinked_folder *folder,
		      const struct module *module, const struct learnt *learnt)
{
	const uint64_t bytes = bytes_of(learnt->count);
	struct prelinked_writing writing;
	char name[PRELINKED_NAME_BYTES];
	int err = name_file(name, module);

	if (!err)
		err = prelinked_file_begin(&writing, folder, name,
					   PRELINKED_LEARNT,
					   pages(bytes) + PRELINKED_HEAD_PAGE);
	if (err)
		return err;
	writing.head.function_count = learnt->count;
	writing.head.key = key_of(module);
	writing.head.flags =
		prelinked_sum(PRELINKED_SUM_OF_NOTHING, learnt, bytes);
	err = prelinked_file_write(&writing, learnt, bytes, 0);
	if (!err)
		return prelinked_file_commit(&writing);
	prelinked_file_revert(&writing);
	return err;
}

static void keep_module(const struct budget_functions *functions,
			const struct prelinked_folder *folder,
			struct module *module, uint64_t program_ns,
			struct learnt *learnt)
{
	gather(functions, module, program_ns, learnt);
	if ((learnt->count || module->has_learnt) &&
	    !write_file(folder, module, learnt))
		module->has_learnt = 1;
}

int budget_learnt_keep(const struct budget_functions *functions,
		       uint64_t program_ns)
{
	struct learnt *learnt = sys_map_private(bytes_of(COUNT_MAX));
	struct prelinked_folder folder = { 0 };
	uint64_t signals;
	int err = 0;

	if (sys_failed(learnt))
		return -ENOMEM;
	if (open_folder(&folder))
		err = budget_hooks_lock(&signals);
	if (folder.is_open && !err) {
		for (const struct patch *p = rt.patches->first; p; p = p->next)
			if (p == p->module->patches &&
			    content_is_known(&p->module->analysed))
				keep_module(functions, &folder, p->module,
					    program_ns, learnt);
		budget_hooks_unlock(&signals);
	}
	prelinked_folder_close(&folder);
	sys_munmap(learnt, bytes_of(COUNT_MAX));
	return err;
}

void budget_learnt_forget(void)
{
	for (const struct patch *p = rt.patches->first; p; p = p->next)
		p->module->is_recalled = p->module->has_learnt = 0;
}
