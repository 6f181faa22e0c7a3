/* SPDX-License-Identifier: MIT */
/*
 * Loads and unloads libraries in all ways:
 *
 *	plugins DIRECTORY WORD...
 *
 * Each word has a letter for the library and one for the way: n(ow, local),
 * l(azy), g(lobal), d(eepbind), m (dlmopen, a new namespace), t (8 threads, 50
 * times each), e (elsewhere: other memory occupies its former address), c (the
 * library is closed by a function that its own function has jumped to, which
 * then loads b hundreds of times), i (the same in a coroutine on a mapped
 * stack, which is idle while b is loaded), s (the same on a static stack), h
 * (from then on, memory that was writable must not be executed, if the kernel
 * can enforce that). At the end, on stdout:
 *
 *	load LIBRARY BASE		each time it was loaded
 *	calls LIBRARY VADDR CALLS	in total, of one function
 *	stubs BYTES			of clew's stub memory
 *	calls - VADDR CALLS		of a function of the program
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "tests/targets/plugins.h"

#define RUNS                  1000
#define COROUTINE_BYTES       (256 << 10)

#define REFUSE_EXECUTION_GAIN 65 /* PR_SET_MDWE, since Linux 6.3 */

static struct library {
	char path[4096];
	long loads;
	unsigned long inner_vaddr, run_vaddr;
	long inner, run;
} libraries[2];

static long callbacks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

COUNTED long plugin_host_callback(long n)
{
	__atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED);
	return n;
}

static void die(void)
{
	fprintf(stderr, "%s\n", dlerror());
	exit(1);
}

static void *open_library(const struct library *library, char how)
{
	switch (how) {
	case 'l':
		return dlopen(library->path, RTLD_LAZY);
	case 'g':
		return dlopen(library->path, RTLD_NOW | RTLD_GLOBAL);
	case 'd':
		return dlopen(library->path, RTLD_NOW | RTLD_DEEPBIND);
	case 'm':
		return dlmopen(LM_ID_NEWLM, library->path, RTLD_NOW);
	case 'h':
		prctl(REFUSE_EXECUTION_GAIN, 1, 0, 0, 0);
		return dlopen(library->path, RTLD_NOW);
	case 'e':
		mmap(NULL, 1 << 14, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
		return dlopen(library->path, RTLD_NOW);
	default:
		return dlopen(library->path, RTLD_NOW);
	}
}

/* Adds the counts of the library since it was loaded. */
static void note(struct library *library, void *handle)
{
	struct plugin_counts *counts = dlsym(handle, "plugin_counts");
	struct link_map *map;

	dlinfo(handle, RTLD_DI_LINKMAP, &map);
	library->loads++;
	printf("load %s %#lx\n", strrchr(library->path, '/') + 1,
	       (unsigned long)map->l_addr);
	library->inner_vaddr =
		(unsigned long)dlsym(handle, "plugin_inner") - map->l_addr;
	library->run_vaddr =
		(unsigned long)dlsym(handle, "plugin_run") - map->l_addr;
	/* including the destructor's call */
	library->inner += counts->inner + 1;
	library->run += counts->run;
}

static void use(struct library *library, char how);

static void load_others(void)
{
	for (int i = 0; i < 800; i++)
		use(&libraries[1], 'e');
}

static long close_and_go_on(void *handle)
{
	dlclose(handle);
	load_others();
	return RUNS;
}

typedef long (*leave_fn)(long (*)(void *), void *);

/*
 * A coroutine that returns to the library's stub after the library is unloaded.
 */
static struct {
	ucontext_t here, there;
	leave_fn leave;
	void *handle;
	long result;
} idle;

static long close_and_idle(void *handle)
{
	dlclose(handle);
	swapcontext(&idle.there, &idle.here);
	return RUNS;
}

static void coroutine(void)
{
	idle.result = idle.leave(close_and_idle, idle.handle);
}

static long leave_in_coroutine(leave_fn leave, void *handle, void *stack)
{
	idle.leave = leave;
	idle.handle = handle;
	getcontext(&idle.there);
	idle.there.uc_stack.ss_sp = stack;
	idle.there.uc_stack.ss_size = COROUTINE_BYTES;
	idle.there.uc_link = &idle.here;
	makecontext(&idle.there, coroutine, 0);
	swapcontext(&idle.here, &idle.there);
	load_others();
	swapcontext(&idle.here, &idle.there);
	return idle.result;
}

static void *coroutine_stack(char how)
{
	static char stack[COROUTINE_BYTES] __attribute__((aligned(64)));

	if (how == 's')
		return stack;
	return mmap(NULL, COROUTINE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The library is closed inside this call. */
static long leave_and_close(leave_fn leave, void *handle, char how)
{
	if (how == 'c')
		return leave(close_and_go_on, handle);
	return leave_in_coroutine(leave, handle, coroutine_stack(how));
}

static void use(struct library *library, char how)
{
	void *handle = open_library(library, how);
	long (*run)(long);
	leave_fn leave;

	if (!handle)
		die();
	*(void **)&run = dlsym(handle, "plugin_run");
	run(RUNS);
	note(library, handle);
	*(void **)&leave = dlsym(handle, "plugin_leave");
	if (!strchr("cis", how))
		dlclose(handle);
	else if (leave_and_close(leave, handle, how) != RUNS)
		abort();
}

static void *use_often(void *argument)
{
	struct library *library = argument;

	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&lock);
		use(library, 'n');
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void use_in_threads(struct library *library)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, use_often, library);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

/*
 * Returns the size of clew's executable memory, which its file name identifies.
 */
static unsigned long stub_bytes(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, bytes = 0;
	char line[4200], mode[8];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, ".stubs\n") &&
		    sscanf(line, "%lx-%lx %7s", &start, &end, mode) == 3 &&
		    mode[2] == 'x')
			bytes += end - start;
	if (maps)
		fclose(maps);
	return bytes;
}

int main(int argc, char **argv)
{
	extern const char __ehdr_start[];

	for (int i = 0; i < 2; i++)
		snprintf(libraries[i].path, sizeof(libraries[i].path),
			 "%s/libplugin_%c.so", argv[1], 'a' + i);
	for (int i = 2; i < argc; i++) {
		struct library *library = &libraries[argv[i][0] - 'a'];

		if (argv[i][1] == 't')
			use_in_threads(library);
		else
			use(library, argv[i][1]);
	}
	for (int i = 0; i < 2; i++) {
		if (!libraries[i].loads)
			continue;
		printf("calls libplugin_%c.so %#lx %ld\n", 'a' + i,
		       libraries[i].inner_vaddr, libraries[i].inner);
		printf("calls libplugin_%c.so %#lx %ld\n", 'a' + i,
		       libraries[i].run_vaddr, libraries[i].run);
	}
	printf("stubs %lu\n", stub_bytes());
	printf("calls - %#lx %ld\n",
	       (unsigned long)((const char *)plugin_host_callback -
			       __ehdr_start),
	       callbacks);
	return 0;
}
