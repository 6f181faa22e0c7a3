/* SPDX-License-Identifier: MIT */
/*
 * golden_test FILE...: for each, is the verdict as written, is the relocated
 * code byte for byte as written, and does the patched function still compute
 * what it did? See golden.inc.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "disasm/jumps.h"
#include "disasm/prologue.h"
#include "disasm/relocate.h"
#include "image/analysis.h"
#include "image/image.h"

#define MAP_BYTES 0x10000

struct expectation {
	uint8_t patch_offset;
	uint8_t displaced_bytes;
	char verdict[]; /* NUL-terminated */
};

struct section {
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;
};

typedef int64_t (*golden_entry)(int64_t a, int64_t b);

static const int64_t arguments[][2] = {
	{ 0, 0 }, { 1, 2 }, { -1, 5 }, { 7, 3 }, { INT64_MIN, INT64_MAX },
};
#define CALLS (sizeof(arguments) / sizeof(arguments[0]))

static const char *verdict_name(unsigned int verdict)
{
	static const char *const names[] = {
#define X(name, class, text) #name,
		VERDICTS(X)
#undef X
	};

	return names[verdict];
}

static struct section section(const struct image *image, const char *name)
{
	const Elf64_Shdr *header = image_section(image, name);
	struct section found = { 0 };

	if (!header)
		return found;
	found.bytes = image_section_bytes(image, header);
	found.size = header->sh_size;
	found.vaddr = header->sh_addr;
	return found;
}

static void print_bytes(const char *what, const uint8_t *bytes, size_t count)
{
	printf("  %s", what);
	for (size_t i = 0; i < count; i++)
		printf(" %02x", bytes[i]);
	printf("\n");
}

static int check_verdict(const struct wire_function *function,
			 const struct expectation *expected)
{
	if (strcmp(verdict_name(function->verdict), expected->verdict) == 0 &&
	    function->patch_offset == expected->patch_offset &&
	    wire_displaced_bytes(function) == expected->displaced_bytes)
		return 0;
	printf("  %s at %u of %u bytes, expected %s at %u of %u\n",
	       verdict_name(function->verdict), function->patch_offset,
	       wire_displaced_bytes(function), expected->verdict,
	       expected->patch_offset, expected->displaced_bytes);
	return 1;
}

static void call_all(uint64_t pc, int64_t results[CALLS])
{
	golden_entry call = (golden_entry)(uintptr_t)pc;

	for (size_t i = 0; i < CALLS; i++)
		results[i] = call(arguments[i][0], arguments[i][1]);
}

static uint8_t *place(const struct section *section)
{
	uint8_t *memory =
		mmap((void *)(uintptr_t)section->vaddr, MAP_BYTES,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	memcpy(memory, section->bytes, section->size);
	return memory;
}

static int put_jump(uint64_t pc, uint64_t target)
{
	return jump_encode((uint8_t *)(uintptr_t)pc, pc, target);
}

static int patch_short(uint64_t site, int8_t island, uint64_t target)
{
	uint8_t *code = (uint8_t *)(uintptr_t)site;

	code[0] = 0xeb;
	code[1] = (uint8_t)island;
	return put_jump(site + 2 + (uint64_t)(int64_t)island, target);
}

/*
 * Writes a jump whose displacement bytes inside the displaced instructions are
 * 0x60, and maps memory where it leads, with a jump to `target`. Returns 0 if
 * this succeeds.
 */
static int patch_punned(uint64_t site, unsigned int bytes, uint64_t target)
{
	uint8_t *code = (uint8_t *)(uintptr_t)site;
	uint64_t page;
	int32_t rel;

	code[0] = 0xe9;
	memset(code + 1, 0x60, bytes - 1);
	memcpy(&rel, code + 1, sizeof(rel));
	page = (site + 5 + (uint64_t)(int64_t)rel) & ~UINT64_C(4095);
	if (mmap((void *)(uintptr_t)page, 8192,
		 PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) == MAP_FAILED)
		return 1;
	return put_jump(site + 5 + (uint64_t)(int64_t)rel, target);
}

static uint64_t trap_target;

static void on_trap(int signo, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] =
		(greg_t)trap_target;
}

static int patch_trap(uint64_t site, uint64_t target)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	*(uint8_t *)(uintptr_t)site = 0xcc;
	trap_target = target;
	action.sa_sigaction = on_trap;
	return sigaction(SIGTRAP, &action, NULL);
}

static int patch(const struct wire_function *function, uint64_t target)
{
	uint64_t site = function->vaddr + function->patch_offset;

	switch (function->verdict) {
	case VERDICT_IS_JUMP_SHORT:
		return patch_short(site, function->island, target);
	case VERDICT_IS_JUMP_PUNNED:
		return patch_punned(site, wire_displaced_bytes(function),
				    target);
	case VERDICT_IS_TRAP:
		return patch_trap(site, target);
	default:
		return put_jump(site, target);
	}
}

/* Run the function as it stands, patch it, run it again. */
static int run_patched(uint8_t *before, uint8_t *after,
		       const struct wire_function *function)
{
	int64_t results[2][CALLS];

	mprotect(before, MAP_BYTES, PROT_READ | PROT_EXEC);
	mprotect(after, MAP_BYTES, PROT_READ | PROT_EXEC);
	call_all(function->vaddr, results[0]);
	mprotect(before, MAP_BYTES, PROT_READ | PROT_WRITE);
	if (patch(function, (uint64_t)(uintptr_t)after)) {
		printf("  cannot be patched\n");
		return 1;
	}
	mprotect(before, MAP_BYTES, PROT_READ | PROT_EXEC);
	call_all(function->vaddr, results[1]);
	if (memcmp(results[0], results[1], sizeof(results[0])) == 0)
		return 0;
	printf("  patched, it computes something else\n");
	return 1;
}

static int check_run(const struct section *before, const struct section *after,
		     const struct wire_function *function)
{
	uint8_t *before_memory = place(before);
	uint8_t *after_memory = place(after);
	int failures = 1;

	if (before_memory && after_memory)
		failures = run_patched(before_memory, after_memory, function);
	else
		printf("  no room at the fixed addresses\n");
	if (before_memory)
		munmap(before_memory, MAP_BYTES);
	if (after_memory)
		munmap(after_memory, MAP_BYTES);
	return failures;
}

static int check_relocation(const struct decoder *decoder,
			    const struct image *image,
			    const struct wire_function *function)
{
	struct section before = section(image, ".before");
	struct section after = section(image, ".after");
	uint8_t out[RELOCATE_MAX_BYTES];
	int bytes = relocate(decoder, before.bytes + function->patch_offset,
			     wire_displaced_bytes(function),
			     function->vaddr + function->patch_offset, out,
			     sizeof(out), after.vaddr);

	if (bytes < 0 || (size_t)bytes != after.size ||
	    memcmp(out, after.bytes, after.size) != 0) {
		printf("  relocated to %d bytes\n", bytes);
		print_bytes("expected", after.bytes, after.size);
		print_bytes("got     ", out, bytes > 0 ? (size_t)bytes : 0);
		return 1;
	}
	return check_run(&before, &after, function);
}

static int check_file(const struct decoder *decoder, struct arena *arena,
		      const char *path)
{
	struct analysis analysis;
	struct image image;
	struct section expect;
	int failures;

	/* The expected code (.expect) belongs to no function. */
	if (analysis_of_file(path, NULL, arena, &analysis) ||
	    !analysis.function_count || image_open(&image, path)) {
		printf("  cannot be analysed\n");
		return 1;
	}
	expect = section(&image, ".expect");
	failures = check_verdict(analysis.functions,
				 (const struct expectation *)expect.bytes);
	if (!failures && wire_displaced_bytes(analysis.functions))
		failures =
			check_relocation(decoder, &image, analysis.functions);
	image_close(&image);
	return failures;
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct decoder decoder;
	int failures = 0;

	if (decoder_open(&decoder, arena_memory, &arena))
		return 1;

	for (int i = 1; i < argc; i++) {
		int wrong = check_file(&decoder, &arena, argv[i]);

		printf("%s %s\n", wrong ? "FAIL" : "ok  ", argv[i]);
		failures += wrong;
	}
	arena_fini(&arena);
	return failures || argc < 2;
}
