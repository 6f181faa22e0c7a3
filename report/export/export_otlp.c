/* SPDX-License-Identifier: MIT */
/*
 * OTLP profiles: the request that an OpenTelemetry collector receives, as an
 * uncompressed protobuf message.
 *
 * The content is that of a pprof profile, whose pieces are converted. A pprof
 * profile has several values for each sample; OTLP has a profile for each type
 * of value. pprof's ids start at 1 and become indices, since entry 0 of each
 * table of OTLP means "none". Stacks are in a table, each once.
 *
 * The message contains its tables last, and the length of a message precedes
 * it. Each message is therefore collected as packed bytes in memory.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <report/otlp.pb-c.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/varint.h"
#include "report/export/pprof_profile.h"

/*
 * Receivers accept a few megabytes. Lengths in protobuf messages have 31 bits.
 */
#define BYTES_MAX (UINT64_C(1) << 30)

/* Tables start with one entry that means "none". */
enum { FIRST_INDEX = 1 };

enum { TYPES_MAX = 3 };

/* Field numbers of messages that are written in pieces. */
enum {
	FIELD_RESOURCE_PROFILES = 1,
	FIELD_DICTIONARY = 2,
	FIELD_SCOPE_PROFILES = 2,
	FIELD_PROFILES = 2,
};

/* Packed bytes of one message. */
struct packed {
	uint8_t *bytes;
	size_t count, capacity;
};

/* A stack, and the sums of its samples. */
struct otlp_stack {
	size_t first, count; /* range in `places` */
	/* attribute with the process or thread; 0 if there is none */
	int32_t attribute;
	/* index in the table of stacks, which contains no attributes */
	int32_t index;
	int64_t values[TYPES_MAX];
};

/* Packed bytes of a location in the dictionary. */
struct otlp_place {
	size_t at, bytes;
};

/*
 * A mapping. Its index is 0 while it is not in the table, because no location
 * needs it.
 */
struct otlp_mapping {
	Pprof__Mapping pprof;
	int32_t index;
};

struct otlp {
	struct pprof pprof;
	/* only the strings that the message refers to */
	struct strings strings;
	struct packed dictionary;
	struct packed profiles[TYPES_MAX];
	size_t type_count;
	struct otlp_mapping *mappings; /* indexed by id - 1 */
	size_t mapping_count, mapping_capacity;
	/* Locations of the table, and the index of each location of pprof. */
	struct otlp_place *table;
	size_t table_size, table_capacity;
	int32_t *moved;
	size_t moved_count, moved_capacity;
	struct idmap places_at; /* maps the hash of the bytes to the index */
	int32_t *places;        /* the places of all stacks */
	size_t place_count, place_capacity;
	struct otlp_stack *stacks;
	size_t stack_count, stack_capacity;
	/* maps the hash of places and attribute to 1 + the index */
	struct idmap stack_ids;
	/* maps key << 32 | number of the value to the index */
	struct idmap attributes;
	struct strings values;  /* values of attributes */
	int32_t table_mappings; /* number of entries in the table of mappings */
	int32_t table_stacks;   /* number of entries in the table of stacks */
};

/* ---- Packed messages ---- */

static uint8_t *make_room(struct packed *packed, size_t bytes)
{
	if (!packed->bytes || packed->count + bytes > packed->capacity) {
		size_t capacity = 2 * (packed->count + bytes) + 4096;
		uint8_t *larger = realloc(packed->bytes, capacity);

		if (!larger)
			memory_exhausted();
		packed->bytes = larger;
		packed->capacity = capacity;
	}
	return packed->bytes + packed->count;
}

static void add_message(struct packed *packed, const void *message)
{
	const ProtobufCMessage *base = message;
	uint8_t *at =
		make_room(packed, protobuf_c_message_get_packed_size(base));

	packed->count += protobuf_c_message_pack(base, at);
}

static void add_varint(struct packed *packed, uint64_t number)
{
	uint8_t *at = make_room(packed, VARINT_MOST);

	packed->count += (size_t)(varint_put(at, number) - at);
}

/* Adds the head of a field that contains a message of `bytes` bytes. */
static void add_head(struct packed *packed, unsigned int field, size_t bytes)
{
	enum { LENGTH_DELIMITED = 2 };

	add_varint(packed, field << 3 | LENGTH_DELIMITED);
	add_varint(packed, bytes);
}

static void add_inner(struct packed *packed, unsigned int field,
		      const struct packed *inner)
{
	add_head(packed, field, inner->count);
	if (inner->count > 0)
		memcpy(make_room(packed, inner->count), inner->bytes,
		       inner->count);
	packed->count += inner->count;
}

/* ---- Tables ---- */

static void add_entry(struct otlp *otlp, const Otlp__Dictionary *piece)
{
	add_message(&otlp->dictionary, piece);
}

static int32_t string_index(struct otlp *otlp, const char *text)
{
	return (int32_t)strings_number(&otlp->strings, text);
}

/* Returns the index of a string of the pprof profile. */
static int32_t moved_string(struct otlp *otlp, int64_t number)
{
	return string_index(otlp, otlp->pprof.strings.items[number]);
}

/* Returns the index of an attribute, which is written on first use. */
static int32_t attribute_index(struct otlp *otlp, const char *key,
			       const char *value)
{
	const uint64_t key_index = (uint64_t)string_index(otlp, key);
	uint64_t *index = idmap_at(
		&otlp->attributes,
		key_index << 32 | strings_number(&otlp->values, value));
	Otlp__AnyValue any = OTLP__ANY_VALUE__INIT;
	Otlp__KeyValueAndUnit pair = OTLP__KEY_VALUE_AND_UNIT__INIT;
	Otlp__KeyValueAndUnit *pairs[] = { &pair };
	Otlp__Dictionary piece = OTLP__DICTIONARY__INIT;

	if (*index)
		return (int32_t)*index;
	*index = otlp->attributes.used;
	any.string_value = (char *)value;
	pair.key_strindex = (int32_t)key_index;
	pair.value = &any;
	piece.n_attribute_table = 1;
	piece.attribute_table = pairs;
	add_entry(otlp, &piece);
	return (int32_t)*index;
}

/* Writes the entries that mean "none". */
static void add_first_entries(struct otlp *otlp)
{
	uint8_t zeros[16] = { 0 };
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings = &mapping;
	Otlp__Location place = OTLP__LOCATION__INIT, *places = &place;
	Otlp__Function function = OTLP__FUNCTION__INIT, *functions = &function;
	Otlp__Link link = OTLP__LINK__INIT, *links = &link;
	Otlp__KeyValueAndUnit pair = OTLP__KEY_VALUE_AND_UNIT__INIT;
	Otlp__KeyValueAndUnit *pairs = &pair;
	Otlp__Stack stack = OTLP__STACK__INIT, *stacks = &stack;
	Otlp__Dictionary piece = OTLP__DICTIONARY__INIT;

	/* A trace id has 16 bytes, a span id 8. */
	link.trace_id = (ProtobufCBinaryData){ 16, zeros };
	link.span_id = (ProtobufCBinaryData){ 8, zeros };
	piece.n_mapping_table = piece.n_location_table = 1;
	piece.n_function_table = piece.n_link_table = 1;
	piece.n_attribute_table = piece.n_stack_table = 1;
	piece.mapping_table = &mappings;
	piece.location_table = &places;
	piece.function_table = &functions;
	piece.link_table = &links;
	piece.attribute_table = &pairs;
	piece.stack_table = &stacks;
	add_entry(otlp, &piece);
	string_index(otlp, "");
	otlp->table_mappings = otlp->table_stacks = FIRST_INDEX;
}

/* Stores a mapping, whose id is the next one. */
static void take_mapping(struct otlp *otlp, const Pprof__Mapping *from)
{
	otlp->mappings =
		memory_grow(otlp->mappings, otlp->mapping_count,
			    &otlp->mapping_capacity, sizeof(*otlp->mappings));
	otlp->mappings[otlp->mapping_count++] =
		(struct otlp_mapping){ .pprof = *from };
}

static void write_mapping(struct otlp *otlp, const Pprof__Mapping *from)
{
	const char *build_id = otlp->pprof.strings.items[from->build_id];
	int32_t attributes[1];
	Otlp__Mapping mapping = OTLP__MAPPING__INIT;
	Otlp__Mapping *mappings[] = { &mapping };
	Otlp__Dictionary piece = OTLP__DICTIONARY__INIT;

	mapping.memory_start = from->memory_start;
	mapping.memory_limit = from->memory_limit;
	mapping.file_offset = from->file_offset;
	mapping.filename_strindex = moved_string(otlp, from->filename);
	if (*build_id) {
		attributes[0] = attribute_index(
			otlp, "process.executable.build_id.gnu", build_id);
		mapping.n_attribute_indices = 1;
		mapping.attribute_indices = attributes;
	}
	piece.n_mapping_table = 1;
	piece.mapping_table = mappings;
	add_entry(otlp, &piece);
}

/* Returns the index of a mapping, which is written on first use. */
static int32_t mapping_index(struct otlp *otlp, uint64_t id)
{
	struct otlp_mapping *mapping;

	if (id == 0)
		return 0;
	mapping = &otlp->mappings[id - 1];
	if (!mapping->index) {
		mapping->index = otlp->table_mappings++;
		write_mapping(otlp, &mapping->pprof);
	}
	return mapping->index;
}

static void take_function(struct otlp *otlp, const Pprof__Function *from)
{
	Otlp__Function function = OTLP__FUNCTION__INIT;
	Otlp__Function *functions[] = { &function };
	Otlp__Dictionary piece = OTLP__DICTIONARY__INIT;

	function.name_strindex = moved_string(otlp, from->name);
	function.system_name_strindex = moved_string(otlp, from->system_name);
	function.filename_strindex = moved_string(otlp, from->filename);
	function.start_line = from->start_line;
	piece.n_function_table = 1;
	piece.function_table = functions;
	add_entry(otlp, &piece);
}

/*
 * Returns the index of the location in the dictionary's bytes from `at` on.
 * Removes these bytes if the table has an equal location.
 */
static int32_t place_index(struct otlp *otlp, size_t at)
{
	struct packed *dictionary = &otlp->dictionary;
	const struct otlp_place added = { at, dictionary->count - at };
	uint64_t hash = hash_key(
		hash_add(HASH_START, dictionary->bytes + at, added.bytes));
	uint64_t *slot;

	while (*(slot = idmap_at(&otlp->places_at, hash))) {
		const struct otlp_place *place =
			&otlp->table[*slot - FIRST_INDEX];

		if (place->bytes == added.bytes &&
		    memcmp(dictionary->bytes + place->at,
			   dictionary->bytes + at, added.bytes) == 0) {
			dictionary->count = at;
			return (int32_t)*slot;
		}
		hash += 2;
	}
	otlp->table = memory_grow(otlp->table, otlp->table_size,
				  &otlp->table_capacity, sizeof(*otlp->table));
	otlp->table[otlp->table_size++] = added;
	*slot = otlp->table_size;
	return (int32_t)*slot;
}

/* Stores the index of a location of pprof, whose ids are consecutive. */
static void move_place(struct otlp *otlp, uint64_t id, size_t at)
{
	otlp->moved = memory_grow(otlp->moved, otlp->moved_count,
				  &otlp->moved_capacity, sizeof(*otlp->moved));
	otlp->moved[otlp->moved_count++] = place_index(otlp, at);
	assert(id == otlp->moved_count);
	(void)id;
}

static void take_place(struct otlp *otlp, const Pprof__Location *from)
{
	const int32_t mapping = mapping_index(otlp, from->mapping_id);
	const size_t at = otlp->dictionary.count;
	Otlp__Line lines[CATALOG_FRAMES], *pointers[CATALOG_FRAMES];
	Otlp__Location place = OTLP__LOCATION__INIT;
	Otlp__Location *places[] = { &place };
	Otlp__Dictionary piece = OTLP__DICTIONARY__INIT;

	for (size_t i = 0; i < from->n_line; i++) {
		lines[i] = (Otlp__Line)OTLP__LINE__INIT;
		lines[i].function_index = (int32_t)from->line[i]->function_id;
		lines[i].line = from->line[i]->line;
		pointers[i] = &lines[i];
	}
	place.mapping_index = mapping;
	place.address = from->address;
	place.n_lines = from->n_line;
	place.lines = pointers;
	piece.n_location_table = 1;
	piece.location_table = places;
	add_entry(otlp, &piece);
	move_place(otlp, from->id, at);
}

/* ---- Samples ---- */

/* Appends the places of a sample. Returns the index of the first one. */
static size_t append_places(struct otlp *otlp, const Pprof__Sample *sample)
{
	const size_t first = otlp->place_count;

	for (size_t i = 0; i < sample->n_location_id; i++) {
		otlp->places = memory_grow(otlp->places, otlp->place_count,
					   &otlp->place_capacity,
					   sizeof(*otlp->places));
		otlp->places[otlp->place_count++] =
			otlp->moved[sample->location_id[i] - 1];
	}
	return first;
}

static int is_stack(const struct otlp *otlp, const struct otlp_stack *stack,
		    size_t first, size_t count)
{
	return stack->count == count &&
	       memcmp(otlp->places + stack->first, otlp->places + first,
		      count * sizeof(*otlp->places)) == 0;
}

/* Writes a stack into the table and returns its index. */
static int32_t write_stack(struct otlp *otlp, size_t first, size_t count)
{
	Otlp__Stack stack = OTLP__STACK__INIT;
	Otlp__Stack *stacks[] = { &stack };
	Otlp__Dictionary piece = OTLP__DICTIONARY__INIT;

	stack.n_location_indices = count;
	stack.location_indices = otlp->places + first;
	piece.n_stack_table = 1;
	piece.stack_table = stacks;
	add_entry(otlp, &piece);
	return otlp->table_stacks++;
}

/*
 * Returns the stack with these last places; adds it if there is none. Removes
 * the places again if they are stored already.
 */
static struct otlp_stack *stack_at(struct otlp *otlp, size_t first,
				   int32_t attribute)
{
	const size_t appended = first, count = otlp->place_count - first;
	uint64_t hash = hash_key(hash_add(HASH_START, otlp->places + first,
					  count * sizeof(*otlp->places)));
	int32_t index = 0;
	uint64_t *slot;
	struct otlp_stack *stack;

	while (*(slot = idmap_at(&otlp->stack_ids, hash))) {
		stack = &otlp->stacks[*slot - 1];
		if (is_stack(otlp, stack, first, count)) {
			index = stack->index;
			first = stack->first;
			otlp->place_count = appended;
			if (stack->attribute == attribute)
				return stack;
		}
		hash += 2;
	}
	if (!index)
		index = write_stack(otlp, first, count);
	otlp->stacks =
		memory_grow(otlp->stacks, otlp->stack_count,
			    &otlp->stack_capacity, sizeof(*otlp->stacks));
	stack = &otlp->stacks[otlp->stack_count++];
	*slot = otlp->stack_count;
	*stack = (struct otlp_stack){ .first = first,
				      .count = count,
				      .attribute = attribute,
				      .index = index };
	return stack;
}

static void take_sample(struct otlp *otlp, const Pprof__Sample *sample)
{
	const struct strings *strings = &otlp->pprof.strings;
	const size_t first = append_places(otlp, sample);
	int32_t attribute = 0;
	struct otlp_stack *stack;

	if (sample->n_label > 0)
		attribute = attribute_index(
			otlp, strings->items[sample->label[0]->key],
			strings->items[sample->label[0]->str]);
	stack = stack_at(otlp, first, attribute);
	for (size_t i = 0; i < sample->n_value; i++)
		stack->values[i] += sample->value[i];
}

static void write_samples(struct otlp *otlp, size_t type)
{
	for (size_t i = 0; i < otlp->stack_count; i++) {
		struct otlp_stack *stack = &otlp->stacks[i];
		Otlp__Sample sample = OTLP__SAMPLE__INIT;
		Otlp__Sample *samples[] = { &sample };
		Otlp__Profile piece = OTLP__PROFILE__INIT;

		if (stack->values[type] == 0)
			continue;
		sample.stack_index = stack->index;
		sample.n_attribute_indices = stack->attribute != 0;
		sample.attribute_indices = &stack->attribute;
		sample.n_values = 1;
		sample.values = &stack->values[type];
		piece.n_samples = 1;
		piece.samples = samples;
		add_message(&otlp->profiles[type], &piece);
	}
}

/* ---- The pieces of the pprof profile ---- */

static Otlp__ValueType moved_type(struct otlp *otlp,
				  const Pprof__ValueType *from)
{
	Otlp__ValueType type = OTLP__VALUE_TYPE__INIT;

	type.type_strindex = moved_string(otlp, from->type);
	type.unit_strindex = moved_string(otlp, from->unit);
	return type;
}

/* Begins a profile for each type of value. */
static void take_head(struct otlp *otlp, const Pprof__Profile *head)
{
	otlp->type_count = head->n_sample_type;
	for (size_t i = 0; i < head->n_sample_type; i++) {
		Otlp__Profile piece = OTLP__PROFILE__INIT;
		Otlp__ValueType type = moved_type(otlp, head->sample_type[i]);
		Otlp__ValueType period;

		piece.sample_type = &type;
		piece.time_unix_nano = (uint64_t)head->time_nanos;
		piece.duration_nano = (uint64_t)head->duration_nanos;
		if (head->period_type) {
			period = moved_type(otlp, head->period_type);
			piece.period_type = &period;
			piece.period = head->period;
		}
		add_message(&otlp->profiles[i], &piece);
	}
}

static void take_piece(void *sink, const Pprof__Profile *piece)
{
	struct otlp *otlp = sink;

	if (piece->n_sample_type > 0)
		take_head(otlp, piece);
	for (size_t i = 0; i < piece->n_mapping; i++)
		take_mapping(otlp, piece->mapping[i]);
	for (size_t i = 0; i < piece->n_function; i++)
		take_function(otlp, piece->function[i]);
	for (size_t i = 0; i < piece->n_location; i++)
		take_place(otlp, piece->location[i]);
	for (size_t i = 0; i < piece->n_sample; i++)
		take_sample(otlp, piece->sample[i]);
}

/* ---- The whole message ---- */

static void add_strings(struct otlp *otlp)
{
	Otlp__Dictionary piece = OTLP__DICTIONARY__INIT;

	piece.n_string_table = otlp->strings.count;
	piece.string_table = otlp->strings.items;
	add_entry(otlp, &piece);
}

static void add_scope(struct otlp *otlp, struct packed *packed)
{
	Otlp__Scope scope = OTLP__SCOPE__INIT;
	Otlp__ScopeProfiles head = OTLP__SCOPE_PROFILES__INIT;

	scope.name = (char *)"clew";
	scope.version = (char *)CLEW_VERSION;
	head.scope = &scope;
	add_message(packed, &head);
	for (size_t i = 0; i < otlp->type_count; i++)
		add_inner(packed, FIELD_PROFILES, &otlp->profiles[i]);
}

/* Adds the attributes of the resource: the service and the user's labels. */
static void add_resource(const struct export *export, struct packed *packed)
{
	char *service = export_service(export);
	const size_t count = export->label_count + 1;
	Otlp__KeyValue pairs[EXPORT_LABELS_MAX + 1];
	Otlp__KeyValue *pointers[EXPORT_LABELS_MAX + 1];
	Otlp__AnyValue values[EXPORT_LABELS_MAX + 1];
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__ResourceProfiles head = OTLP__RESOURCE_PROFILES__INIT;

	for (size_t i = 0; i < count; i++) {
		const struct export_label *label =
			i ? &export->labels[i - 1]
			  : &(struct export_label){ "service.name", service };

		values[i] = (Otlp__AnyValue)OTLP__ANY_VALUE__INIT;
		values[i].string_value = (char *)label->value;
		pairs[i] = (Otlp__KeyValue)OTLP__KEY_VALUE__INIT;
		pairs[i].key = (char *)label->name;
		pairs[i].value = &values[i];
		pointers[i] = &pairs[i];
	}
	resource.n_attributes = count;
	resource.attributes = pointers;
	head.resource = &resource;
	add_message(packed, &head);
	free(service);
}

static void finish(struct otlp *otlp, struct packed *request)
{
	struct packed scope = { 0 }, resource = { 0 };

	for (size_t i = 0; i < otlp->type_count; i++)
		write_samples(otlp, i);
	add_strings(otlp);
	add_scope(otlp, &scope);
	add_resource(otlp->pprof.export, &resource);
	add_inner(&resource, FIELD_SCOPE_PROFILES, &scope);
	add_inner(request, FIELD_RESOURCE_PROFILES, &resource);
	add_inner(request, FIELD_DICTIONARY, &otlp->dictionary);
	free(scope.bytes);
	free(resource.bytes);
}

static void otlp_fini(struct otlp *otlp)
{
	pprof_fini(&otlp->pprof);
	strings_fini(&otlp->strings);
	strings_fini(&otlp->values);
	idmap_fini(&otlp->stack_ids);
	idmap_fini(&otlp->attributes);
	for (size_t i = 0; i < otlp->type_count; i++)
		free(otlp->profiles[i].bytes);
	free(otlp->dictionary.bytes);
	idmap_fini(&otlp->places_at);
	free(otlp->mappings);
	free(otlp->table);
	free(otlp->moved);
	free(otlp->places);
	free(otlp->stacks);
}

int export_otlp(struct export *export, FILE *out, char **why)
{
	struct otlp otlp = { .pprof = {
				     .export = export,
				     .catalog = &export->session->catalog,
				     .write = take_piece,
			     } };
	struct packed request = { 0 };
	int err = 0;

	otlp.pprof.sink = &otlp;
	add_first_entries(&otlp);
	pprof_write_profile(&otlp.pprof);
	finish(&otlp, &request);
	if (request.count > BYTES_MAX)
		err = fail(why, -EFBIG,
			   "the message has %zu MB, more than OTLP can have; "
			   "select less by --focus or --function",
			   request.count >> 20);
	else
		fwrite(request.bytes, 1, request.count, out);
	free(request.bytes);
	otlp_fini(&otlp);
	return err;
}
