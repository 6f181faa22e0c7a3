/* SPDX-License-Identifier: MIT */
/* The page without data: see report/html/build.mjs. */
	.section .rodata
	.globl html_template, html_template_end
	.hidden html_template, html_template_end
html_template:
	.incbin "report/html/page.html"
html_template_end:
	.byte 0
	.section .note.GNU-stack, "", @progbits
