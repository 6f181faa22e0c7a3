/* SPDX-License-Identifier: MIT */
/* Waits in a function whose call frame information contains an endless loop. */
#include <stdio.h>

void wait_here(void);

__asm__(".text\n"
	".type wait_here, @function\n"
	".cfi_startproc\n"
	/* DW_CFA_def_cfa_expression: lit0, skip -3 */
	".cfi_escape 0x0f, 4, 0x30, 0x2f, 0xfd, 0xff\n"
	"	nop\n"
	"wait_here:\n"
	"	mov $34, %eax\n" /* pause() */
	"	syscall\n"
	"	jmp wait_here\n"
	".cfi_endproc\n"
	".size wait_here, . - wait_here\n");

int main(void)
{
	puts("ready");
	fflush(stdout);
	wait_here();
	return 0;
}
