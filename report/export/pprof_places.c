/* SPDX-License-Identifier: MIT */
/* See pprof_places.h. */
#include "report/export/pprof_places.h"

#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/announced_lines.h"

/* The names for one line of a location; `file` may be NULL. */
struct naming {
	const char *name, *symbol, *file;
	/* first line of the function; 0 if it is unknown */
	uint32_t first_line;
};

void pprof_write(struct pprof *pprof, const Pprof__Profile *piece)
{
	pprof->write(pprof->sink, piece);
}

/* Makes strings of a2n printable, since they come from untrusted files. */
static uint32_t string_of(struct pprof *pprof, const char *text)
{
	char *copy = text_printable(memory_printf("%s", text ? text : ""));
	uint32_t number = strings_number(&pprof->strings, copy);

	free(copy);
	return number;
}

static uint64_t function_of(struct pprof *pprof, const struct naming *naming)
{
	Pprof__Function function = PPROF__FUNCTION__INIT;
	Pprof__Function *functions[] = { &function };
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	uint64_t *id;

	function.name = string_of(pprof, naming->name);
	function.filename = string_of(pprof, naming->file);
	/* A name is never the empty string, which has number 0. */
	id = idmap_at(&pprof->functions, (uint64_t)function.name << 32 |
						 (uint64_t)function.filename);
	if (*id)
		return *id;
	*id = pprof->functions.used;
	function.id = *id;
	/* pprof would demangle a system name that equals the name. */
	function.system_name = string_of(pprof, naming->symbol);
	function.start_line = naming->first_line;
	piece.n_function = 1;
	piece.function = functions;
	pprof_write(pprof, &piece);
	return *id;
}

/* ---- Locations ---- */

/* Enough for all user addresses of x86-64. */
enum { MAPPING_VADDR_BITS = 48 };

/* Writes a mapping of the module's segment and returns its id. */
static uint64_t write_mapping(struct pprof *pprof, uint32_t module,
			      const struct a2n_segment *segment)
{
	const struct catalog_module *entry = &pprof->catalog->modules[module];
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;
	Pprof__Mapping *mappings[] = { &mapping };
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	mapping.id = pprof->mappings.used;
	mapping.memory_start = segment->vaddr;
	mapping.memory_limit = segment->vaddr + segment->bytes;
	mapping.file_offset = segment->file_offset;
	mapping.filename =
		strings_number(&pprof->strings, entry->printable_path);
	mapping.build_id =
		strings_number(&pprof->strings, export_build_id(entry).text);
	mapping.has_functions = 1;
	mapping.has_filenames = 1;
	mapping.has_line_numbers = 1;
	mapping.has_inline_frames = 1;
	piece.n_mapping = 1;
	piece.mapping = mappings;
	pprof_write(pprof, &piece);
	return mapping.id;
}

uint64_t pprof_mapping(struct pprof *pprof, uint32_t module, uint64_t vaddr)
{
	/* Readers take a mapping of all addresses as one without an offset. */
	struct a2n_segment segment = { .bytes = UINT64_MAX };
	uint64_t *id;

	if (module == CATALOG_NO_MODULE)
		return 0;
	catalog_segment(pprof->catalog, module, vaddr, &segment);
	if (segment.vaddr >> MAPPING_VADDR_BITS ||
	    segment.vaddr + segment.bytes < segment.vaddr)
		segment = (struct a2n_segment){ .bytes = UINT64_MAX };
	id = idmap_at(&pprof->mappings, ((uint64_t)module + 1)
							<< MAPPING_VADDR_BITS |
						segment.vaddr);
	if (*id == 0)
		*id = write_mapping(pprof, module, &segment);
	return *id;
}

static uint64_t write_place(struct pprof *pprof, uint32_t module,
			    uint64_t vaddr, Pprof__Line *lines, size_t count)
{
	Pprof__Location place = PPROF__LOCATION__INIT;
	Pprof__Location *places[] = { &place };
	Pprof__Line *pointers[CATALOG_FRAMES];
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	for (size_t i = 0; i < count; i++)
		pointers[i] = &lines[i];
	place.id = ++pprof->place_count;
	place.mapping_id = pprof_mapping(pprof, module, vaddr);
	place.address = vaddr;
	place.n_line = count;
	place.line = pointers;
	piece.n_location = 1;
	piece.location = places;
	pprof_write(pprof, &piece);
	return place.id;
}

uint64_t pprof_named_place(struct pprof *pprof, const char *name)
{
	Pprof__Line line = PPROF__LINE__INIT;

	line.function_id = function_of(pprof, &(struct naming){ .name = name });
	return write_place(pprof, CATALOG_NO_MODULE, 0, &line, 1);
}

/* Uses the catalog's name, since debug information may have a shorter one. */
static struct naming naming_of(struct pprof *pprof, uint32_t function)
{
	const uint32_t whole = whole_function(pprof->catalog, function);
	struct naming naming = {
		.name = catalog_marked_name(pprof->catalog, whole),
	};
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count = catalog_frames(pprof->catalog, function, frames,
				      CATALOG_FRAMES);

	if (count > 0 && count <= CATALOG_FRAMES)
		naming.symbol = frames[count - 1].symbol;
	catalog_place(pprof->catalog, whole, &naming.file, &naming.first_line);
	return naming;
}

/* Returns the function's own location: its first line, without a site. */
static uint64_t function_place(struct pprof *pprof, uint32_t function,
			       uint64_t vaddr, int has_line)
{
	struct naming naming = naming_of(pprof, function);
	Pprof__Line line = PPROF__LINE__INIT;

	line.function_id = function_of(pprof, &naming);
	line.line = has_line ? naming.first_line : 0;
	return write_place(pprof, pprof->catalog->functions[function].module,
			   vaddr, &line, 1);
}

static uint64_t site_place(struct pprof *pprof, uint32_t function,
			   uint64_t vaddr, const struct a2n_frame *frames,
			   size_t count)
{
	Pprof__Line lines[CATALOG_FRAMES];

	for (size_t i = 0; i < count; i++) {
		struct naming naming = {
			.name = frames[i].name ? frames[i].name : "(unnamed)",
			.symbol = frames[i].symbol,
			.file = frames[i].file,
		};

		if (i + 1 == count)
			naming = naming_of(pprof, function);
		lines[i] = (Pprof__Line)PPROF__LINE__INIT;
		lines[i].function_id = function_of(pprof, &naming);
		lines[i].line = frames[i].line;
	}
	return write_place(pprof, pprof->catalog->functions[function].module,
			   vaddr, lines, count);
}

/*
 * Returns whether a site without debug information is in this function. That is
 * certain unless callers were omitted.
 */
static int is_bare_site(const struct pprof *pprof, uint32_t function,
			uint32_t site)
{
	return site != 0 && !pprof->export->keep &&
	       catalog_is_recorded(&pprof->catalog->functions[function]) &&
	       pprof->catalog->sites[site].module ==
		       pprof->catalog->functions[function].module;
}

static uint64_t address_of(const struct catalog *catalog, uint32_t site,
			   int is_return)
{
	if (site_is_announced(catalog, site))
		return 0;
	return catalog->sites[site].vaddr - (is_return != 0);
}

static uint64_t make_place(struct pprof *pprof, uint32_t function,
			   uint32_t site, int is_return)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	uint64_t vaddr = address_of(pprof->catalog, site, is_return);
	size_t count = export_frames(pprof->catalog, function, site, is_return,
				     frames);

	if (count > 0)
		return site_place(pprof, function, vaddr, frames, count);
	if (site == 0)
		return function_place(pprof, function,
				      pprof->catalog->functions[function].vaddr,
				      1);
	if (is_bare_site(pprof, function, site) &&
	    catalog_site_frames(pprof->catalog, site, is_return, frames,
				CATALOG_FRAMES) == 0)
		return function_place(pprof, function, vaddr, 0);
	return pprof_place(pprof, function, 0, 0);
}

uint64_t pprof_place(struct pprof *pprof, uint32_t function, uint32_t site,
		     int is_return)
{
	/* The function itself has one location, also as a caller. */
	struct idmap *places = &pprof->places[site != 0 && is_return];
	uint64_t key = (uint64_t)function << 32 | site;
	const uint64_t *known = idmap_find(places, key);
	uint64_t id;

	if (known)
		return *known;
	id = make_place(pprof, function, site, is_return);
	*idmap_at(places, key) = id;
	return id;
}
