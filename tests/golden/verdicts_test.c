/* SPDX-License-Identifier: MIT */
/*
 * verdicts_test FILE...: the analysis of FILE gives every function the verdict
 * that its label in verdicts.s says, and knows those that jump to their start.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "image/analysis.h"
#include "image/image.h"
#include "wire/verdict.h"

static const char *verdict_name(unsigned int verdict)
{
	static const char *const names[] = {
#define X(name, class, text) #name,
		VERDICTS(X)
#undef X
	};

	return names[verdict];
}

static const struct wire_function *find(const struct analysis *analysis,
					uint64_t vaddr)
{
	for (uint32_t i = 0; i < analysis->function_count; i++)
		if (analysis->functions[i].vaddr == vaddr)
			return &analysis->functions[i];
	return NULL;
}

static int check_label(const struct analysis *analysis, const char *label,
		       uint64_t vaddr)
{
	const struct wire_function *function = find(analysis, vaddr);
	size_t bytes = strcspn(label, ".");
	char got[64];

	snprintf(got, sizeof(got), "%s%s",
		 function ? verdict_name(function->verdict) : "none",
		 function && wire_loops(function) ? ",LOOPS" : "");
	if (strlen(got) == bytes && strncmp(got, label, bytes) == 0)
		return 0;
	printf("  %s at %#llx: %s\n", label, (unsigned long long)vaddr, got);
	return 1;
}

/* Returns the number of wrong labels, or 1 if there are no labels. */
static int check_labels(const struct image *image,
			const struct analysis *analysis)
{
	const Elf64_Shdr *symtab = image_section(image, ".symtab");
	const Elf64_Shdr *strtab = image_section(image, ".strtab");
	const Elf64_Sym *symbols = image_section_bytes(image, symtab);
	const char *names = image_section_bytes(image, strtab);
	unsigned int labels = 0;
	int failures = 0;

	for (size_t i = 0; i < symtab->sh_size / sizeof(*symbols); i++) {
		const char *name = names + symbols[i].st_name;

		if (!strstr(name, ".."))
			continue;
		labels++;
		failures += check_label(analysis, name, symbols[i].st_value);
	}
	if (analysis->function_count == labels)
		return failures;
	printf("  %u functions, %u labels\n", analysis->function_count, labels);
	return failures + 1;
}

static int check_file(const char *path)
{
	struct arena arena = { 0 };
	struct analysis analysis;
	struct image image;
	int failures = 1;

	if (analysis_of_file(path, NULL, &arena, &analysis) == 0 &&
	    image_open(&image, path) == 0) {
		failures = check_labels(&image, &analysis);
		image_close(&image);
	}
	arena_fini(&arena);
	return failures;
}

int main(int argc, char **argv)
{
	int failures = argc < 2;

	for (int i = 1; i < argc; i++) {
		int wrong = check_file(argv[i]);

		printf("%s %s\n", wrong ? "FAIL" : "ok  ", argv[i]);
		failures += wrong;
	}
	return failures != 0;
}
