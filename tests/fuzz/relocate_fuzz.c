/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: does relocated code do the same as the original code?
 *
 * The input is an ELF file, whose functions' first instructions are tried, or
 * any bytes, taken as code and as the seed of more. A stretch that a verdict
 * would displace runs at its own address and then relocated, from the same
 * registers, flags and memory. Each run ends at the instruction behind the
 * stretch, at a branch target, or with a fault. Both runs must end alike, with
 * the same registers, flags, vector registers and memory.
 *
 * All of it lies at low addresses, far from the fuzzer's code. The memory
 * around is unmapped, so that any other access faults, and the rest of the code
 * pages is int3. The fuzzer skips instructions that read their own address or
 * the time, and those that would change the process itself.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "disasm/prologue.h"
#include "disasm/relocate.h"
#include "image/functions.h"

#define CODE_PC       UINT64_C(0x20000000)
#define COPY_PC       UINT64_C(0x21000000)
#define DATA_PC       UINT64_C(0x30000000)
#define STACK_PC      UINT64_C(0x31000000)
#define AREA          16384
#define INT3          0xcc
#define CODE_MAX      32
#define TRIES         3
#define MAX_FUNCTIONS 400

/* CF PF AF ZF SF DF OF */
#define FLAGS  0xcd5
#define RSP_AT 15

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct machine {
	uint64_t registers[16]; /* rax rbx rcx rdx rsi rdi rbp r8..r15 rsp */
	uint64_t flags;
};

static const int greg_of[16] = {
	REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8,
	REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RSP,
};

/* How a run ended. */
struct outcome {
	int signal;
	uint64_t fault;
	uint64_t pc; /* 0: anywhere in the stretch */
	struct machine machine;
	uint8_t vectors[256];
	uint8_t data[AREA];
	uint8_t stack[AREA];
};

/* For enter(), which has no register left to point to anything. */
struct machine relocate_fuzz_start __attribute__((visibility("hidden")));
uint64_t relocate_fuzz_target __attribute__((visibility("hidden")));
void relocate_fuzz_enter(void) __attribute__((noreturn));

__asm__(".text\n"
	".type relocate_fuzz_enter, @function\n"
	"relocate_fuzz_enter:\n"
	"	fninit\n"
	"	pushq $0x1f80\n"
	"	ldmxcsr (%rsp)\n"
	"	leaq relocate_fuzz_start(%rip), %rdi\n"
	"	movdqu 0(%rdi), %xmm0\n"
	"	movdqu 8(%rdi), %xmm1\n"
	"	movdqu 16(%rdi), %xmm2\n"
	"	movdqu 24(%rdi), %xmm3\n"
	"	movdqu 32(%rdi), %xmm4\n"
	"	movdqu 40(%rdi), %xmm5\n"
	"	movdqu 48(%rdi), %xmm6\n"
	"	movdqu 56(%rdi), %xmm7\n"
	"	movdqu 64(%rdi), %xmm8\n"
	"	movdqu 72(%rdi), %xmm9\n"
	"	movdqu 80(%rdi), %xmm10\n"
	"	movdqu 88(%rdi), %xmm11\n"
	"	movdqu 96(%rdi), %xmm12\n"
	"	movdqu 104(%rdi), %xmm13\n"
	"	movdqu 112(%rdi), %xmm14\n"
	"	movdqu 120(%rdi), %xmm15\n"
	"	pushq 128(%rdi)\n"
	"	popfq\n"
	"	movq (%rdi), %rax\n"
	"	movq 8(%rdi), %rbx\n"
	"	movq 16(%rdi), %rcx\n"
	"	movq 24(%rdi), %rdx\n"
	"	movq 32(%rdi), %rsi\n"
	"	movq 48(%rdi), %rbp\n"
	"	movq 56(%rdi), %r8\n"
	"	movq 64(%rdi), %r9\n"
	"	movq 72(%rdi), %r10\n"
	"	movq 80(%rdi), %r11\n"
	"	movq 88(%rdi), %r12\n"
	"	movq 96(%rdi), %r13\n"
	"	movq 104(%rdi), %r14\n"
	"	movq 112(%rdi), %r15\n"
	"	movq 120(%rdi), %rsp\n"
	"	movq 40(%rdi), %rdi\n"
	"	jmp *relocate_fuzz_target(%rip)\n"
	".size relocate_fuzz_enter, . - relocate_fuzz_enter\n");

static sigjmp_buf back;
static struct outcome *current;
static struct arena arena;
static struct decoder decoder;
static uint64_t seed;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* ---- Running ---- */

static void on_signal(int signo, siginfo_t *info, void *context)
{
	const mcontext_t *mc = &((ucontext_t *)context)->uc_mcontext;

	if (!current && signo == SIGALRM)
		return; /* the alarm is late */
	if (!current)
		abort(); /* a fault of the fuzzer itself */
	current->signal = signo;
	current->fault = signo == SIGSEGV ? (uintptr_t)info->si_addr : 0;
	/* of the int3, not behind it, where the stretch may begin */
	current->pc = (uint64_t)mc->gregs[REG_RIP] - (signo == SIGTRAP);
	for (int i = 0; i < 16; i++)
		current->machine.registers[i] = (uint64_t)mc->gregs[greg_of[i]];
	current->machine.flags = (uint64_t)mc->gregs[REG_EFL] & FLAGS;
	memcpy(current->vectors, mc->fpregs->_xmm, sizeof(current->vectors));
	siglongjmp(back, 1);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL,
				       SIGTRAP, SIGFPE, SIGALRM };
	static uint8_t stack[65536];
	stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	action.sa_sigaction = on_signal;
	sigfillset(&action.sa_mask);
	sigaltstack(&alternative, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

static void map_area(uint64_t pc)
{
	void *area =
		mmap((void *)(uintptr_t)pc, AREA, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (area == MAP_FAILED)
		abort();
}

/*
 * Sets the protection of the code. An operand may happen to reach the code, and
 * the first run must not change it for the second.
 */
static void protect_code(int protection)
{
	if (mprotect((void *)(uintptr_t)CODE_PC, AREA, protection) ||
	    mprotect((void *)(uintptr_t)COPY_PC, AREA, protection))
		abort();
}

static void set_up(void)
{
	static int is_done;

	if (is_done)
		return;
	is_done = 1;
	map_area(CODE_PC);
	map_area(COPY_PC);
	map_area(DATA_PC);
	map_area(STACK_PC);
	if (decoder_open(&decoder, arena_memory, &arena))
		abort();
	catch_signals();
}

static void fill_memory(uint64_t with)
{
	uint64_t *data = (uint64_t *)(uintptr_t)DATA_PC;
	uint64_t *stack = (uint64_t *)(uintptr_t)STACK_PC;

	for (size_t i = 0; i < AREA / 8; i++) {
		with = with * UINT64_C(6364136223846793005) + 1;
		/* Pointers into the data, and numbers. */
		data[i] = with & 256 ? DATA_PC + (with >> 40) % AREA : with;
		stack[i] = ~data[i];
	}
}

static void run(uint64_t pc, uint64_t memory_seed, uint64_t from, uint64_t to,
		struct outcome *out)
{
	struct itimerval soon = { .it_value = { 0, 20000 } };
	struct itimerval never = { 0 };

	fill_memory(memory_seed);
	relocate_fuzz_target = pc;
	if (sigsetjmp(back, 1) == 0) {
		setitimer(ITIMER_REAL, &soon, NULL);
		current = out;
		relocate_fuzz_enter();
	}
	current = NULL;
	setitimer(ITIMER_REAL, &never, NULL);
	if (out->pc >= from && out->pc < to)
		out->pc = 0;
	memcpy(out->data, (void *)(uintptr_t)DATA_PC, AREA);
	memcpy(out->stack, (void *)(uintptr_t)STACK_PC, AREA);
}

/* ---- Instructions to test ---- */

/*
 * Returns whether the instruction at `code` does not read its address, the time
 * or the state of the process.
 */
static int is_fair(const struct insn *insn, const uint8_t *code)
{
	const uint8_t *at = code;
	const uint8_t *end = code + insn->length;
	uint8_t reg;

	while (at < end && (*at == 0x66 || *at == 0x67 || *at == 0xf2 ||
			    *at == 0xf3 || *at == 0xf0 || *at == 0x2e ||
			    *at == 0x36 || *at == 0x3e || *at == 0x26))
		at++;
	if (at < end && (*at == 0x64 || *at == 0x65))
		return 0; /* of fs and gs */
	if (at < end && (*at & 0xf0) == 0x40)
		at++;
	if (end - at < 1)
		return 0;
	reg = end - at > 1 ? at[1] >> 3 & 7 : 0;
	switch (at[0]) {
	case 0x0f:
		/* system, rdtsc, cpuid, segments, xsave, rdrand, rdpmc */
		return end - at > 1 &&
		       !strchr("\x01\x05\x07\x34\x35\x31\x32"
			       "\x33\xa0\xa1\xa2\xa8\xa9\xae"
			       "\xb2\xb4\xb5\xc7\xa6\xa7",
			       at[1]) &&
		       at[1] != 0;
	case 0x8e: /* segments, flags, far, iret, in and out */
	case 0x9d:
	case 0xca:
	case 0xcb:
	case 0xcf:
		return 0;
	case 0xd9:
	case 0xdd:
		return reg != 6; /* fnstenv, fnsave */
	case 0x9b:
		return 0;
	case 0xc7:
		return reg == 0; /* not xbegin, xabort */
	case 0xc6:
		return reg == 0;
	case 0xff:
		return reg != 3 && reg != 5;
	default:
		return 1;
	}
}

/*
 * Returns whether all instructions of the stretch are fair, and directs their
 * operands relative to rip to the data. *reads_late says whether one is an
 * indirect call, which may read its target after the push, and fault there.
 */
static int is_fair_stretch(uint8_t *code, size_t bytes, int *reads_late)
{
	struct insn insn = { 0 };

	*reads_late = 0;
	for (size_t at = 0; at < bytes; at += insn.length) {
		if (decode_operands(&decoder, code + at, bytes - at, &insn) ||
		    !is_fair(&insn, code + at))
			return 0;
		*reads_late |= insn.kind == INSN_CALL_INDIRECT;
		if (insn.rip_disp_at) { /* mostly refers to the data */
			int32_t disp =
				(int32_t)(DATA_PC + random64() % (AREA - 64) -
					  CODE_PC - at - insn.length);

			memcpy(code + at + insn.rip_disp_at, &disp, 4);
		}
	}
	return 1;
}

static void random_machine(void)
{
	struct machine *m = &relocate_fuzz_start;

	for (int i = 0; i < 16; i++) {
		uint64_t value = random64();

		switch (random64() % 4) {
		case 0:
			m->registers[i] = value;
			break;
		case 1:
			m->registers[i] = value % 16;
			break;
		default:
			m->registers[i] = DATA_PC + value % AREA;
		}
	}
	m->registers[RSP_AT] = STACK_PC + AREA / 2 + random64() % 64 * 8;
	m->flags = (random64() & FLAGS & ~UINT64_C(0x400)) | 2;
}

static void complain(const char *what, const uint8_t *code, size_t bytes,
		     const uint8_t *copy, size_t copy_bytes)
{
	fprintf(stderr, "%s:", what);
	for (size_t i = 0; i < bytes; i++)
		fprintf(stderr, " %02x", code[i]);
	fprintf(stderr, "\nrelocated:");
	for (size_t i = 0; i < copy_bytes; i++)
		fprintf(stderr, " %02x", copy[i]);
	fputc('\n', stderr);
	abort();
}

/*
 * Clears the word below the stack pointer, where a call has stored its return
 * address. A relocated call keeps a register there. A callee writes this memory
 * before it reads it.
 */
static void forget_below_stack(struct outcome *outcome)
{
	const uint64_t at = outcome->machine.registers[RSP_AT] - 8 - STACK_PC;

	if (at <= AREA - 8)
		memset(outcome->stack + at, 0, 8);
}

static int has_call(const uint8_t *copy, int bytes)
{
	for (int i = 0; i + 6 <= bytes; i++)
		if (memcmp(copy + i, "\xe8\x01\x00\x00\x00\xcc", 6) == 0)
			return 1;
	return 0;
}

static const char *difference(const struct outcome *a, const struct outcome *b)
{
	if (a->signal != b->signal || a->pc != b->pc || a->fault != b->fault)
		return "leaves another way";
	if (memcmp(&a->machine, &b->machine, sizeof(a->machine)) != 0)
		return "leaves other registers or flags";
	if (memcmp(a->vectors, b->vectors, sizeof(a->vectors)) != 0)
		return "leaves other vector registers";
	if (memcmp(a->data, b->data, AREA) != 0 ||
	    memcmp(a->stack, b->stack, AREA) != 0)
		return "leaves other memory";
	return NULL;
}

static void compare(const uint8_t *code, size_t bytes, int reads_late)
{
	static struct outcome native, moved;
	uint8_t *original = (uint8_t *)(uintptr_t)CODE_PC + 256;
	uint8_t *copy = (uint8_t *)(uintptr_t)COPY_PC;
	uint64_t pc = CODE_PC + 256;
	uint64_t memory_seed = random64();
	const char *what;
	int copy_bytes;

	protect_code(PROT_READ | PROT_WRITE);
	memset((void *)(uintptr_t)CODE_PC, INT3, 1024);
	memset(copy, INT3, RELOCATE_MAX_BYTES + 16);
	memcpy(original, code, bytes);
	copy_bytes = relocate(&decoder, original, bytes, pc, copy,
			      RELOCATE_MAX_BYTES, COPY_PC);
	if (copy_bytes == -ENOSPC)
		complain("does not fit", code, bytes, copy, 0);
	if (copy_bytes < 0)
		return;
	protect_code(PROT_READ | PROT_EXEC);
	random_machine();
	run(pc, memory_seed, pc, pc + bytes, &native);
	run(COPY_PC, memory_seed, COPY_PC, COPY_PC + (uint64_t)copy_bytes,
	    &moved);
	if (native.signal == SIGALRM || moved.signal == SIGALRM ||
	    (reads_late && moved.pc == 0))
		return;
	if (has_call(copy, copy_bytes)) {
		forget_below_stack(&native);
		forget_below_stack(&moved);
	}
	what = difference(&native, &moved);
	if (what)
		complain(what, code, bytes, copy, (size_t)copy_bytes);
}

/* Tries all ways to hook a function that starts with these CODE_MAX bytes. */
static void try_code(const uint8_t *bytes)
{
	static struct prologue (*const judges[])(
		const struct decoder *, const struct prologue_query *) = {
		prologue_judge,
		prologue_judge_short,
		prologue_judge_punned,
		prologue_judge_trap,
	};
	uint8_t code[CODE_MAX];
	struct prologue_query query = { .code = code, .size_bytes = CODE_MAX };

	for (size_t i = 0; i < sizeof(judges) / sizeof(judges[0]); i++) {
		struct prologue prologue;
		int reads_late;

		memcpy(code, bytes, CODE_MAX);
		prologue = judges[i](&decoder, &query);
		if (verdict_class(prologue.verdict) != VERDICT_HOOKED ||
		    !is_fair_stretch(code + prologue.patch_offset,
				     prologue.displaced_bytes, &reads_late))
			continue;
		for (int try = 0; try < TRIES; try++)
			compare(code + prologue.patch_offset,
				prologue.displaced_bytes, reads_late);
	}
}

/* Tries a sequence of short forms that matter, followed by random bytes. */
static void try_made_up(void)
{
	static const char *const pieces[] = {
		"\x55",
		"\x41\x57",
		"\x74\x10",
		"\xe2\x08",
		"\xe3\x08",
		"\xe1\xfe",
		"\x67\xe3\x08",
		"\xff\xd0",
		"\xff\x14\x24",
		"\xff\x54\x24\x10",
		"\x41\xff\x14\x24",
		"\xff\x10",
		"\xeb\x20",
		"\x48\x89\xe5",
		"\x48\x83\xec\x18",
		"\xe8\x44\x33\x22\x11",
		"\x0f\x84\x44\x33\x22\x11",
		"\x48\x8b\x05\x11\x22\x33\x44",
		"\xc3",
		"\xff\x94\x84\x11\x22\x33\x01",
		"\x48\x39\xf8",
		"\x31\xc0",
		"\xff\x25\x11\x11\x11\x11",
		"\xff\x15\x11\x11\x11\x11",
		"\x83\x3d\x11\x11\x11\x11\x01",
	};
	uint8_t code[CODE_MAX];
	size_t used = 0;

	for (size_t i = 0; i < CODE_MAX; i++)
		code[i] = (uint8_t)random64();
	for (int i = 0; i < 4; i++) {
		const char *piece =
			pieces[random64() % (sizeof(pieces) / sizeof(*pieces))];
		size_t bytes = strlen(piece);

		memcpy(code + used, piece, bytes);
		used += bytes;
	}
	try_code(code);
}

static void try_functions(const struct image *image)
{
	struct arena scratch = { 0 };
	struct functions functions;

	if (functions_find(image, &scratch, &functions) == 0 &&
	    functions.count > 0)
		for (uint32_t i = 0; i < MAX_FUNCTIONS; i++) {
			uint64_t left = 0;
			const uint8_t *code = image_at(
				image,
				functions.list[random64() % functions.count]
					.vaddr,
				&left);

			if (code && left >= CODE_MAX)
				try_code(code);
		}
	arena_fini(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size ? size : 1);
	struct image image;

	set_up();
	memcpy(bytes, data, size);
	seed = 88172645463325252;
	for (size_t i = 0; i < size && i < 65536; i++)
		seed = (seed ^ bytes[i]) * UINT64_C(0x100000001b3);
	seed |= 1;
	if (image_init(&image, bytes, size) == 0)
		try_functions(&image);
	for (size_t at = 0; at + CODE_MAX <= size && at < 64 * CODE_MAX;
	     at += CODE_MAX)
		try_code(bytes + random64() % (size - CODE_MAX + 1));
	for (int i = 0; i < 100; i++)
		try_made_up();
	free(bytes);
	return 0;
}
