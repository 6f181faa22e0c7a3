/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/id.h"
#include "wire/verdict.h"

static void extend(struct fixture *fixture, size_t bytes)
{
	size_t size = fixture->size + bytes;

	if (size > fixture->capacity) {
		uint8_t *larger = memory_zeroed(2 * size, 1);

		if (fixture->bytes)
			memcpy(larger, fixture->bytes, fixture->size);
		free(fixture->bytes);
		fixture->bytes = larger;
		fixture->capacity = 2 * size;
	}
	fixture->size = size;
	fixture_header(fixture)->end = size;
}

void fixture_init(struct fixture *fixture, uint32_t pid, uint32_t seq)
{
	struct wire_header *header;

	*fixture = (struct fixture){ 0 };
	extend(fixture, WIRE_HEADER_BYTES);
	header = fixture_header(fixture);
	memcpy(header->magic, WIRE_MAGIC, sizeof(header->magic));
	header->version = WIRE_VERSION;
	header->header_bytes = WIRE_HEADER_BYTES;
	header->state = WIRE_RUNNING;
	header->origin = WIRE_FROM_START;
	header->pid = pid;
	header->seq = seq;
	header->start_ns = 1000 * (uint64_t)pid + seq;
	header->max_contexts = 1000000;
}

void fixture_fini(struct fixture *fixture)
{
	free(fixture->bytes);
	idmap_fini(&fixture->depths);
}

struct wire_header *fixture_header(struct fixture *fixture)
{
	return (struct wire_header *)fixture->bytes;
}

size_t fixture_chunk(struct fixture *fixture, uint32_t kind, uint32_t owner,
		     size_t payload_bytes)
{
	size_t offset = fixture->size;
	size_t bytes =
		sizeof(struct wire_chunk) + ((payload_bytes + 63) & ~63u);
	struct wire_chunk *chunk;

	extend(fixture, bytes);
	chunk = (void *)(fixture->bytes + offset);
	chunk->kind = kind;
	chunk->owner = owner;
	chunk->bytes = bytes;
	chunk->used = payload_bytes;
	return offset;
}

static void *payload_of(struct fixture *fixture, size_t chunk)
{
	return fixture->bytes + chunk + sizeof(struct wire_chunk);
}

struct wire_module *fixture_module(struct fixture *fixture, const char *path,
				   uint32_t first, uint32_t count)
{
	size_t path_bytes = strlen(path), padded = (path_bytes + 7) & ~7u;
	size_t chunk =
		fixture_chunk(fixture, WIRE_MODULE, 0,
			      sizeof(struct wire_module) + padded +
				      count * sizeof(struct wire_function));
	struct wire_module *module = payload_of(fixture, chunk);
	struct wire_function *functions =
		(void *)((char *)(module + 1) + padded);

	*module = (struct wire_module){
		.base = FIXTURE_MODULE_BASE,
		.vaddr_start = 0x1000,
		.vaddr_end = 0x1000 + 16 * (uint64_t)count,
		.state = MODULE_IS_HOOKED,
		.first_function = first,
		.function_count = count,
		.path_bytes = (uint32_t)path_bytes,
	};
	memcpy(module + 1, path, path_bytes);
	for (uint32_t i = 0; i < count; i++)
		functions[i] = (struct wire_function){
			.vaddr = 0x1000 + 16 * (uint64_t)i,
			.size_bytes = 16,
			.verdict = VERDICT_IS_JUMP,
		};
	return module;
}

void fixture_range(struct fixture *fixture, enum wire_range_kind kind,
		   uint32_t first, uint32_t count)
{
	size_t chunk = fixture_chunk(fixture, WIRE_RANGES, 0,
				     sizeof(struct wire_range));
	struct wire_range *range = payload_of(fixture, chunk);

	range->first = first;
	range->count = count;
	range->kind = kind;
}

void fixture_raw(struct fixture *fixture, enum wire_chunk_kind kind,
		 const void *bytes, size_t count)
{
	const size_t chunk = fixture_chunk(fixture, kind, 0, count);

	if (count)
		memcpy(payload_of(fixture, chunk), bytes, count);
}

/*
 * Adds a record with these sizes, sets the number and the size, and returns the
 * record.
 */
static void *add_numbered(struct fixture *fixture, enum wire_chunk_kind kind,
			  uint32_t number, size_t record_bytes, size_t rest)
{
	const size_t bytes = record_bytes + rest;
	const size_t chunk =
		fixture_chunk(fixture, kind, 0, (bytes + 7) & ~(size_t)7);
	struct wire_numbered *head = payload_of(fixture, chunk);

	head->number = number;
	head->bytes = (uint32_t)bytes;
	return head;
}

void fixture_name(struct fixture *fixture, uint32_t number, const char *name,
		  size_t bytes)
{
	struct wire_name *record = add_numbered(fixture, WIRE_NAMES, number,
						sizeof(*record), bytes);

	memcpy(record + 1, name, bytes);
}

/* Returns the sizes of the texts. The caller allocates room for them. */
static struct wire_method_texts sizes_of(const char *class_name,
					 const char *name,
					 const char *signature)
{
	return (struct wire_method_texts){
		.class_bytes = (uint16_t)(strlen(class_name) + 1),
		.name_bytes = (uint16_t)(strlen(name) + 1),
		.signature_bytes = (uint16_t)(strlen(signature) + 1),
	};
}

static size_t sum_of(const struct wire_method_texts *sizes)
{
	return (size_t)sizes->class_bytes + sizes->name_bytes +
	       sizes->signature_bytes;
}

static void put_texts(char *to, const char *class_name, const char *name,
		      const char *signature)
{
	to = stpcpy(to, class_name) + 1;
	to = stpcpy(to, name) + 1;
	stpcpy(to, signature);
}

void fixture_method(struct fixture *fixture, uint32_t number, uint32_t left,
		    const char *class_name, const char *name,
		    const char *signature)
{
	const struct wire_method_texts sizes =
		sizes_of(class_name, name, signature);
	struct wire_method *record = add_numbered(
		fixture, WIRE_METHODS, number, sizeof(*record), sum_of(&sizes));

	record->texts = sizes;
	record->left = left;
	put_texts((char *)(record + 1), class_name, name, signature);
}

void fixture_stack(struct fixture *fixture, uint32_t number,
		   const uint32_t *numbers, const uint16_t *calls,
		   uint32_t count)
{
	struct wire_stack *record =
		add_numbered(fixture, WIRE_STACKS, number, sizeof(*record),
			     count * WIRE_STACK_METHOD_BYTES);
	uint32_t *methods = (uint32_t *)(record + 1);
	uint16_t *bytecodes = (uint16_t *)(methods + count);

	record->count = count;
	for (uint32_t i = 0; i < count; i++) {
		methods[i] = numbers[i];
		bytecodes[i] = calls ? calls[i] : WIRE_BYTECODE_NONE;
	}
}

void fixture_source(struct fixture *fixture, uint32_t number, const char *path,
		    const struct wire_line *lines, uint32_t count)
{
	struct wire_source *record =
		add_numbered(fixture, WIRE_SOURCES, number, sizeof(*record),
			     count * sizeof(*lines) + strlen(path) + 1);
	struct wire_line *to = (struct wire_line *)(record + 1);

	record->lines = count;
	record->path_bytes = (uint32_t)strlen(path) + 1;
	for (uint32_t i = 0; i < count; i++)
		to[i] = lines[i];
	memcpy(to + count, path, strlen(path) + 1);
}

void fixture_caller(struct fixture *fixture, uint32_t number, uint64_t pc,
		    uint64_t tsc)
{
	struct wire_caller *record =
		add_numbered(fixture, WIRE_CALLERS, number, sizeof(*record), 0);

	record->pc = pc;
	record->tsc = tsc;
}

void fixture_values(struct fixture *fixture, const void *payload, size_t bytes)
{
	const size_t chunk = fixture_chunk(fixture, WIRE_VALUES, 0, bytes);

	memcpy(payload_of(fixture, chunk), payload, bytes);
}

void fixture_binding(struct fixture *fixture, uint64_t pc, const char *name)
{
	static const char class_name[] = "La/B;", signature[] = "(I)V";
	const struct wire_method_texts sizes =
		sizes_of(class_name, name, signature);
	const size_t bytes = (sum_of(&sizes) + 7) & ~(size_t)7;
	size_t chunk = fixture_chunk(fixture, WIRE_BINDINGS, 0,
				     sizeof(struct wire_binding) + bytes);
	struct wire_binding *record = payload_of(fixture, chunk);

	record->pc = pc;
	record->texts = sizes;
	put_texts((char *)(record + 1), class_name, name, signature);
}

void fixture_thread(struct fixture *fixture, uint32_t tid, const char *name,
		    uint32_t tally)
{
	size_t chunk = fixture_chunk(fixture, WIRE_THREADS, 0,
				     sizeof(struct wire_thread));
	struct wire_thread *thread = payload_of(fixture, chunk);

	thread->tid = tid;
	thread->tally = tally;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
}

static struct wire_tally *head_of(struct fixture *fixture, uint32_t tally)
{
	return (void *)(fixture->bytes + fixture->tallies[tally].head);
}

static void add_table(struct fixture *fixture, uint32_t number,
		      unsigned int log2)
{
	struct fixture_tally *tally = &fixture->tallies[number];
	size_t chunk = fixture_chunk(fixture, WIRE_TABLE, number,
				     sizeof(struct wire_count) << log2);

	tally->table = chunk + sizeof(struct wire_chunk);
	tally->log2 = log2;
	head_of(fixture, number)->table = wire_table_ref(tally->table, log2);
}

struct wire_tally *fixture_tally(struct fixture *fixture, uint32_t number,
				 size_t contexts, unsigned int table_log2)
{
	struct fixture_tally *tally = &fixture->tallies[number];
	size_t chunk =
		fixture_chunk(fixture, WIRE_TALLY, number,
			      WIRE_TALLY_BYTES - sizeof(struct wire_chunk));

	tally->head = chunk + sizeof(struct wire_chunk);
	tally->contexts = tally->head + sizeof(struct wire_tally);
	tally->context_limit =
		(chunk + WIRE_TALLY_TABLE_OFFSET - tally->contexts) /
		sizeof(struct wire_context);
	tally->table = chunk + WIRE_TALLY_TABLE_OFFSET;
	tally->log2 = WIRE_TALLY_TABLE_LOG2;
	head_of(fixture, number)->table =
		wire_table_ref(tally->table, tally->log2);
	if (contexts > tally->context_limit) {
		chunk = fixture_chunk(fixture, WIRE_CONTEXTS, number,
				      contexts * sizeof(struct wire_context));
		tally->contexts = chunk + sizeof(struct wire_chunk);
		tally->context_limit = contexts;
	}
	if (table_log2 > tally->log2)
		add_table(fixture, number, table_log2);
	return head_of(fixture, number);
}

struct wire_context *fixture_last_context(struct fixture *fixture,
					  uint32_t tally)
{
	const struct fixture_tally *at = &fixture->tallies[tally];
	struct wire_context *contexts = (void *)(fixture->bytes + at->contexts);

	return &contexts[at->context_count - 1];
}

uint64_t fixture_context(struct fixture *fixture, uint32_t tally,
			 uint64_t caller, uint32_t function, uint64_t calls)
{
	const uint64_t *above =
		caller == ID_ROOT ? NULL : idmap_find(&fixture->depths, caller);
	const uint64_t depth = above ? *above + 1 : 1;
	struct wire_context *context;
	uint64_t id = id_push(caller, id_key(function));

	if (fixture->tallies[tally].context_count++ ==
	    fixture->tallies[tally].context_limit)
		abort(); /* the test has reserved too little room */
	context = fixture_last_context(fixture, tally);
	context->id = id;
	context->function = function;
	context->depth = (uint32_t)depth;
	*idmap_at(&fixture->depths, id) = depth;
	head_of(fixture, tally)->contexts++;
	fixture_count(fixture, tally, id, calls);
	return id;
}

void fixture_tail_calls(struct fixture *fixture, uint32_t tally, uint64_t calls)
{
	const struct wire_context *context =
		fixture_last_context(fixture, tally);
	const uint64_t id = wire_tail_id(context->id);
	const uint32_t function = context->function;

	fixture_context(fixture, tally, id_pop(id, id_key(function)), function,
			calls);
	fixture_last_context(fixture, tally)->site = WIRE_SITE_TAIL | 0x1000;
}

void fixture_count(struct fixture *fixture, uint32_t tally, uint64_t id,
		   uint64_t calls)
{
	const struct fixture_tally *at = &fixture->tallies[tally];
	struct wire_count *table = (void *)(fixture->bytes + at->table);
	size_t mask = ((size_t)1 << at->log2) - 1;
	size_t entry = (id >> 4) & mask;

	while (table[entry].id != 0 && table[entry].id != id)
		entry = (entry + 1) & mask;
	if (!table[entry].id) /* downwards, like the runtime */
		table[entry].field = (id | 1) << WIRE_VERIFY_SHIFT;
	table[entry].id = id;
	table[entry].field += calls;
}

void fixture_timed_table(struct fixture *fixture, uint32_t number)
{
	struct fixture_tally *tally = &fixture->tallies[number];
	const size_t times = sizeof(struct wire_times) << tally->log2;
	size_t chunk = fixture_chunk(
		fixture, WIRE_TABLE, number,
		times + (sizeof(struct wire_count) << tally->log2));

	tally->table = chunk + sizeof(struct wire_chunk) + times;
	head_of(fixture, number)->table =
		wire_table_ref(tally->table, tally->log2);
}

struct wire_times *fixture_times(struct fixture *fixture, uint32_t tally,
				 uint64_t id)
{
	const struct fixture_tally *at = &fixture->tallies[tally];
	struct wire_count *table = (void *)(fixture->bytes + at->table);
	size_t entry = 0;

	while (table[entry].id != id)
		entry++;
	return (struct wire_times *)table - 1 - entry;
}

void fixture_histogram(struct fixture *fixture, uint32_t tally,
		       uint32_t function, unsigned int bin)
{
	fixture_histogram_of_calls(fixture, tally, function, 0, bin);
}

void fixture_histogram_of_calls(struct fixture *fixture, uint32_t tally,
				uint32_t function, uint32_t caller,
				unsigned int bin)
{
	size_t chunk = fixture_chunk(fixture, WIRE_HISTOGRAMS, tally,
				     sizeof(struct wire_histogram));
	struct wire_histogram *histogram = payload_of(fixture, chunk);

	histogram->function = function;
	histogram->caller = caller;
	histogram->bins[bin] = 1;
}

void fixture_sample(struct fixture *fixture, uint32_t tally, uint64_t id,
		    uint64_t where, uint64_t weight_ns)
{
	size_t chunk = fixture_chunk(fixture, WIRE_SAMPLES, tally,
				     sizeof(struct wire_sample));
	struct wire_sample *sample = payload_of(fixture, chunk);

	*sample = (struct wire_sample){
		.tsc = ++fixture->samples,
		.id = id,
		.where = where,
		.weight = WIRE_WEIGHT_OBSERVATION | weight_ns,
	};
}

/* Adds a record with room for its texts, and returns that room. */
static char *add_code_texts(struct fixture *fixture,
			    const struct wire_code *code)
{
	const size_t bytes = (sum_of(&code->texts) + 7) & ~(size_t)7;
	size_t chunk = fixture_chunk(fixture, WIRE_CODES, 0,
				     sizeof(struct wire_code) + bytes);
	struct wire_code *written = payload_of(fixture, chunk);

	*written = *code;
	return (char *)(written + 1);
}

static void add_code(struct fixture *fixture, struct wire_code code,
		     const char *name)
{
	if (name)
		code.texts.name_bytes = (uint16_t)(strlen(name) + 1);
	memcpy(add_code_texts(fixture, &code), name ? name : "",
	       code.texts.name_bytes);
}

void fixture_code_lines(struct fixture *fixture, uint64_t start, uint64_t tsc,
			uint32_t method, const void *bytes, size_t count)
{
	const size_t all = sizeof(method) + count;
	size_t chunk = fixture_chunk(fixture, WIRE_CODE_LINES, 0,
				     sizeof(struct wire_code_lines) +
					     ((all + 7) & ~(size_t)7));
	struct wire_code_lines *lines = payload_of(fixture, chunk);

	*lines = (struct wire_code_lines){
		.start = start,
		.tsc = tsc,
		.bytes = (uint32_t)all,
		.methods = 1,
	};
	memcpy(lines + 1, &method, sizeof(method));
	memcpy((char *)(lines + 1) + sizeof(method), bytes, count);
}

void fixture_code(struct fixture *fixture, uint64_t start, uint32_t bytes,
		  uint64_t tsc, const char *name)
{
	add_code(fixture,
		 (struct wire_code){ .start = start,
				     .tsc = tsc,
				     .code_bytes = bytes,
				     .kind = name ? WIRE_CODE_OTHER
						  : WIRE_CODE_GONE },
		 name);
}

void fixture_java_code(struct fixture *fixture, uint64_t start, uint64_t tsc,
		       const char *name)
{
	const struct wire_code code = {
		.start = start,
		.tsc = tsc,
		.code_bytes = 0x100,
		.kind = WIRE_CODE_JAVA,
		.texts = sizes_of("LA;", name, "()V"),
	};

	put_texts(add_code_texts(fixture, &code), "LA;", name, "()V");
}

void fixture_maker(struct fixture *fixture, uint64_t start, uint64_t end,
		   uint64_t pc, uint64_t tsc, uint64_t gone_tsc,
		   const char *name)
{
	size_t chunk = fixture_chunk(fixture, WIRE_MAKERS, 0,
				     sizeof(struct wire_maker) +
					     ((strlen(name) + 7) & ~(size_t)7));
	struct wire_maker *written = payload_of(fixture, chunk);

	*written = (struct wire_maker){ .start = start,
					.end = end,
					.tsc = tsc,
					.gone_tsc = gone_tsc,
					.pc = pc,
					.bytes = (uint32_t)strlen(name) };
	memcpy(written + 1, name, strlen(name));
}

void fixture_mapped_code(struct fixture *fixture, uint64_t start, uint64_t tsc,
			 uint64_t pc)
{
	size_t chunk = fixture_chunk(fixture, WIRE_MAPPED_CODE, 0,
				     sizeof(struct wire_mapped_code));
	struct wire_mapped_code *written = payload_of(fixture, chunk);

	*written = (struct wire_mapped_code){
		.start = start,
		.tsc = tsc,
		.device = 1,
		.inode = 2,
		.offset = 0x1000,
		.pc = pc,
	};
}

void fixture_registered(struct fixture *fixture, uint64_t start,
			uint32_t object, uint64_t tsc, const char *name)
{
	add_code(fixture,
		 (struct wire_code){ .start = start,
				     .tsc = tsc,
				     .code_bytes = 0x100,
				     .object = object,
				     .kind = name ? WIRE_CODE_REGISTERED
						  : WIRE_CODE_GONE },
		 name);
}

uint64_t fixture_pc(uint32_t function)
{
	return FIXTURE_MODULE_BASE + 0x1000 + 16 * (uint64_t)(function - 1);
}

void fixture_retire(struct fixture *fixture, uint32_t tally)
{
	head_of(fixture, tally)->retired = head_of(fixture, tally)->table;
	add_table(fixture, tally, fixture->tallies[tally].log2 + 1);
}

void fixture_save(const struct fixture *fixture, const char *path, size_t bytes)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(fixture->bytes, 1, bytes, file) != bytes ||
	    fclose(file) != 0) {
		perror(path);
		abort();
	}
}

char *fixture_directory(void)
{
	char *directory = memory_printf("/tmp/clew-test-XXXXXX");

	if (!mkdtemp(directory))
		abort();
	return directory;
}

void fixture_remove(char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while ((entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(directory);
	free(directory);
}

void fixture_save_part(struct fixture *fixture, const char *directory)
{
	char *path = memory_printf("%s/%u.%u" WIRE_PART_SUFFIX, directory,
				   fixture_header(fixture)->pid,
				   fixture_header(fixture)->seq);

	fixture_save(fixture, path, fixture->size);
	free(path);
}
