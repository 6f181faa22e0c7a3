/* SPDX-License-Identifier: MIT */
/* See handler_object.h. */
#include "cli/probes/handler_object.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/clew_handler.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "expression/probe_action.h"
#include "image/arena.h"
#include "image/dynamic.h"
#include "image/image.h"
#include "image/symbols.h"

#define COMMAND "clew"

/*
 * Functions that handlers may call: functions of <string.h> without memory and
 * locale, useful ones of signal-safety(7), those of <clew.h> that are
 * documented under "Signals", and those that compilers and linkers insert.
 */
static const char *const harmless[] = {
	"__cxa_finalize",
	"__errno_location",
	"__gmon_start__",
	"__stack_chk_fail",
	"_ITM_deregisterTMCloneTable",
	"_ITM_registerTMCloneTable",
	"_exit",
	"_Unwind_Resume",
	"__gxx_personality_v0",
	"abort",
	"clew_begin",
	"clew_confidence",
	"clew_context",
	"clew_depth",
	"clew_end",
	"clew_id",
	"clew_mark",
	"clew_node",
	"clew_node_add",
	"clew_parent",
	"clew_row_is_there",
	"clew_row_new",
	"clew_stack",
	"clew_value_add",
	"clew_value_raise",
	"clock_gettime",
	"getpid",
	"gettid",
	"kill",
	"memccpy",
	"memchr",
	"memcmp",
	"memcpy",
	"memmem",
	"memmove",
	"mempcpy",
	"memrchr",
	"memset",
	"pthread_self",
	"raise",
	"read",
	"send",
	"sem_post",
	"stpcpy",
	"stpncpy",
	"strcat",
	"strchr",
	"strchrnul",
	"strcmp",
	"strcpy",
	"strcspn",
	"strlen",
	"strncat",
	"strncmp",
	"strncpy",
	"strnlen",
	"strpbrk",
	"strrchr",
	"strspn",
	"strstr",
	"syscall",
	"write",
	"writev",
};

/* Exports and imports of an object. */
struct handler_search {
	const struct image *image;
	const char *function;
	int has_function;
	uint64_t traits_vaddr; /* Address of its struct clew_handler, or 0. */
	char *others;          /* Forbidden imports: "printf, malloc". */
	char *vectors;         /* Imports that may use vector registers. */
};

static int is_harmless(const char *name)
{
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (strcmp(harmless[i], name) == 0)
			return 1;
	return 0;
}

/*
 * Returns whether an object of general handlers may import this: such handlers
 * use only general registers.
 */
static int is_general(const char *name)
{
	return strncmp(name, "clew_", 5) == 0 ||
	       strncmp(name, "_ITM_", 5) == 0 ||
	       strcmp(name, "__cxa_finalize") == 0 ||
	       strcmp(name, "__gmon_start__") == 0;
}

static void add_name(char **names, const char *name)
{
	char *more = memory_printf("%s%s%s", *names, **names ? ", " : "", name);

	free(*names);
	*names = more;
}

/*
 * Collects the names of undefined symbols that are not harmless, and of those
 * that are not general.
 */
static void check_imports(struct handler_search *search)
{
	const struct image *image = search->image;
	const Elf64_Shdr *section = image_section(image, ".dynsym");
	const Elf64_Sym *symbols =
		section ? image_section_bytes(image, section) : NULL;
	const size_t count = symbols ? section->sh_size / sizeof(*symbols) : 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = dynamic_string(image, symbols[i].st_name);

		if (symbols[i].st_shndx != SHN_UNDEF || !name || !*name)
			continue;
		if (!is_harmless(name))
			add_name(&search->others, name);
		if (!is_general(name))
			add_name(&search->vectors, name);
	}
}

static int visit(void *context, const struct symbol *symbol)
{
	struct handler_search *search = context;
	const size_t length = strlen(search->function);

	if (!symbol->is_defined || !symbol->is_exported ||
	    strncmp(symbol->name, search->function, length) != 0)
		return 0;
	if (!symbol->name[length] && symbol->is_function)
		search->has_function = 1;
	if (strcmp(symbol->name + length, "_clew") == 0)
		search->traits_vaddr = symbol->vaddr;
	return 0;
}

/*
 * Judges what the search has found in a handler's object. Returns 0, or -EINVAL
 * and *why.
 */
static int judge(const struct handler_search *search, const char *object,
		 char **why)
{
	const struct clew_handler *traits = NULL;
	uint64_t left = 0;

	if (!search->has_function)
		return fail(why, -EINVAL, "%s exports no function %s", object,
			    search->function);
	if (search->traits_vaddr)
		traits = (const void *)image_at(search->image,
						search->traits_vaddr, &left);
	if (traits && left >= sizeof(*traits)) {
		if (traits->version > CLEW_HANDLER_VERSION)
			return fail(
				why, -EINVAL,
				"%s: %s was built for a later version of clew; "
				"rebuild it with this version's clew.h",
				object, search->function);
		if (traits->flags & CLEW_HANDLER_IS_GENERAL && *search->vectors)
			return fail(why, -EINVAL,
				    "%s: %s declares that it uses only general "
				    "registers, but its object imports %s, "
				    "which may use others",
				    object, search->function, search->vectors);
	}
	if (*search->others)
		complain(COMMAND,
			 "%s imports %s, which handlers must not call; see "
			 "libclew-handler(3)",
			 object, search->others);
	return 0;
}

static int check_handler(const struct probe_call *call, const char *path,
			 char **why)
{
	struct handler_search search = {
		.function = call->function,
		.others = memory_printf("%s", ""),
		.vectors = memory_printf("%s", ""),
	};
	struct image image;
	int err = image_open(&image, path);

	if (err) {
		err = fail(why, -EINVAL, "%s: %s", call->object,
			   err == -ENOEXEC   ? "it is not a shared object"
			   : err == -EBADMSG ? "its ELF structures are damaged"
					     : strerror(-err));
	} else {
		search.image = &image;
		symbols_walk(&image, visit, &search);
		check_imports(&search);
		err = judge(&search, call->object, why);
		image_close(&image);
	}
	free(search.others);
	free(search.vectors);
	return err;
}

int handler_object_settle(const char *line, char **out, char **why)
{
	struct expression_problem problem;
	struct probe_action action = { 0 };
	struct arena arena = { 0 };
	char *path;
	int err = 0;

	*out = NULL;
	if (probe_action_add(&action, line, arena_memory, &arena, &problem) ||
	    !action.call) {
		arena_fini(&arena);
		return 0;
	}
	path = realpath(action.call->object, NULL);
	if (!path)
		err = fail(why, -EINVAL, "%s: %s", action.call->object,
			   strerror(errno));
	else
		err = check_handler(action.call, path, why);
	if (!err)
		*out = memory_printf(
			"%s%ccall %s:%s%s%s", line, PROBE_ACTION_MARK, path,
			action.call->function, *action.call->text ? " " : "",
			action.call->text);
	free(path);
	arena_fini(&arena);
	return err;
}
