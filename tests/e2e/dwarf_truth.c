/* SPDX-License-Identifier: MIT */
/*
 * dwarf_truth FILE <ADDRESSES
 *
 * Prints what the DWARF of a file contains about addresses, as libdwarf reads
 * it. Where the standard leaves a choice, prints all rows, functions and units
 * of an address. Tests compare this with the answers of liba2n, and explain
 * with it why other tools differ. For each address:
 *
 *	@ ADDRESS
 *	u VERSION            a unit whose ranges contain the address
 *	r FILE LINE          a row of a line table for the address
 *	z NUMBER FILE0 FILE1 the number of the row's file; the table's files 0, 1
 *	c                    a function that contains the address, followed by:
 *	f NAME FILE LINE     the function and the calls inlined there, innermost
 *	                     first, each with its call location
 *
 * Fields are separated by tabs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/variables/libdwarf_versions.h"

struct scope {
	struct scope *caller; /* NULL: not inlined */
	char *name, *call_file;
	Dwarf_Unsigned call_line;
};

struct chain {
	struct chain *next;
	Dwarf_Off function; /* offset of its DIE */
	int depth;
	struct scope *innermost;
};

struct row {
	struct row *next;
	Dwarf_Unsigned line, file;
	char *path, *first[2];
};

struct place {
	uint64_t address;
	struct chain *chains;
	struct row *rows;
	int versions[4], unit_count;
};

static struct place *places;
static size_t place_count;

static Dwarf_Debug debug;
static Dwarf_Error problem;

/* The current unit. */
static struct {
	Dwarf_Half version;
	Dwarf_Addr base;
	const char *directory;
	Dwarf_Line_Context lines; /* or NULL */
} unit;

static void give_up(const char *what)
{
	fprintf(stderr, "dwarf_truth: %s: %s\n", what,
		problem ? dwarf_errmsg(problem) : "failed");
	exit(EXIT_FAILURE);
}

static int check(int result, const char *what)
{
	if (result == DW_DLV_ERROR)
		give_up(what);
	return result == DW_DLV_OK;
}

static void *memory(size_t bytes)
{
	void *made = calloc(1, bytes);

	if (!made)
		give_up("memory");
	return made;
}

static char *text(const char *of)
{
	return memcpy(memory(strlen(of) + 1), of, strlen(of));
}

/* ---- ranges ---- */

typedef void visit_range(uint64_t start, uint64_t end, void *context);

static Dwarf_Attribute attribute(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Attribute found;

	return check(dwarf_attr(die, name, &found, &problem), "attribute")
		       ? found
		       : NULL;
}

static void visit_old_ranges(Dwarf_Die die, Dwarf_Off offset,
			     visit_range *visit, void *context)
{
	Dwarf_Addr base = unit.base;
	Dwarf_Ranges *ranges;
	Dwarf_Signed count;

	if (!check(dwarf_get_ranges_b(debug, offset, die, NULL, &ranges, &count,
				      NULL, &problem),
		   "ranges"))
		return;
	for (Dwarf_Signed i = 0; i < count; i++) {
		const Dwarf_Ranges *range = &ranges[i];

		if (range->dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = range->dwr_addr2;
		else if (range->dwr_type == DW_RANGES_ENTRY)
			visit(base + range->dwr_addr1, base + range->dwr_addr2,
			      context);
	}
	dwarf_dealloc_ranges(debug, ranges, count);
}

static void visit_new_ranges(Dwarf_Attribute ranges, Dwarf_Half form,
			     Dwarf_Unsigned where, visit_range *visit,
			     void *context)
{
	Dwarf_Rnglists_Head head;
	Dwarf_Unsigned count, offset;

	if (!check(dwarf_rnglists_get_rle_head(ranges, form, where, &head,
					       &count, &offset, &problem),
		   "range list"))
		return;
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		Dwarf_Unsigned raw[2], start, end;
		unsigned int bytes, kind;
		Dwarf_Bool is_unavailable;

		if (!check(dwarf_get_rnglists_entry_fields_a(
				   head, i, &bytes, &kind, &raw[0], &raw[1],
				   &is_unavailable, &start, &end, &problem),
			   "range"))
			continue;
		if (kind != DW_RLE_end_of_list &&
		    kind != DW_RLE_base_addressx &&
		    kind != DW_RLE_base_address && !is_unavailable)
			visit(start, end, context);
	}
	dwarf_dealloc_rnglists_head(head);
}

static void visit_ranges(Dwarf_Die die, visit_range *visit, void *context)
{
	Dwarf_Attribute ranges = attribute(die, DW_AT_ranges);
	enum Dwarf_Form_Class class;
	Dwarf_Addr low, high;
	Dwarf_Unsigned where;
	Dwarf_Half form;

	if (!ranges) {
		if (!check(dwarf_lowpc(die, &low, &problem), "low_pc") ||
		    !check(dwarf_highpc_b(die, &high, &form, &class, &problem),
			   "high_pc"))
			return;
		if (class == DW_FORM_CLASS_CONSTANT)
			high += low;
		visit(low, high, context);
		return;
	}
	check(dwarf_whatform(ranges, &form, &problem), "form");
	if (form == DW_FORM_rnglistx)
		check(dwarf_formudata(ranges, &where, &problem), "ranges");
	else
		check(dwarf_global_formref(ranges, &where, &problem), "ranges");
	if (unit.version >= 5)
		visit_new_ranges(ranges, form, where, visit, context);
	else
		visit_old_ranges(die, where, visit, context);
	dwarf_dealloc_attribute(ranges);
}

/* Returns the first queried address that is not below `address`. */
static struct place *place_from(uint64_t address)
{
	size_t low = 0, high = place_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (places[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return places + low;
}

/* ---- names ---- */

/*
 * Returns the path of a file of the line table, or NULL. A relative path is
 * below the unit's directory. This includes directory 0 of version 5, although
 * that is the unit's directory itself: other tools do the same.
 */
static char *file_path(Dwarf_Unsigned number)
{
	const char *name, *directory = NULL;
	Dwarf_Signed base, count, end;
	Dwarf_Unsigned index;
	char *path;

	if (!unit.lines ||
	    !check(dwarf_srclines_files_indexes(unit.lines, &base, &count, &end,
						&problem),
		   "files") ||
	    (Dwarf_Signed)number < base || (Dwarf_Signed)number >= end ||
	    !check(dwarf_srclines_files_data_b(unit.lines, (Dwarf_Signed)number,
					       &name, &index, NULL, NULL, NULL,
					       &problem),
		   "file"))
		return NULL;
	if ((index > 0 || unit.version >= 5) &&
	    !check(dwarf_srclines_include_dir_data(unit.lines,
						   (Dwarf_Signed)index,
						   &directory, &problem),
		   "directory"))
		directory = NULL;
	if (name[0] == '/')
		return text(name);
	if (asprintf(&path, "%s%s%s%s%s",
		     directory && directory[0] == '/' ? "" : unit.directory,
		     directory && directory[0] == '/' ? "" : "/",
		     directory ? directory : "", directory ? "/" : "",
		     name) < 0)
		give_up("memory");
	return path;
}

static Dwarf_Die referred(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Attribute reference = attribute(die, name);
	Dwarf_Die target = NULL;
	Dwarf_Off offset;

	if (!reference)
		return NULL;
	if (check(dwarf_global_formref(reference, &offset, &problem), "ref"))
		check(dwarf_offdie_b(debug, offset, 1, &target, &problem),
		      "reference");
	dwarf_dealloc_attribute(reference);
	return target;
}

/*
 * Returns a text of the DIE, of its abstract origin or of its declaration.
 */
static char *text_attribute(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Attribute found = attribute(die, name);
	Dwarf_Die target;
	char *value;

	if (found && check(dwarf_formstring(found, &value, &problem), "text"))
		return value;
	target = referred(die, DW_AT_abstract_origin);
	if (!target)
		target = referred(die, DW_AT_specification);
	return target ? text_attribute(target, name) : NULL;
}

static char *function_name(Dwarf_Die die)
{
	char *name = text_attribute(die, DW_AT_linkage_name);

	if (!name)
		name = text_attribute(die, DW_AT_MIPS_linkage_name);
	return name ? name : text_attribute(die, DW_AT_name);
}

static Dwarf_Unsigned number_attribute(Dwarf_Die die, Dwarf_Half name,
				       Dwarf_Unsigned otherwise)
{
	Dwarf_Attribute found = attribute(die, name);
	Dwarf_Unsigned value;
	Dwarf_Signed number;

	if (!found)
		return otherwise;
	if (dwarf_formudata(found, &value, &problem) == DW_DLV_OK)
		return value;
	/* DW_FORM_implicit_const has a sign. */
	if (dwarf_formsdata(found, &number, &problem) == DW_DLV_OK)
		return (Dwarf_Unsigned)number;
	return otherwise;
}

/* ---- functions ---- */

/* A function or inlined call whose DIE contains the DIE being visited. */
struct level {
	struct level *caller;
	Dwarf_Die die;
	Dwarf_Off function;
	int depth;
	struct scope *scope; /* created by scope_of() */
};

static struct scope *scope_of(struct level *level)
{
	struct scope *scope = level->scope;

	if (scope)
		return scope;
	level->scope = scope = memory(sizeof(*scope));
	scope->name = function_name(level->die);
	if (!level->caller)
		return scope;
	scope->caller = scope_of(level->caller);
	scope->call_line = number_attribute(level->die, DW_AT_call_line, 0);
	scope->call_file =
		file_path(number_attribute(level->die, DW_AT_call_file, ~0ULL));
	return scope;
}

/*
 * Records the innermost scope of a function at an address: that of the deepest
 * DIE, or of the last one among equally deep DIEs.
 */
static void note_chain(struct place *place, struct level *level)
{
	struct chain *chain = place->chains;

	while (chain && chain->function != level->function)
		chain = chain->next;
	if (!chain) {
		chain = memory(sizeof(*chain));
		chain->next = place->chains;
		chain->function = level->function;
		place->chains = chain;
	} else if (chain->depth > level->depth) {
		return;
	}
	chain->depth = level->depth;
	chain->innermost = scope_of(level);
}

static void visit_level(uint64_t start, uint64_t end, void *context)
{
	for (struct place *place = place_from(start);
	     place < places + place_count && place->address < end; place++)
		note_chain(place, context);
}

static void visit_children(Dwarf_Die die, struct level *around);

static void visit_die(Dwarf_Die die, struct level *around)
{
	struct level level = { .die = die };
	Dwarf_Half tag;

	check(dwarf_tag(die, &tag, &problem), "tag");
	if (tag == DW_TAG_subprogram) {
		check(dwarf_dieoffset(die, &level.function, &problem), "DIE");
		around = &level;
	} else if (tag == DW_TAG_inlined_subroutine && around) {
		level.caller = around;
		level.function = around->function;
		level.depth = around->depth + 1;
		around = &level;
	}
	if (around == &level)
		visit_ranges(die, visit_level, &level);
	visit_children(die, around);
}

static void visit_children(Dwarf_Die die, struct level *around)
{
	Dwarf_Die child, next;

	if (!check(dwarf_child(die, &child, &problem), "child"))
		return;
	for (;;) {
		visit_die(child, around);
		if (!check(dwarf_siblingof_b(debug, child, 1, &next, &problem),
			   "sibling"))
			next = NULL;
		dwarf_dealloc_die(child);
		if (!next)
			return;
		child = next;
	}
}

/* ---- lines ---- */

static void note_row(struct place *place, Dwarf_Line line)
{
	struct row *row = memory(sizeof(*row));

	row->next = place->rows;
	place->rows = row;
	check(dwarf_lineno(line, &row->line, &problem), "line");
	check(dwarf_line_srcfileno(line, &row->file, &problem), "file");
	row->path = file_path(row->file);
	row->first[0] = file_path(0);
	row->first[1] = file_path(1);
}

/*
 * libdwarf 20210528 reports the end of a sequence also for each row that begins
 * an epilogue.
 */
static int ends_sequence(Dwarf_Line row)
{
	Dwarf_Bool is_end, begins, is_epilogue;
	Dwarf_Unsigned set, discriminator;

	check(dwarf_lineendsequence(row, &is_end, &problem), "end");
	check(dwarf_prologue_end_etc(row, &begins, &is_epilogue, &set,
				     &discriminator, &problem),
	      "epilogue");
	return is_end && !is_epilogue;
}

static void visit_rows(void)
{
	Dwarf_Addr address, next;
	Dwarf_Signed count;
	Dwarf_Line *rows;

	if (!check(dwarf_srclines_from_linecontext(unit.lines, &rows, &count,
						   &problem),
		   "rows"))
		return;
	for (Dwarf_Signed i = 0; i + 1 < count; i++) {
		if (ends_sequence(rows[i]))
			continue;
		check(dwarf_lineaddr(rows[i], &address, &problem), "address");
		check(dwarf_lineaddr(rows[i + 1], &next, &problem), "address");
		for (struct place *place = place_from(address);
		     place < places + place_count && place->address < next;
		     place++)
			note_row(place, rows[i]);
	}
}

/* Units may share a table. Its rows are visited once. */
static int is_first_time(Dwarf_Off table)
{
	static Dwarf_Off *seen;
	static size_t count;

	for (size_t i = 0; i < count; i++) {
		if (seen[i] == table)
			return 0;
	}
	seen = realloc(seen, (count + 1) * sizeof(*seen));
	if (!seen)
		give_up("memory");
	seen[count++] = table;
	return 1;
}

/* ---- units ---- */

static void visit_unit_range(uint64_t start, uint64_t end, void *context)
{
	(void)context;
	for (struct place *place = place_from(start);
	     place < places + place_count && place->address < end; place++) {
		if (place->unit_count < 4)
			place->versions[place->unit_count++] = unit.version;
	}
}

static void visit_unit(Dwarf_Die root)
{
	Dwarf_Attribute table = attribute(root, DW_AT_stmt_list);
	Dwarf_Attribute directory = attribute(root, DW_AT_comp_dir);
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Off offset;
	char *name;

	unit.base = 0;
	dwarf_lowpc(root, &unit.base, &problem);
	unit.directory = "";
	if (directory &&
	    check(dwarf_formstring(directory, &name, &problem), "directory"))
		unit.directory = text(name);
	unit.lines = NULL;
	if (table &&
	    check(dwarf_srclines_b(root, &version, &tables, &unit.lines,
				   &problem),
		  "line table") &&
	    check(dwarf_global_formref(table, &offset, &problem), "table") &&
	    is_first_time(offset))
		visit_rows();
	visit_ranges(root, visit_unit_range, NULL);
	visit_children(root, NULL);
	if (unit.lines)
		dwarf_srclines_dealloc_b(unit.lines);
}

static void visit_units(void)
{
	Dwarf_Unsigned next, length, type_offset;
	Dwarf_Half address_bytes, offset_bytes, extension, kind;
	Dwarf_Off abbrevs;
	Dwarf_Sig8 signature;
	Dwarf_Die root;

	while (check(dwarf_next_cu_header_d(
			     debug, 1, &length, &unit.version, &abbrevs,
			     &address_bytes, &offset_bytes, &extension,
			     &signature, &type_offset, &next, &kind, &problem),
		     "unit")) {
		if (!check(dwarf_siblingof_b(debug, NULL, 1, &root, &problem),
			   "root"))
			continue;
		visit_unit(root);
		dwarf_dealloc_die(root);
	}
}

/* ---- input and output ---- */

static int compare(const void *a, const void *b)
{
	const struct place *one = a, *other = b;

	return (one->address > other->address) -
	       (one->address < other->address);
}

static void read_addresses(void)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		places = realloc(places, (place_count + 1) * sizeof(*places));
		if (!places)
			give_up("memory");
		places[place_count++] =
			(struct place){ .address = strtoull(line, NULL, 16) };
	}
	free(line);
	qsort(places, place_count, sizeof(*places), compare);
}

static const char *known(const char *name)
{
	return name ? name : "??";
}

static void write_place(const struct place *place)
{
	printf("@\t%#" PRIx64 "\n", place->address);
	for (int i = 0; i < place->unit_count; i++)
		printf("u\t%d\n", place->versions[i]);
	for (const struct row *row = place->rows; row; row = row->next)
		printf("r\t%s\t%llu\nz\t%llu\t%s\t%s\n", known(row->path),
		       row->line, row->file, known(row->first[0]),
		       known(row->first[1]));
	for (const struct chain *chain = place->chains; chain;
	     chain = chain->next) {
		printf("c\n");
		for (const struct scope *scope = chain->innermost; scope;
		     scope = scope->caller)
			printf("f\t%s\t%s\t%llu\n", known(scope->name),
			       known(scope->call_file), scope->call_line);
	}
}

#ifdef DW_LIBDWARF_VERSION

static int open_file(const char *path)
{
	return dwarf_init_path(path, NULL, 0, DW_GROUPNUMBER_ANY, NULL, NULL,
			       &debug, &problem);
}

#else

static int open_file(const char *path)
{
	return dwarf_init_path(path, NULL, 0, DW_DLC_READ, DW_GROUPNUMBER_ANY,
			       NULL, NULL, &debug, NULL, 0, NULL, &problem);
}

#endif

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: dwarf_truth FILE <ADDRESSES\n");
		return EXIT_FAILURE;
	}
	read_addresses();
	dwarf_set_de_alloc_flag(0);
	if (!check(open_file(argv[1]), argv[1]))
		give_up(argv[1]);
	visit_units();
	for (size_t i = 0; i < place_count; i++)
		write_place(&places[i]);
	return 0;
}
