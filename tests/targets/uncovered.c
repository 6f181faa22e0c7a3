/* SPDX-License-Identifier: MIT */
/*
 * Code without any metadata: it has neither unwind information nor a symbol,
 * and no instruction or pointer contains its address.
 */
#include <stdio.h>

#define CALLS 1000

long anchor(long n);
extern const long distance; /* from anchor() to the code */

__asm__("	.pushsection .text\n"
	"	.p2align 4\n"
	"	.skip 16, 0xcc\n"
	"nobody:	push %rbx\n"
	"	lea 1(%rdi), %rbx\n"
	"	mov %rbx, %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"	.p2align 4\n"
	"	.popsection\n"
	"	.pushsection .rodata\n"
	"	.p2align 3\n"
	"distance:\n"
	"	.quad nobody - anchor\n"
	"	.popsection");

/* A function that is called; its content does not matter. */
__attribute__((noinline)) long anchor(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n ^ 1;
}

int main(void)
{
	long (*nobody)(long) = (long (*)(long))((char *)anchor + distance);
	long sum = 0;

	for (long i = 0; i < CALLS; i++)
		sum = nobody(sum) + anchor(i);
	printf("%ld\n", sum);
	return 0;
}
