/* SPDX-License-Identifier: MIT */
/* See target_obstacle.h. */
#include "cli/target/target_obstacle.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/suffix.h"
#include "cli/target/executable.h"
#include "cli/target/frozen_group.h"
#include "cli/target/other_files.h"
#include "cli/target/own_ids.h"
#include "cli/target/target.h"
#include "cli/target/user_name.h"
#include "image/glibc_file.h"
#include "machine/elf_numbers.h"
#include "wire/recording.h"

/*
 * How long clew waits until the loader of a starting program has mapped the C
 * library.
 */
#define STARTING_NS UINT64_C(5000000000)

static char *obstacle_of_user(pid_t pid)
{
	const int64_t uid = target_status(pid, "Uid", 10);
	char *name, *why;

	if (uid < 0 || (uid_t)uid == geteuid() || geteuid() == 0)
		return NULL;
	if (uid == 0)
		return memory_printf("it belongs to root; run clew as root");
	name = user_name((uid_t)uid);
	why = memory_printf("it belongs to user %s, who would have to own the "
			    "recording; run clew as root, or as that user: "
			    "sudo -u %s clew attach -o DIR %d",
			    name, name, pid);
	free(name);
	return why;
}

static char *read_link(pid_t pid, const char *name)
{
	char *path = memory_printf("/proc/%d/%s", pid, name);
	char text[4096];
	ssize_t length = readlink(path, text, sizeof(text) - 1);

	free(path);
	return length < 0 ? NULL : memory_string(text, (size_t)length);
}

static int is_loader(const char *name)
{
	return glibc_file_is(name, MACHINE_LOADER) ||
	       executable_is_musl_loader(name);
}

/*
 * Returns why clew cannot attach because of the process's program, or NULL.
 * Reads the program's file through /proc, because its path may name another
 * file now.
 */
static char *obstacle_of_program(pid_t pid)
{
	char *program = read_link(pid, "exe"), *path, *why;

	if (!program)
		return memory_printf("its executable cannot be read: %s%s",
				     strerror(errno),
				     target_permission_hint(-errno));
	if (is_loader(text_basename(program))) {
		why = memory_printf(
			"the dynamic loader was started with the program as "
			"its argument; start the program directly");
		free(program);
		return why;
	}
	free(program);
	path = memory_printf("/proc/%d/exe", pid);
	why = executable_obstacle(path);
	if (!why && executable_is_for_musl(path))
		why = memory_printf(
			"it is linked with musl, which has no thread-local "
			"storage for a library that a running process loads; "
			"start the program with clew record");
	free(path);
	return why;
}

/*
 * Returns whether a module has a build-id in the process's memory. `module` is
 * its first mapping. Returns 1 also if the mapping is no module or its header
 * cannot be read.
 */
static int has_build_id(int memory, const struct target_mapping *module)
{
	static const char note[] = "\3\0\0\0GNU"; /* NT_GNU_BUILD_ID */
	char notes[4096];
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (target_read(memory, module->start, &header, sizeof(header)) != 0 ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return 1; /* The mapping does not contain an ELF file. */
	for (uint16_t i = 0; i < header.e_phnum; i++) {
		if (target_read(memory,
				module->start + header.e_phoff +
					i * sizeof(segment),
				&segment, sizeof(segment)) != 0 ||
		    segment.p_type != PT_NOTE ||
		    segment.p_filesz > sizeof(notes) ||
		    target_read(memory, module->start + segment.p_offset, notes,
				segment.p_filesz) != 0)
			continue;
		if (memmem(notes, segment.p_filesz, note, sizeof(note)))
			return 1;
	}
	return 0;
}

static int is_replaced(pid_t pid, const char *path)
{
	char *there = other_files_mapped(pid, path);
	const int is = access(there, F_OK) == 0;

	free(there);
	return is;
}

/*
 * Returns a message if a module's file was replaced and the module has no
 * build-id, because then clew cannot notice that the file differs from the
 * loaded code; otherwise NULL. Deleted files of stubs of earlier recordings do
 * not matter, because all such files have the same content.
 */
static char *obstacle_of_files(pid_t pid, const struct target_maps *maps)
{
	char *path = memory_printf("/proc/%d/mem", pid), *why = NULL;
	const int memory = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	for (size_t i = 0; memory >= 0 && i < maps->count && !why; i++) {
		const struct target_mapping *module = &maps->items[i];

		if (module->is_deleted && !module->offset &&
		    !suffix_stem(module->path, WIRE_STUBS_SUFFIX) &&
		    is_replaced(pid, module->path) &&
		    !has_build_id(memory, module))
			why = memory_printf(
				"%s was replaced after the process loaded it, "
				"and the loaded copy has no build ID to "
				"compare; restart the process",
				module->path);
	}
	if (memory >= 0)
		close(memory);
	return why;
}

static char *obstacle_of_ending(pid_t pid)
{
	return target_has_ended(pid) ? memory_printf("it is exiting") : NULL;
}

/*
 * Returns why a process has not mapped the C library. Such a process may also
 * be exiting, and has lost its mappings then.
 */
static char *obstacle_of_missing_libc(pid_t pid)
{
	char *why = obstacle_of_ending(pid);

	return why ? why
		   : memory_printf("it has not loaded glibc (libc.so.6); clew "
				   "attaches only to programs that are linked "
				   "with glibc");
}

/*
 * Reads the mappings, repeatedly until the loader has mapped the C library, the
 * process exits, or STARTING_NS have passed. The program is one for glibc:
 * obstacle_of_program() has refused others. Returns 0, or -errno and *why.
 */
static int read_started_maps(pid_t pid, struct target_maps *maps, char **why)
{
	const uint64_t deadline_ns = now_ns(CLOCK_MONOTONIC) + STARTING_NS;
	const struct timespec pause = { .tv_nsec = 2000000 };
	int err;

	while (!(err = target_read_maps(pid, maps, why)) &&
	       !target_module(maps, TARGET_LIBC) &&
	       !target_thread_is_going(pid, pid) &&
	       now_ns(CLOCK_MONOTONIC) < deadline_ns) {
		target_free_maps(maps);
		nanosleep(&pause, NULL);
	}
	return err;
}

static char *obstacle_of_maps(pid_t pid)
{
	struct target_maps maps;
	char *why = NULL;

	if (read_started_maps(pid, &maps, &why) != 0)
		return why;
	if (!target_module(&maps, TARGET_LIBC))
		why = obstacle_of_missing_libc(pid);
	else if (target_module(&maps, "libasan.so.8") ||
		 target_module(&maps, "libtsan.so.2"))
		why = memory_printf("it is built with AddressSanitizer or "
				    "ThreadSanitizer; use clew record, or "
				    "attach to a build without sanitizers");
	else
		why = obstacle_of_files(pid, &maps);
	target_free_maps(&maps);
	return why;
}

/*
 * Returns whether the /proc that the process sees contains processes: whether
 * it has process 1.
 */
static int has_proc(pid_t pid)
{
	char *path = memory_printf("/proc/%d/root/proc/1/stat", pid);
	const int is_there = access(path, F_OK) == 0;

	free(path);
	return is_there;
}

/*
 * Returns why the /proc that the process sees cannot be used, or NULL. The
 * library reads the process's mappings and threads in it.
 */
static char *obstacle_of_proc(pid_t pid)
{
	char *root, *why = NULL;

	if (own_ids_are_seen(pid))
		return NULL;
	if (own_ids_differ(pid))
		return memory_printf(
			"it is in another PID namespace, and its /proc does "
			"not belong to that namespace; mount one there "
			"(nsenter -t %d -p -m mount -t proc proc /proc)",
			pid);
	if (has_proc(pid))
		return memory_printf(
			"its /proc belongs to a PID namespace that it created "
			"for its children (unshare); attach to the children");
	root = memory_printf("/proc/%d/root/.", pid);
	if (access(root, F_OK) == 0)
		why = memory_printf("its root directory (chroot) has no /proc; "
				    "mount one there");
	free(root);
	return why;
}

/*
 * Called if the first thread has exited. Returns a message that says whether
 * other threads still run, the process has exited completely, or it is a
 * zombie.
 */
static char *obstacle_of_end(pid_t pid)
{
	const int64_t parent = target_status(pid, "PPid", 10);
	pid_t *tids;
	const size_t count = target_threads(pid, &tids);
	size_t going = 0;

	for (size_t i = 0; i < count; i++)
		going += target_thread_is_going(pid, tids[i]) == 0;
	free(tids);
	if (going)
		return memory_printf("its main thread has exited while other "
				     "threads run; clew needs the main thread");
	return parent < 0 ? memory_printf("it has exited")
			  : memory_printf("it has exited and is a zombie until "
					  "its parent, process %" PRId64
					  ", waits for it",
					  parent);
}

static char *obstacle_of_tracer(pid_t tracer)
{
	char *name = target_name(tracer), *why;

	why = memory_printf("process %d%s%s%s traces it; end that tracer, or "
			    "let it detach, first",
			    tracer, name ? " (" : "", name ? name : "",
			    name ? ")" : "");
	free(name);
	return why;
}

static char *obstacle_of_state(pid_t pid, char state)
{
	const int64_t tracer = target_status(pid, "TracerPid", 10);

	if (tracer > 0)
		return obstacle_of_tracer((pid_t)tracer);
	if (frozen_group_has(pid))
		return frozen_group_obstacle(pid);
	if (state == 'T' || state == 't')
		return memory_printf(
			"it is stopped; continue it first (kill -CONT %d)",
			pid);
	return NULL;
}

/*
 * Returns a message if the process is exiting. An exiting process loses one
 * property after another, so that other checks would find misleading reasons.
 */
char *target_end(pid_t pid)
{
	const char state = target_thread_state(pid, pid);

	if (!state)
		return memory_printf("it has exited");
	if (state == 'Z' || state == 'X')
		return obstacle_of_end(pid);
	return obstacle_of_ending(pid);
}

/*
 * The checks, in their order: each check assumes that the checks before have
 * found nothing.
 */
static char *(*const others[])(pid_t pid) = {
	obstacle_of_ending,
	obstacle_of_proc,
	obstacle_of_program,
	obstacle_of_maps,
};

char *target_obstacle(pid_t pid)
{
	const char state = target_thread_state(pid, pid);
	char *why;

	if (!state)
		return memory_printf("there is no such process");
	if (state == 'Z' || state == 'X')
		return obstacle_of_end(pid);
	if (target_status(pid, "Tgid", 10) != pid)
		return memory_printf("it is a thread of process %" PRId64,
				     target_status(pid, "Tgid", 10));
	if (pid == getpid())
		return memory_printf("it is clew itself");
	if (target_is_of_kernel(pid))
		return memory_printf("it is a kernel thread");
	why = obstacle_of_user(pid);
	if (!why)
		why = obstacle_of_state(pid, state);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && !why; i++)
		why = others[i](pid);
	return why;
}
