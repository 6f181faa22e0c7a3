/* SPDX-License-Identifier: MIT */
/*
 * libiberty's demanglers with a bounded result and a bounded time.
 *
 * A mangled name refers back to its parts, so that a name of 200 bytes can
 * stand for gigabytes of text. The demanglers give their text to a callback in
 * small pieces; the callback jumps out of the demangler when the text is long
 * enough. The demanglers hold all memory on the stack at that time, except for
 * the characters of one Unicode identifier of Rust, which are then lost.
 *
 * The C++ demangler also searches the pattern of each pack expansion (T...) for
 * the pack. The search prints nothing and follows each reference back, so that
 * a pattern of n parts can take 2^n steps. A name that may contain a pack
 * expansion therefore stays mangled if it has too many parts.
 */
#include "symbolizer/elf/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

enum {
	/*
	 * Maximum number of parts of a name that may contain a pack expansion;
	 * a part is counted as often as the name refers to it.
	 */
	MOST_PARTS = 20000,
	OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO,
	/*
	 * Maximum length of a mangled D name. libiberty's demangler of D
	 * recurses for each type, so a longer name could overflow the stack.
	 */
	D_LONGEST = 2048,
	/*
	 * Maximum number of references back to a part of a name of D. The part
	 * may contain references itself, so the text may become 3^(24 / 3)
	 * times as long as the name.
	 */
	D_REFERENCES = 24,
};

struct cut_text {
	char *bytes; /* a buffer of DEMANGLE_LONGEST + 1 bytes */
	size_t count;
	jmp_buf is_full;
};

static char *printable(char *text)
{
	for (char *at = text; at && *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return text;
}

/* Ends a text of DEMANGLE_LONGEST bytes with "...", after a whole character. */
static void cut(char *text)
{
	size_t end = DEMANGLE_LONGEST - 3;

	while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	memcpy(text + end, "...", sizeof("..."));
}

static void append(const char *piece, size_t length, void *opaque)
{
	struct cut_text *text = opaque;
	size_t room = DEMANGLE_LONGEST - text->count;

	memcpy(text->bytes + text->count, piece, length < room ? length : room);
	if (length > room) {
		cut(text->bytes);
		longjmp(text->is_full, 1);
	}
	text->count += length;
	text->bytes[text->count] = '\0';
}

/*
 * Subtracts the number of parts below `part` from *left. Follows each reference
 * back to a part, and ends when *left is 0.
 */
static void count_parts(const struct demangle_component *part, size_t *left)
{
	if (!part || *left == 0)
		return;
	--*left;
	switch ((int)part->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
	/* the demangler does not search its parts */
	case DEMANGLE_COMPONENT_LAMBDA:
		return;
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		count_parts(part->u.s_unary_num.sub, left);
		return;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		count_parts(part->u.s_extended_operator.name, left);
		return;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		count_parts(part->u.s_fixed.length, left);
		return;
	case DEMANGLE_COMPONENT_CTOR:
		count_parts(part->u.s_ctor.name, left);
		return;
	case DEMANGLE_COMPONENT_DTOR:
		count_parts(part->u.s_dtor.name, left);
		return;
	default:
		count_parts(part->u.s_binary.left, left);
		count_parts(part->u.s_binary.right, left);
	}
}

/*
 * Returns whether the demangler could take too long: the name may contain a
 * pack expansion and has at least MOST_PARTS parts. The encoding of each pack
 * expansion begins with "Dp" or "sp". Some other names contain these letters
 * too, and have the same limit.
 */
static int takes_too_long(const char *mangled)
{
	const struct demangle_component *root;
	size_t left = MOST_PARTS;
	void *memory = NULL;

	if (!strstr(mangled, "Dp") && !strstr(mangled, "sp"))
		return 0;
	root = cplus_demangle_v3_components(mangled, OPTIONS, &memory);
	if (!root)
		return 0;
	count_parts(root, &left);
	free(memory);
	return left == 0;
}

static int demangle_cplusplus(const char *mangled, int options,
			      demangle_callbackref append_piece, void *text)
{
	return !takes_too_long(mangled) &&
	       cplus_demangle_v3_callback(mangled, options, append_piece, text);
}

/*
 * Runs one demangler, which appends to *text. Returns the demangler's result,
 * or 1 if the text is full. *text is in memory of the caller, because local
 * variables may be undefined after a longjmp.
 */
static int run(int demangle(const char *, int, demangle_callbackref, void *),
	       const char *mangled, struct cut_text *text)
{
	text->count = 0;
	text->bytes[0] = '\0';
	if (setjmp(text->is_full))
		return 1;
	return demangle(mangled, OPTIONS, append, text);
}

/*
 * Returns whether the symbol is a mangled D name: "_D", followed by the length
 * of the first part or by "main".
 */
static int is_of_d(const char *symbol)
{
	return strncmp(symbol, "_D", 2) == 0 &&
	       (isdigit((unsigned char)symbol[2]) ||
		strcmp(symbol + 2, "main") == 0);
}

/*
 * Returns the demangled form of a D name, or NULL if the name exceeds a limit.
 * libiberty's demangler of D returns the whole text on the heap, so no callback
 * can stop it. Each 'Q' may begin a reference.
 */
static char *demangled_of_d(const char *mangled)
{
	size_t references = 0;
	char *name;

	for (const char *at = mangled; *at; at++)
		references += *at == 'Q';
	if (strlen(mangled) > D_LONGEST || references > D_REFERENCES)
		return NULL;
	name = dlang_demangle(mangled, OPTIONS);
	if (name && strlen(name) > DEMANGLE_LONGEST)
		cut(name);
	return name;
}

/*
 * Returns the demangled name on the heap, or NULL if the name cannot be
 * demangled.
 */
static char *demangled(const char *mangled)
{
	struct cut_text text;

	if (is_of_d(mangled))
		return demangled_of_d(mangled);
	text.bytes = malloc(DEMANGLE_LONGEST + 1);
	if (!text.bytes)
		return NULL;
	if ((run(rust_demangle_callback, mangled, &text) ||
	     run(demangle_cplusplus, mangled, &text)) &&
	    text.bytes[0])
		return text.bytes;
	free(text.bytes);
	return NULL;
}

/*
 * A quick test, which also accepts some names that are not mangled: a D name
 * (is_of_d()), or any number of '_', '$' and '.', followed by 'Z' (C++), 'R'
 * (Rust) or 'G' (_GLOBAL_, functions that run all constructors of a file).
 */
int demangle_is_mangled(const char *symbol)
{
	if (is_of_d(symbol))
		return 1;
	while (*symbol == '_' || *symbol == '$' || *symbol == '.')
		symbol++;
	return strchr("ZRG", *symbol) != NULL && *symbol;
}

char *a2n_demangle(const char *symbol)
{
	const char *version = strchr(symbol, '@');
	char *plain = version && version != symbol
			      ? strndup(symbol, (size_t)(version - symbol))
			      : strdup(symbol);
	char *name = NULL;

	if (!plain)
		return NULL;
	if (demangle_is_mangled(plain))
		name = demangled(plain);
	if (name) {
		free(plain);
		return printable(name);
	}
	if (strlen(plain) > DEMANGLE_LONGEST)
		cut(plain);
	return printable(plain);
}
