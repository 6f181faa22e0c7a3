/* SPDX-License-Identifier: MIT */
/*
 * Fills all general registers, the arithmetic flags and the direction flag, all
 * vector registers of the processor, and the red zone. Then executes two probe
 * locations, of which one has room for a jump, and checks that all values are
 * unchanged.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS    2000
#define RED_WORDS 16
#define FLAGS     0xcd5 /* CF PF AF ZF SF DF OF */

struct state {
	uint64_t general[15]; /* without rsp */
	uint64_t flags;
	uint64_t red[RED_WORDS];
	uint8_t vector[16][32]; /* at offset 256 */
	uint32_t control, pad;  /* SSE control word, at offset 768 */
};
_Static_assert(__builtin_offsetof(struct state, vector) == 256, "in assembly");
_Static_assert(__builtin_offsetof(struct state, control) == 768, "in assembly");

/* Arguments in rdi and esi. */
void spots(struct state *state, int has_avx);

/* clang-format off */
#define EACH_VECTOR(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) \
	X(12) X(13) X(14) X(15)
/* clang-format on */
#define LOAD_Y(n)  "vmovups 256 + " #n " * 32(%rdi), %ymm" #n "\n"
#define STORE_Y(n) "vmovups %ymm" #n ", 256 + " #n " * 32(%rdi)\n"
#define LOAD_X(n)  "movups 256 + " #n " * 32(%rdi), %xmm" #n "\n"
#define STORE_X(n) "movups %xmm" #n ", 256 + " #n " * 32(%rdi)\n"

__asm__(".text\n"
	".globl spots\n"
	".type spots, @function\n"
	"spots:\n"
	".cfi_startproc\n"
	"	pushq	%rbx\n"
	"	pushq	%rbp\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	"	pushq	%rsi\n"
	"	pushq	%rdi\n"
	/* fills the red zone, from its lowest word */
	"	leaq	-128(%rsp), %rdx\n"
	"	xorl	%ecx, %ecx\n"
	"1:	movq	128(%rdi,%rcx,8), %rax\n"
	"	movq	%rax, (%rdx,%rcx,8)\n"
	"	incl	%ecx\n"
	"	cmpl	$16, %ecx\n"
	"	jne	1b\n"
	"	ldmxcsr	768(%rdi)\n"
	"	testl	%esi, %esi\n"
	"	jz	2f\n" EACH_VECTOR(
		LOAD_Y) "	jmp	3f\n"
			"2:\n" EACH_VECTOR(
				LOAD_X) "3:	leaq	-512(%rsp), %rsp\n" /* popfq does not write to the stack, pushq does */
					"	pushq	120(%rdi)\n"
					"	popfq\n"
					"	leaq	512(%rsp), %rsp\n"
					"	movq	0(%rdi), %rax\n"
					"	movq	8(%rdi), %rbx\n"
					"	movq	16(%rdi), %rcx\n"
					"	movq	24(%rdi), %rdx\n"
					"	movq	32(%rdi), %rsi\n"
					"	movq	40(%rdi), %rbp\n"
					"	movq	48(%rdi), %r8\n"
					"	movq	56(%rdi), %r9\n"
					"	movq	64(%rdi), %r10\n"
					"	movq	72(%rdi), %r11\n"
					"	movq	80(%rdi), %r12\n"
					"	movq	88(%rdi), %r13\n"
					"	movq	96(%rdi), %r14\n"
					"	movq	104(%rdi), %r15\n"
					"	movq	112(%rdi), %rdi\n"
					".globl spot_wide, spot_narrow\n"
					".type spot_wide, @notype\n"
					"spot_wide:\n"
					"	nopl	0x12345678(%rax,%rax)\n"
					"spot_narrow:\n"
					"	nop\n"
					"4:	movq	%rdi, %rdi\n"
					"	xchgq	%rdi, (%rsp)\n" /* saves rdi, loads the address of the state */
					"	movq	%rax, 0(%rdi)\n"
					"	movq	%rbx, 8(%rdi)\n"
					"	movq	%rcx, 16(%rdi)\n"
					"	movq	%rdx, 24(%rdi)\n"
					"	movq	%rsi, 32(%rdi)\n"
					"	movq	%rbp, 40(%rdi)\n"
					"	movq	%r8, 48(%rdi)\n"
					"	movq	%r9, 56(%rdi)\n"
					"	movq	%r10, 64(%rdi)\n"
					"	movq	%r11, 72(%rdi)\n"
					"	movq	%r12, 80(%rdi)\n"
					"	movq	%r13, 88(%rdi)\n"
					"	movq	%r14, 96(%rdi)\n"
					"	movq	%r15, 104(%rdi)\n"
					"	movq	(%rsp), %rax\n"
					"	movq	%rax, 112(%rdi)\n"
					"	leaq	-512(%rsp), %rsp\n"
					"	pushfq\n"
					"	popq	120(%rdi)\n"
					"	leaq	512(%rsp), %rsp\n"
					"	cld\n"
					"	leaq	-128(%rsp), %rdx\n"
					"	xorl	%ecx, %ecx\n"
					"5:	movq	(%rdx,%rcx,8), %rax\n"
					"	movq	%rax, "
					"128(%rdi,%rcx,8)\n"
					"	incl	%ecx\n"
					"	cmpl	$16, %ecx\n"
					"	jne	5b\n"
					"	stmxcsr	768(%rdi)\n"
					"	popq	%rsi\n" /* the saved value of rdi */
					"	popq	%rsi\n"
					"	testl	%esi, %esi\n"
					"	jz	6f\n" EACH_VECTOR(
						STORE_Y) "	vzeroupper\n"
							 "	jmp	7f\n"
							 "6:\n" EACH_VECTOR(
								 STORE_X) "7:	popq	%r15\n"
									  "	popq	%r14\n"
									  "	popq	%r13\n"
									  "	popq	%r12\n"
									  "	popq	%rbp\n"
									  "	popq	%rbx\n"
									  "	ret\n"
									  /* Never executed; no jump fits over spot_narrow because of it. */
									  "	jmp	4b\n"
									  ".cfi"
									  "_end"
									  "proc"
									  "\n"
									  ".siz"
									  "e "
									  "spot"
									  "s, "
									  ". - "
									  "spot"
									  "s"
									  "\n");

static uint64_t random_state = 88172645463325252;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void fill(struct state *state)
{
	uint64_t *words = (uint64_t *)state;

	for (size_t i = 0; i < sizeof(*state) / 8; i++)
		words[i] = random_word();
	state->flags = (state->flags & FLAGS) | 0x202;
	state->control = 0x1f80 | (uint32_t)(state->control & 0x603f);
	state->pad = 0;
}

int main(void)
{
	const int has_avx = __builtin_cpu_supports("avx");
	struct state before, after;
	int wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		fill(&before);
		if (!has_avx)
			for (int n = 0; n < 16; n++)
				memset(before.vector[n] + 16, 0, 16);
		after = before;
		spots(&after, has_avx);
		wrong += memcmp(&before, &after, sizeof(before)) != 0;
	}
	printf("%d of %d wrong\n", wrong, ROUNDS);
	return wrong != 0;
}
