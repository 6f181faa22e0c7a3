/* SPDX-License-Identifier: MIT */
/*
 * Generates code that burns CPU time and registers it by GDB's JIT interface.
 * Each piece has a symbol file.
 *
 *	registered MILLISECONDS [damaged | huge | gone | cyclic | kill]
 *
 * "older" is unregistered before "newer" is placed at its address. "over" is
 * then placed on top of "newer", and remains when "newer" is unregistered. With
 * "kill" the process kills itself at the end. In the other modes the symbol
 * file or the list is invalid; called code then has no name, or its own. Prints
 * "PID NAME CPU_NS" for each called piece.
 */
#include <elf.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define TURNS UINT64_C(1000000)

struct jit_code_entry {
	struct jit_code_entry *next, *previous;
	const char *file;
	uint64_t bytes;
};

struct jit_descriptor {
	uint32_t version, action;
	struct jit_code_entry *relevant, *first;
};

extern struct jit_descriptor __jit_debug_descriptor;
struct jit_descriptor __jit_debug_descriptor = { .version = 1 };

#ifdef IS_TIGHT
/* Another function follows directly, so there is no room for a jump. */
__asm__(".globl __jit_debug_register_code\n"
	".type __jit_debug_register_code, @function\n"
	"__jit_debug_register_code: ret\n"
	".size __jit_debug_register_code, 1\n"
	".type neighbour, @function\n"
	"neighbour: mov $1, %eax\n"
	"ret\n"
	".size neighbour, . - neighbour\n");
void __jit_debug_register_code(void);
#else
/*
 * In its own section, and therefore followed by padding, as in other programs.
 */
void __jit_debug_register_code(void);
__attribute__((noinline, section(".text.hot"), aligned(16))) void
__jit_debug_register_code(void)
{
	__asm__ volatile("" ::: "memory");
}
#endif

/*
 * Calls the function like a compiler that knows its empty body: with live
 * values in all registers and an unaligned stack. Returns whether all values
 * are unchanged.
 */
static int call_with_values(void)
{
	uint64_t lost;

	__asm__ volatile("sub $136, %%rsp\n"
			 "mov $1, %%eax\n"
			 "mov $2, %%ecx\n"
			 "mov $4, %%edx\n"
			 "mov $8, %%esi\n"
			 "mov $16, %%edi\n"
			 "mov $32, %%r8d\n"
			 "mov $64, %%r9d\n"
			 "mov $128, %%r10d\n"
			 "mov $256, %%r11d\n"
			 "movq %%r11, %%xmm0\n"
			 "movq %%r11, %%xmm15\n"
			 "call __jit_debug_register_code\n"
			 "add %%rcx, %%rax\n"
			 "add %%rdx, %%rax\n"
			 "add %%rsi, %%rax\n"
			 "add %%rdi, %%rax\n"
			 "add %%r8, %%rax\n"
			 "add %%r9, %%rax\n"
			 "add %%r10, %%rax\n"
			 "add %%r11, %%rax\n"
			 "movq %%xmm0, %%rcx\n"
			 "movq %%xmm15, %%rdx\n"
			 "add %%rcx, %%rax\n"
			 "add %%rdx, %%rax\n"
			 "sub $1023, %%rax\n"
			 "add $136, %%rsp\n"
			 : "=a"(lost)
			 :
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			   "xmm0", "xmm15", "memory", "cc");
	return lost == 0;
}

/* An object file with one function in one section. */
struct object {
	Elf64_Ehdr head;
	Elf64_Shdr sections[4]; /* empty, .text, .symtab, .strtab */
	Elf64_Sym symbols[2];
	char names[32];
	struct jit_code_entry entry;
};

/* 1: dec %rdi; jnz 1b; ret */
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
static unsigned char *memory;

static void make(struct object *object, const char *name)
{
	memset(object, 0, sizeof(*object));
	memcpy(object->head.e_ident, ELFMAG, SELFMAG);
	object->head.e_ident[EI_CLASS] = ELFCLASS64;
	object->head.e_type = ET_REL;
	object->head.e_shoff = offsetof(struct object, sections);
	object->head.e_shentsize = sizeof(Elf64_Shdr);
	object->head.e_shnum = 4;
	object->sections[1].sh_type = SHT_NOBITS;
	object->sections[1].sh_addr = (uintptr_t)memory;
	object->sections[2].sh_type = SHT_SYMTAB;
	object->sections[2].sh_offset = offsetof(struct object, symbols);
	object->sections[2].sh_size = sizeof(object->symbols);
	object->sections[2].sh_link = 3;
	object->sections[3].sh_type = SHT_STRTAB;
	object->sections[3].sh_offset = offsetof(struct object, names);
	object->sections[3].sh_size = sizeof(object->names);
	object->symbols[1].st_name = 1;
	object->symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	object->symbols[1].st_shndx = 1;
	object->symbols[1].st_size = sizeof(loop);
	snprintf(object->names + 1, sizeof(object->names) - 1, "%s", name);
	object->entry.file = (const char *)object;
	object->entry.bytes = offsetof(struct object, entry);
}

static void announce(struct object *object, int is_gone)
{
	__jit_debug_descriptor.first = &object->entry;
	__jit_debug_descriptor.relevant = &object->entry;
	__jit_debug_descriptor.action = is_gone ? 2 : 1;
	if (!call_with_values())
		abort();
	__jit_debug_descriptor.action = 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void burn(const char *name, uint64_t ns)
{
	void (*piece)(uint64_t);
	const void *code = memory;
	const uint64_t start = cpu_ns();
	uint64_t used;

	memcpy(&piece, &code, sizeof(piece));
	do {
		piece(TURNS);
		used = cpu_ns() - start;
	} while (used < ns);
	printf("%d %s %llu\n", (int)getpid(), name, (unsigned long long)used);
	fflush(stdout);
}

/* A malformed symbol file gives no name; an endless list is not followed. */
static void damage(struct object *object, const char *way)
{
	if (strcmp(way, "damaged") == 0)
		object->sections[2].sh_offset = UINT64_MAX - 7;
	else if (strcmp(way, "huge") == 0)
		object->entry.bytes = UINT64_MAX;
	else if (strcmp(way, "gone") == 0)
		object->entry.file = NULL;
	else
		object->entry.next = object->entry.previous = &object->entry;
}

int main(int argc, char **argv)
{
	static struct object older, newer, over;
	const char *way = argc > 2 ? argv[2] : "";
	uint64_t ns;

	if (argc < 2)
		return EXIT_FAILURE;
	ns = strtoull(argv[1], NULL, 10) * 1000000;
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(memory, loop, sizeof(loop));
	make(&older, "older");
	make(&newer, "newer");
	make(&over, "over");
	if (*way != '\0' && strcmp(way, "kill") != 0) {
		damage(&older, way);
		announce(&older, 0);
		burn(strcmp(way, "cyclic") == 0 ? "older" : "(generated code)",
		     ns);
		return EXIT_SUCCESS;
	}
	announce(&older, 0);
	burn("older", ns);
	announce(&older, 1);
	burn("(generated code)", ns);
	announce(&newer, 0);
	burn("newer", 2 * ns);
	announce(&over, 0);
	announce(&newer, 1);
	burn("over", ns);
	if (*way != '\0')
		raise(SIGKILL);
	return EXIT_SUCCESS;
}
