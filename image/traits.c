/* SPDX-License-Identifier: MIT */
/*
 * See traits.h. Most traits follow from symbols; those that the loader or
 * plug-ins need also exist in stripped modules.
 */
#include "image/traits.h"

#include "image/symbols.h"

#define MAX_SEARCHED_BYTES (UINT64_C(32) << 20)

struct sign {
	const char *name; /* name of a symbol that shows the trait */
	uint32_t trait;
	/*
	 * whether the symbol is undefined here, because the runtime is another
	 * module
	 */
	int is_import;
};

static const struct sign signs[] = {
	{ "caml_program", TRAIT_OCAML, 0 },
	{ "caml_system__frametable", TRAIT_OCAML, 0 },
	{ "caml_startup__frametable", TRAIT_OCAML, 0 },
	/* symbol of a plug-in in OCaml (.cmxs) */
	{ "caml_plugin_header", TRAIT_OCAML, 0 },
	{ "stg_upd_frame_info", TRAIT_HASKELL, 0 },
	{ "stg_upd_frame_info", TRAIT_HASKELL, 1 },
	{ "stg_ap_0_fast", TRAIT_HASKELL, 1 },
	{ "stg_gc_unpt_r1", TRAIT_HASKELL, 1 },
	{ "runtime.goexit", TRAIT_GO, 0 },
	{ "go.buildid", TRAIT_GO, 0 },
	{ "go:buildid", TRAIT_GO, 0 },
	{ "_ZN2v82V832SetReturnAddressLocationResolverEPFmmE", TRAIT_V8, 0 },
	{ "mono_aot_file_info", TRAIT_AOT, 0 },
	{ "__morestack", TRAIT_SPLIT_STACK, 0 },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int visit_symbol(void *context, const struct symbol *symbol)
{
	uint32_t *traits = context;
	const char *name = symbol->name;

	for (size_t i = 0; i < COUNT(signs); i++)
		if (*name == *signs[i].name &&
		    signs[i].is_import != symbol->is_defined &&
		    !strcmp(signs[i].name, name))
			*traits |= signs[i].trait;
	return 0;
}

/*
 * Returns whether the module has a note whose owner is "Go": the build id that
 * Go's linker writes.
 */
static int has_go_note(const struct image *image)
{
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;
		struct bytes b = image_bytes_at(image, segment->p_vaddr);

		if (segment->p_type != PT_NOTE || bytes_left(&b) < 16)
			continue;
		if (bytes_unsigned(&b, 4) == 4) {
			/* skips the size of the contents, and the type */
			bytes_skip(&b, 8);
			if (memcmp(b.at, "Go\0\0", 4) == 0)
				return 1;
		}
	}
	return 0;
}

static int is_go(const struct image *image)
{
	return image_section(image, ".gopclntab") ||
	       image_section(image, ".data.rel.ro.gopclntab") ||
	       image_section(image, ".go.buildinfo") ||
	       image_section(image, ".note.go.buildid") || has_go_note(image);
}

/*
 * Returns whether the module is a stripped program in OCaml, which exports
 * nothing. The runtime reads this variable; the bytecode interpreter, which is
 * plain C, also contains this error message.
 */
static int is_stripped_ocaml(const struct image *image)
{
	static const char variable[] = "OCAMLRUNPARAM";
	static const char bytecode[] = "is not a bytecode executable";
	const Elf64_Shdr *section = image_section(image, ".rodata");
	const void *bytes;

	if (image_section(image, ".symtab") || !section ||
	    section->sh_size > MAX_SEARCHED_BYTES)
		return 0;
	bytes = image_section_bytes(image, section);
	return bytes &&
	       memmem(bytes, section->sh_size, variable, sizeof(variable)) &&
	       !memmem(bytes, section->sh_size, bytecode, sizeof(bytecode) - 1);
}

uint32_t traits_of(const struct image *image)
{
	uint32_t traits = is_go(image) ? TRAIT_GO : 0;

	if (is_stripped_ocaml(image))
		traits |= TRAIT_OCAML;
	symbols_walk(image, visit_symbol, &traits);
	return traits;
}
