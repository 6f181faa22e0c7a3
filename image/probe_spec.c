/* SPDX-License-Identifier: MIT */
/* See probe_spec.h. */
#include "image/probe_spec.h"

#include <errno.h>
#include <string.h>

#include "image/startup.h"
#include "image/symbols.h"
#include "match/cxx_name.h"
#include "match/glob.h"
#include "wire/user_probe.h"

#define RETURN_SUFFIX "%return"

static int digit_of(char c, unsigned int base)
{
	int digit = -1;

	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		digit = (c | 0x20) - 'a' + 10;
	return digit >= 0 && (unsigned int)digit < base ? digit : -1;
}

/* Parses all of [text, end): decimal, or hexadecimal after 0x. */
static int parse_number(const char *text, const char *end, uint64_t *out)
{
	unsigned int base = 10;
	uint64_t number = 0;

	if (end - text > 2 && text[0] == '0' && text[1] == 'x') {
		base = 16;
		text += 2;
	}
	if (text == end)
		return -EINVAL;
	for (; text < end; text++) {
		const int digit = digit_of(*text, base);

		if (digit < 0 ||
		    __builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, (unsigned int)digit,
					   &number))
			return -EINVAL;
	}
	*out = number;
	return 0;
}

static int take(char *to, const char *from, const char *end)
{
	const size_t bytes = (size_t)(end - from);

	if (bytes == 0 || bytes >= PROBE_SPEC_MAX_BYTES)
		return -EINVAL;
	memcpy(to, from, bytes);
	to[bytes] = '\0';
	return 0;
}

/* Parses numbers with 0x, separated by commas. */
static int parse_addresses(const char *text, const char *end,
			   struct probe_spec *spec)
{
	for (;;) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		const char *behind = comma ? comma : end;

		if (spec->address_count == PROBE_SPEC_MAX_ADDRESSES ||
		    behind - text < 3 || text[0] != '0' || text[1] != 'x' ||
		    parse_number(text, behind,
				 &spec->addresses[spec->address_count]))
			return -EINVAL;
		spec->address_count++;
		if (!comma)
			return 0;
		text = comma + 1;
	}
}

static int parse_place(const char *text, struct probe_spec *spec)
{
	const char *end = text + strcspn(text, " ");
	const char *plus = memchr(text, '+', (size_t)(end - text));
	const size_t suffix = sizeof(RETURN_SUFFIX) - 1;

	if ((size_t)(end - text) > suffix &&
	    !memcmp(end - suffix, RETURN_SUFFIX, suffix)) {
		spec->is_return = 1;
		end -= suffix;
	}
	if (text[0] == '0' && text[1] == 'x')
		return parse_addresses(text, end, spec);
	if (digit_of(*text, 10) >= 0)
		return -EINVAL;
	if (plus && plus > text && !spec->is_return) {
		if (parse_number(plus + 1, end, &spec->offset))
			return -EINVAL;
		end = plus;
	}
	return take(spec->function, text, end);
}

int probe_spec_parse(const char *text, struct probe_spec *out)
{
	const char *colon = probe_text_colon(text);

	*out = (struct probe_spec){ .offset = 0 };
	if (!colon)
		return parse_place(text, out);
	if (take(out->module, text, colon))
		return -EINVAL;
	return parse_place(colon + 1, out);
}

int probe_spec_means(const struct probe_spec *spec, const char *path,
		     int is_program)
{
	if (!*spec->module)
		return *spec->function || is_program;
	return glob_matches_file(spec->module, path);
}

/* ---- Functions by name ---- */

/*
 * Maximum number of functions with one name: static functions, or instances of
 * a template. Further ones are ignored.
 */
#define NAMESAKES_MAX 64

struct name_matches {
	const struct probe_spec *spec;
	uint64_t vaddrs[NAMESAKES_MAX];
	unsigned int count;
};

/*
 * Notes the address of a function with the wanted name, once, because a symbol
 * may be in both symbol tables.
 */
static int note_symbol(void *context, const struct symbol *symbol)
{
	struct name_matches *matches = context;

	if (!symbol->is_function || !symbol->is_defined ||
	    (strcmp(symbol->name, matches->spec->function) != 0 &&
	     !cxx_name_means(matches->spec->function, symbol->name)))
		return 0;
	for (unsigned int i = 0; i < matches->count; i++)
		if (matches->vaddrs[i] == symbol->vaddr)
			return 0;
	if (matches->count < NAMESAKES_MAX)
		matches->vaddrs[matches->count++] = symbol->vaddr;
	return 0;
}

/* ---- Exits ---- */

struct exit_walk {
	probe_site_visit visit;
	void *context;
	unsigned int count;
	int leaves_if; /* whether some exit of the function is conditional */
};

static void check_exit(void *context, const struct probe_site *site)
{
	struct exit_walk *walk = context;

	/* Unreachable instructions do not count. */
	walk->leaves_if |= site->leaves == PROBE_LEAVES_IF &&
			   site->reason != PROBE_IS_UNREACHED;
}

static void visit_exit(void *context, const struct probe_site *site)
{
	struct exit_walk *walk = context;

	if (site->leaves != PROBE_LEAVES || site->reason == PROBE_IS_UNREACHED)
		return;
	walk->visit(walk->context, site);
	walk->count++;
}

static unsigned int walk_exits(const struct probe_map *map, uint64_t vaddr,
			       probe_site_visit visit, void *context)
{
	const struct functions *functions = &map->inquiry->functions;
	const uint32_t index = functions_at(functions, vaddr);
	struct probe_site none = { .vaddr = vaddr, .patch_vaddr = vaddr };
	struct exit_walk walk = { .visit = visit, .context = context };

	if (index == UINT32_MAX || functions->list[index].vaddr != vaddr) {
		none.reason = PROBE_IS_NO_FUNCTION;
		visit(context, &none);
		return 1;
	}
	probe_exits_walk(map, index, check_exit, &walk);
	if (!walk.leaves_if)
		probe_exits_walk(map, index, visit_exit, &walk);
	if (walk.count)
		return walk.count;
	none.reason = walk.leaves_if ? PROBE_IS_LEAVES_IF : PROBE_IS_NO_RETURN;
	visit(context, &none);
	return 1;
}

/* Returns whether an offset leads to a byte of the function. */
static int is_within(const struct probe_map *map, uint64_t vaddr,
		     uint64_t offset)
{
	const struct functions *functions = &map->inquiry->functions;
	const uint32_t index = functions_at(functions, vaddr);

	return !offset || (index != UINT32_MAX &&
			   vaddr + offset - functions->list[index].vaddr <
				   functions->list[index].size);
}

static unsigned int walk_one(const struct probe_map *map, uint64_t vaddr,
			     uint64_t offset, probe_site_visit visit,
			     void *context)
{
	struct probe_site site = probe_site_at(map, vaddr + offset);

	if (!is_within(map, vaddr, offset))
		site = (struct probe_site){ .vaddr = vaddr + offset,
					    .patch_vaddr = vaddr + offset,
					    .reason = PROBE_IS_NO_FUNCTION };
	visit(context, &site);
	return 1;
}

/*
 * Finds the functions with the name. Stripped programs have no symbol for
 * main(), but their entry code contains its address.
 */
static struct name_matches find_name(const struct probe_spec *spec,
				     const struct image *image)
{
	struct name_matches matches = { .spec = spec };

	symbols_walk(image, note_symbol, &matches);
	if (matches.count == 0 && strcmp(spec->function, "main") == 0) {
		matches.vaddrs[0] = startup_main(image);
		matches.count = matches.vaddrs[0] != 0;
	}
	return matches;
}

int probe_spec_is_in(const struct probe_spec *spec, const struct image *image)
{
	return !*spec->function || find_name(spec, image).count;
}

unsigned int probe_spec_walk(const struct probe_spec *spec,
			     const struct probe_map *map,
			     probe_site_visit visit, void *context)
{
	struct name_matches matches;
	unsigned int count = 0;

	for (uint32_t i = 0; i < spec->address_count; i++)
		count += spec->is_return ? walk_exits(map, spec->addresses[i],
						      visit, context)
					 : walk_one(map, spec->addresses[i], 0,
						    visit, context);
	if (!*spec->function)
		return count;
	matches = find_name(spec, map->inquiry->image);
	for (unsigned int i = 0; i < matches.count; i++)
		count += spec->is_return
				 ? walk_exits(map, matches.vaddrs[i], visit,
					      context)
				 : walk_one(map, matches.vaddrs[i],
					    spec->offset, visit, context);
	return count;
}
