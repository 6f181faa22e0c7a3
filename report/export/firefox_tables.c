/* SPDX-License-Identifier: MIT */
/* See firefox_tables.h. */
#include "report/export/firefox_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/announced_lines.h"

/* The front end stores addresses as 32-bit integers with a sign. */
#define ADDRESS_MAX INT32_MAX

void firefox_tables_init(struct firefox_tables *tables, struct export *export)
{
	*tables = (struct firefox_tables){
		.export = export,
		.catalog = &export->session->catalog,
	};
}

void firefox_tables_fini(struct firefox_tables *tables)
{
	strings_fini(&tables->strings);
	strings_fini(&tables->sources);
	free(tables->functions);
	free(tables->frames);
	free(tables->stacks);
	free(tables->symbols);
	free(tables->places);
	free(tables->libraries);
	hash_index_fini(&tables->function_at);
	hash_index_fini(&tables->stack_at);
	idmap_fini(&tables->place_at[0]);
	idmap_fini(&tables->place_at[1]);
	idmap_fini(&tables->symbol_at);
	idmap_fini(&tables->library_at);
}

/* Makes strings of debug information printable, since files are untrusted. */
static uint32_t printable_number(struct strings *strings, const char *text)
{
	char *copy = text_printable(memory_printf("%s", text));
	uint32_t number = strings_number(strings, copy);

	free(copy);
	return number;
}

uint32_t firefox_string(struct firefox_tables *tables, const char *text)
{
	return strings_number(&tables->strings, text);
}

/* ---- Libraries and categories ---- */

static uint32_t library_of(struct firefox_tables *tables, uint32_t module)
{
	uint64_t *library;

	if (module == CATALOG_NO_MODULE)
		return FIREFOX_NONE;
	library = idmap_at(&tables->library_at, (uint64_t)module + 1);
	if (*library)
		return (uint32_t)*library - 1;
	tables->libraries =
		memory_grow(tables->libraries, tables->library_count,
			    &tables->library_capacity, sizeof(uint32_t));
	tables->libraries[tables->library_count++] = module;
	*library = tables->library_count;
	return (uint32_t)*library - 1;
}

static int is_system_path(const char *path)
{
	static const char *const folders[] = { "/lib", "/usr/lib" };

	if (path[0] == '[') /* a name like [vdso] */
		return 1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return 1;
	return 0;
}

static enum firefox_category native_category(const struct catalog *catalog,
					     uint32_t module)
{
	if (module == CATALOG_NO_MODULE)
		return FIREFOX_PROGRAM;
	return is_system_path(catalog->modules[module].path) ? FIREFOX_SYSTEM
							     : FIREFOX_PROGRAM;
}

static enum firefox_category category_of(struct firefox_tables *tables,
					 uint32_t function)
{
	static const uint8_t categories[KIND_COUNT] = {
		[KIND_JNI] = FIREFOX_JNI,
		[KIND_JAVA] = FIREFOX_JAVA,
		[KIND_GENERATED] = FIREFOX_GENERATED,
		[KIND_KERNEL] = FIREFOX_KERNEL,
		[KIND_CLEW] = FIREFOX_CLEW,
		[KIND_BLOCKED] = FIREFOX_IDLE,
	};
	const enum function_kind kind = catalog_kind(tables->catalog, function);

	if (kind == KIND_NATIVE || kind == KIND_INLINED)
		return native_category(
			tables->catalog,
			tables->catalog->functions[function].module);
	return (enum firefox_category)categories[kind];
}

/*
 * Returns the address in the format's terms: the distance from the first byte
 * of the file's image. UINT64_MAX if there is none, or it exceeds ADDRESS_MAX.
 */
static uint64_t address_in(struct firefox_tables *tables, uint32_t module,
			   uint64_t vaddr)
{
	const struct a2n_module *symbols;
	uint64_t base = 0;

	if (module == CATALOG_NO_MODULE)
		return UINT64_MAX;
	symbols = catalog_symbols(tables->catalog,
				  &tables->catalog->modules[module]);
	if (symbols && a2n_module_vaddr(symbols, 0, &base) != 0)
		base = 0;
	return vaddr >= base && vaddr - base <= ADDRESS_MAX ? vaddr - base
							    : UINT64_MAX;
}

/* ---- Functions ---- */

static int is_function(const struct firefox_function *a,
		       const struct firefox_function *b)
{
	return a->name == b->name && a->resource == b->resource &&
	       a->source == b->source;
}

static uint32_t function_number(struct firefox_tables *tables,
				const struct firefox_function *function)
{
	const uint32_t hash = hash_of_word(
		((uint64_t)function->name << 32 | function->source) ^
		(uint64_t)function->resource << 16);
	struct hash_slot *at;

	hash_index_reserve(&tables->function_at, tables->function_count + 1);
	at = hash_index_first(&tables->function_at, hash);
	while (at->item &&
	       !is_function(&tables->functions[at->item - 1], function))
		at = hash_index_next(&tables->function_at, hash, at);
	if (at->item)
		return at->item - 1;
	hash_index_enter(&tables->function_at, at, hash,
			 tables->function_count);
	tables->functions =
		memory_grow(tables->functions, tables->function_count,
			    &tables->function_capacity, sizeof(*function));
	tables->functions[tables->function_count] = *function;
	return (uint32_t)tables->function_count++;
}

/* Uses the catalog's name, since debug information may have a shorter one. */
static uint32_t own_function(struct firefox_tables *tables, uint32_t function)
{
	struct catalog *catalog = tables->catalog;
	const uint32_t whole = whole_function(catalog, function);
	struct firefox_function own = {
		.name = firefox_string(tables,
				       catalog_marked_name(catalog, whole)),
		.resource =
			library_of(tables, catalog->functions[whole].module),
		.source = FIREFOX_NONE,
	};
	const char *file;

	if (catalog_place(catalog, whole, &file, &own.line) && file)
		own.source = printable_number(&tables->sources, file);
	return function_number(tables, &own);
}

static uint32_t inlined_function(struct firefox_tables *tables,
				 uint32_t library,
				 const struct a2n_frame *frame)
{
	struct firefox_function inlined = {
		.name = printable_number(&tables->strings,
					 frame->name ? frame->name
						     : "(unnamed)"),
		.resource = library,
		.source = frame->file ? printable_number(&tables->sources,
							 frame->file)
				      : FIREFOX_NONE,
	};

	return function_number(tables, &inlined);
}

/*
 * Returns the symbol of a function that has an address in a module;
 * FIREFOX_NONE for any other function.
 */
static uint32_t symbol_of(struct firefox_tables *tables, uint32_t function)
{
	const struct catalog_function *entry =
		&tables->catalog->functions[function];
	struct firefox_symbol symbol;
	uint64_t *known;

	if (entry->module == CATALOG_NO_MODULE || entry->is_named)
		return FIREFOX_NONE;
	symbol = (struct firefox_symbol){
		.address = address_in(tables, entry->module, entry->vaddr),
		.library = library_of(tables, entry->module),
		.name = firefox_string(tables,
				       catalog_name(tables->catalog, function)),
		.bytes = entry->size_bytes,
	};
	if (symbol.address == UINT64_MAX)
		return FIREFOX_NONE;
	known = idmap_at(&tables->symbol_at, (uint64_t)function + 1);
	if (*known)
		return (uint32_t)*known - 1;
	tables->symbols = memory_grow(tables->symbols, tables->symbol_count,
				      &tables->symbol_capacity, sizeof(symbol));
	tables->symbols[tables->symbol_count++] = symbol;
	*known = tables->symbol_count;
	return (uint32_t)*known - 1;
}

/* ---- Frames ---- */

static void add_frame(struct firefox_tables *tables,
		      const struct firefox_frame *frame)
{
	tables->frames = memory_grow(tables->frames, tables->frame_count,
				     &tables->frame_capacity, sizeof(*frame));
	tables->frames[tables->frame_count++] = *frame;
}

/* Adds the frames at a site, the outermost first. */
static void add_site(struct firefox_tables *tables, uint32_t function,
		     uint64_t vaddr, const struct a2n_frame *frames,
		     size_t count)
{
	const uint32_t module = tables->catalog->functions[function].module;
	struct firefox_frame frame = {
		.address =
			vaddr ? address_in(tables, module, vaddr) : UINT64_MAX,
		.library = library_of(tables, module),
		.symbol = symbol_of(tables, function),
		.category = (uint8_t)category_of(tables, function),
	};

	for (size_t depth = 0; depth < count; depth++) {
		const struct a2n_frame *at = &frames[count - 1 - depth];

		frame.function =
			depth == 0
				? own_function(tables, function)
				: inlined_function(tables, frame.library, at);
		frame.line = at->line;
		frame.inline_depth = (uint8_t)depth;
		add_frame(tables, &frame);
	}
}

/* Adds the frame of a function without debug information for the site. */
static void add_plain(struct firefox_tables *tables, uint32_t function,
		      uint64_t vaddr, int has_line)
{
	const struct catalog_function *entry =
		&tables->catalog->functions[function];
	struct firefox_frame frame = {
		.address = entry->is_named
				   ? UINT64_MAX
				   : address_in(tables, entry->module, vaddr),
		.library = library_of(tables, entry->module),
		.function = own_function(tables, function),
		.symbol = symbol_of(tables, function),
		.category = (uint8_t)category_of(tables, function),
	};
	const char *file;

	if (has_line)
		catalog_place(tables->catalog, function, &file, &frame.line);
	add_frame(tables, &frame);
}

/*
 * Returns whether a site without debug information is in this function. That is
 * certain unless callers were omitted.
 */
static int is_bare_site(const struct firefox_tables *tables, uint32_t function,
			uint32_t site)
{
	const struct catalog_function *entry =
		&tables->catalog->functions[function];

	return site != 0 && !tables->export->keep &&
	       catalog_is_recorded(entry) &&
	       tables->catalog->sites[site].module == entry->module;
}

static void add_frames(struct firefox_tables *tables, uint32_t function,
		       uint32_t site, int is_return)
{
	struct catalog *catalog = tables->catalog;
	struct a2n_frame frames[CATALOG_FRAMES];
	const size_t count =
		export_frames(catalog, function, site, is_return, frames);
	uint64_t vaddr = 0;

	if (!site_is_announced(catalog, site) && site != 0)
		vaddr = catalog->sites[site].vaddr - (is_return != 0);
	if (count > 0)
		add_site(tables, function, vaddr, frames, count);
	else if (is_bare_site(tables, function, site) &&
		 catalog_site_frames(catalog, site, is_return, frames,
				     CATALOG_FRAMES) == 0)
		add_plain(tables, function, vaddr, 0);
	else
		add_plain(tables, function, catalog->functions[function].vaddr,
			  1);
}

static struct firefox_place place_of(struct firefox_tables *tables,
				     uint32_t function, uint32_t site,
				     int is_return)
{
	uint64_t *known = idmap_at(&tables->place_at[is_return != 0],
				   (uint64_t)function << 32 | site);
	struct firefox_place place;

	if (*known)
		return tables->places[*known - 1];
	place.first_frame = (uint32_t)tables->frame_count;
	add_frames(tables, function, site, is_return);
	place.count = (uint32_t)tables->frame_count - place.first_frame;
	tables->places = memory_grow(tables->places, tables->place_count,
				     &tables->place_capacity, sizeof(place));
	tables->places[tables->place_count++] = place;
	*known = tables->place_count;
	return place;
}

/* ---- Stacks ---- */

static uint32_t stack_number(struct firefox_tables *tables, uint32_t prefix,
			     uint32_t frame)
{
	const uint32_t hash = hash_of_word((uint64_t)prefix << 32 | frame);
	const struct firefox_stack *known;
	struct hash_slot *at;

	hash_index_reserve(&tables->stack_at, tables->stack_count + 1);
	at = hash_index_first(&tables->stack_at, hash);
	while (at->item) {
		known = &tables->stacks[at->item - 1];
		if (known->prefix == prefix && known->frame == frame)
			return at->item - 1;
		at = hash_index_next(&tables->stack_at, hash, at);
	}
	hash_index_enter(&tables->stack_at, at, hash, tables->stack_count);
	tables->stacks =
		memory_grow(tables->stacks, tables->stack_count,
			    &tables->stack_capacity, sizeof(*tables->stacks));
	tables->stacks[tables->stack_count] =
		(struct firefox_stack){ .frame = frame, .prefix = prefix };
	return (uint32_t)tables->stack_count++;
}

uint32_t firefox_callers(struct firefox_tables *tables, uint32_t callers,
			 uint32_t function, uint32_t site, int is_return)
{
	const struct firefox_place place =
		place_of(tables, function, site, is_return);
	uint32_t stack = callers;

	for (uint32_t i = 0; i < place.count; i++)
		stack = stack_number(tables, stack, place.first_frame + i);
	return stack;
}

/* ---- Writing ---- */

/*
 * Returns Breakpad's id: the first 16 bytes of the build-id as a UUID whose
 * first three fields are in little-endian order, and an age of 0.
 */
static char *breakpad_id(const struct a2n_build_id *id)
{
	static const uint8_t order[16] = { 3, 2, 1,  0,  5,  4,  7,  6,
					   8, 9, 10, 11, 12, 13, 14, 15 };
	char *text = memory_zeroed(34, 1);

	for (size_t i = 0; i < sizeof(order); i++)
		snprintf(text + 2 * i, 3, "%02X",
			 order[i] < id->bytes ? id->data[order[i]] : 0);
	text[32] = '0';
	return text;
}

void firefox_write_libraries(const struct firefox_tables *tables,
			     struct json_stream *profile)
{
	struct json_stream list = json_begin(profile, "libs", "[");
	struct utsname machine = { .machine = "" };

	/*
	 * A recording is read on the same kind of machine as it was written on.
	 */
	uname(&machine);
	for (size_t i = 0; i < tables->library_count; i++) {
		const struct catalog_module *module =
			&tables->catalog->modules[tables->libraries[i]];
		const struct export_build_id id = export_build_id(module);
		char *breakpad = breakpad_id(&module->build_id);

		json_member(&list, NULL,
			    json_pack("{sssosososossso}", "arch",
				      machine.machine, "name",
				      json_text(module->name), "path",
				      json_text(module->printable_path),
				      "debugName", json_text(module->name),
				      "debugPath",
				      json_text(module->printable_path),
				      "breakpadId", breakpad, "codeId",
				      id.text[0] ? json_string(id.text)
						 : json_null()));
		free(breakpad);
	}
	json_end(&list, "]");
}

/* Writes a number, or `text` instead of the number `none`. */
static void put_or(struct json_stream *column, uint64_t value, uint64_t none,
		   const char *text)
{
	if (column->has_members)
		fputc(',', column->out);
	column->has_members = 1;
	if (value == none)
		fputs(text, column->out);
	else
		fprintf(column->out, "%" PRIu64, value);
}

static void put_nullable(struct json_stream *column, uint64_t value,
			 uint64_t none)
{
	put_or(column, value, none, "null");
}

static void put_signed(struct json_stream *column, uint64_t value,
		       uint64_t none)
{
	put_or(column, value, none, "-1");
}

static void put_number(struct json_stream *column, uint64_t value)
{
	put_nullable(column, value, UINT64_MAX);
}

/* Writes a column of equal values. */
static void write_constant(struct json_stream *table, const char *key,
			   const char *value, size_t count)
{
	struct json_stream column = json_begin(table, key, "[");

	for (size_t i = 0; i < count; i++)
		fprintf(column.out, "%s%s", i ? "," : "", value);
	json_end(&column, "]");
}

/* Writes one column: an array with an expression of each row. */
#define WRITE_COLUMN(table, key, rows, put, ...)                               \
	do {                                                                   \
		struct json_stream column = json_begin(table, key, "[");       \
                                                                               \
		for (size_t i = 0; i < (rows); i++)                            \
			put(&column, __VA_ARGS__);                             \
		json_end(&column, "]");                                        \
	} while (0)

static void write_stacks(const struct firefox_tables *tables,
			 struct json_stream *shared)
{
	struct json_stream table = json_begin(shared, "stackTable", "{");
	const struct firefox_stack *stacks = tables->stacks;
	const size_t count = tables->stack_count;

	WRITE_COLUMN(&table, "frame", count, put_number, stacks[i].frame);
	/* 0 stands for a root */
	WRITE_COLUMN(&table, "prefixOffset", count, put_number,
		     stacks[i].prefix == FIREFOX_NONE ? 0
						      : i - stacks[i].prefix);
	json_member(&table, "length", json_number(count));
	json_end(&table, "}");
}

static void write_frames(const struct firefox_tables *tables,
			 struct json_stream *shared)
{
	struct json_stream table = json_begin(shared, "frameTable", "{");
	const struct firefox_frame *frames = tables->frames;
	const size_t count = tables->frame_count;

	WRITE_COLUMN(&table, "address", count, put_signed, frames[i].address,
		     UINT64_MAX);
	WRITE_COLUMN(&table, "lib", count, put_signed, frames[i].library,
		     FIREFOX_NONE);
	WRITE_COLUMN(&table, "inlineDepth", count, put_number,
		     frames[i].inline_depth);
	WRITE_COLUMN(&table, "category", count, put_number, frames[i].category);
	write_constant(&table, "subcategory", "0", count);
	WRITE_COLUMN(&table, "func", count, put_number, frames[i].function);
	WRITE_COLUMN(&table, "nativeSymbol", count, put_nullable,
		     frames[i].symbol, FIREFOX_NONE);
	write_constant(&table, "innerWindowID", "0", count);
	WRITE_COLUMN(&table, "line", count, put_nullable, frames[i].line, 0);
	write_constant(&table, "column", "null", count);
	write_constant(&table, "originalLocation", "null", count);
	json_member(&table, "length", json_number(count));
	json_end(&table, "}");
}

static void write_functions(const struct firefox_tables *tables,
			    struct json_stream *shared)
{
	struct json_stream table = json_begin(shared, "funcTable", "{");
	const struct firefox_function *functions = tables->functions;
	const size_t count = tables->function_count;

	WRITE_COLUMN(&table, "name", count, put_number, functions[i].name);
	write_constant(&table, "isJS", "false", count);
	write_constant(&table, "relevantForJS", "false", count);
	WRITE_COLUMN(&table, "resource", count, put_signed,
		     functions[i].resource, FIREFOX_NONE);
	WRITE_COLUMN(&table, "source", count, put_nullable, functions[i].source,
		     FIREFOX_NONE);
	WRITE_COLUMN(&table, "lineNumber", count, put_nullable,
		     functions[i].line, 0);
	write_constant(&table, "columnNumber", "null", count);
	write_constant(&table, "originalLocation", "null", count);
	json_member(&table, "length", json_number(count));
	json_end(&table, "}");
}

static void write_symbols(const struct firefox_tables *tables,
			  struct json_stream *shared)
{
	struct json_stream table = json_begin(shared, "nativeSymbols", "{");
	const struct firefox_symbol *symbols = tables->symbols;
	const size_t count = tables->symbol_count;

	WRITE_COLUMN(&table, "libIndex", count, put_number, symbols[i].library);
	WRITE_COLUMN(&table, "address", count, put_number, symbols[i].address);
	WRITE_COLUMN(&table, "name", count, put_number, symbols[i].name);
	WRITE_COLUMN(&table, "functionSize", count, put_nullable,
		     symbols[i].bytes, 0);
	json_member(&table, "length", json_number(count));
	json_end(&table, "}");
}

/*
 * Writes the table of resources, which has one resource of type 1, "library",
 * for each library.
 */
static void write_resources(struct firefox_tables *tables,
			    struct json_stream *shared)
{
	struct json_stream table = json_begin(shared, "resourceTable", "{");
	const size_t count = tables->library_count;

	WRITE_COLUMN(
		&table, "name", count, put_number,
		firefox_string(
			tables,
			tables->catalog->modules[tables->libraries[i]].name));
	write_constant(&table, "host", "null", count);
	write_constant(&table, "type", "1", count);
	json_member(&table, "length", json_number(count));
	json_end(&table, "}");
}

static void write_sources(struct firefox_tables *tables,
			  struct json_stream *shared)
{
	struct json_stream table = json_begin(shared, "sources", "{");
	const size_t count = tables->sources.count;

	write_constant(&table, "id", "null", count);
	WRITE_COLUMN(&table, "filename", count, put_number,
		     firefox_string(tables, tables->sources.items[i]));
	write_constant(&table, "startLine", "1", count);
	write_constant(&table, "startColumn", "1", count);
	write_constant(&table, "sourceMapURL", "null", count);
	write_constant(&table, "content", "null", count);
	json_member(&table, "length", json_number(count));
	json_end(&table, "}");
}

void firefox_write_shared(struct firefox_tables *tables,
			  struct json_stream *profile)
{
	struct json_stream shared = json_begin(profile, "shared", "{");
	struct json_stream strings;

	write_stacks(tables, &shared);
	write_frames(tables, &shared);
	write_functions(tables, &shared);
	write_resources(tables, &shared);
	write_symbols(tables, &shared);
	write_sources(tables, &shared);
	json_member(&shared, "sourceLocationTable",
		    json_pack("{s[]s[]s[]si}", "source", "line", "column",
			      "length", 0));
	/* The last table: the other ones add strings. */
	strings = json_begin(&shared, "stringArray", "[");
	for (size_t i = 0; i < tables->strings.count; i++)
		json_member(&strings, NULL,
			    json_text(tables->strings.items[i]));
	json_end(&strings, "]");
	json_end(&shared, "}");
}
