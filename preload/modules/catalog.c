/* SPDX-License-Identifier: MIT */
/* See catalog.h. */
#include "preload/modules/catalog.h"

#include <errno.h>
#include <string.h>

#include "preload/record/inheritance.h"
#include "preload/record/numbers.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/text.h"

static struct catalog_entry entry_of(struct wire_module *record)
{
	return (struct catalog_entry){
		.module = record,
		.functions = catalog_functions(record),
	};
}

int catalog_add_module(struct part *part, const struct module *module,
		       const struct analysis *analysis, uint64_t loaded_ns,
		       struct catalog_entry *out)
{
	uint64_t path_bytes = strlen(module->path);
	uint64_t function_bytes = (uint64_t)analysis->function_count *
				  sizeof(struct wire_function);
	uint64_t bytes = sizeof(struct wire_module) +
			 catalog_padded(path_bytes) + function_bytes;
	struct wire_module *record;
	struct chunk chunk;
	int err = part_alloc(part, WIRE_MODULE, 0, bytes, &chunk);

	if (err)
		return err;
	record = chunk_payload(&chunk);
	record->base = module->base;
	record->vaddr_start = module->code.start - module->base;
	record->vaddr_end = module->code.end - module->base;
	record->state = module->state;
	record->first_function = module->numbers ? module->numbers->first : 0;
	record->function_count = analysis->function_count;
	record->path_bytes = (uint32_t)path_bytes;
	record->build_id_bytes = module->build_id_bytes;
	record->from_cache = (uint32_t)analysis->from_cache;
	record->loaded_ns = loaded_ns;
	copy_bytes(record->build_id, module->build_id,
		   sizeof(record->build_id));
	copy_bytes(record + 1, module->path, path_bytes);
	*out = entry_of(record);
	copy_bytes(out->functions, analysis->functions, function_bytes);
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	numbers_set_module(record->first_function, record);
	return 0;
}

int catalog_find_module(const struct number_range *numbers,
			struct catalog_entry *out)
{
	struct wire_module *record =
		numbers ? atomic_load_explicit(&numbers->module,
					       memory_order_acquire)
			: NULL;

	if (!record)
		return -ENOENT;
	*out = entry_of(record);
	return 0;
}

void catalog_note_unloaded(struct part *part,
			   const struct number_range *numbers, uint64_t when_ns)
{
	struct catalog_entry entry;

	if (numbers)
		atomic_store(&((struct number_range *)numbers)->unloaded_ns,
			     when_ns);
	if (!inheritance_settle(part) && !catalog_find_module(numbers, &entry))
		atomic_store(&entry.module->unloaded_ns, when_ns);
}

static uint64_t rule_bytes(const struct rule *rule)
{
	return sizeof(struct wire_rule) + catalog_padded(strlen(rule->line));
}

int catalog_add_rules(struct part *part, const struct rule *rules)
{
	uint64_t bytes = 0;
	struct chunk chunk;
	unsigned char *at;
	int err;

	for (const struct rule *rule = rules; rule; rule = rule->next)
		bytes += rule_bytes(rule);
	if (!bytes)
		return 0;
	err = part_alloc(part, WIRE_RULES, 0, bytes, &chunk);
	if (err)
		return err;
	at = chunk_payload(&chunk);
	for (const struct rule *rule = rules; rule; rule = rule->next) {
		struct wire_rule *record = (struct wire_rule *)at;

		record->text_bytes = (uint32_t)strlen(rule->line);
		record->bytes = (uint32_t)rule_bytes(rule);
		record->matches = rule->matches;
		copy_bytes(record + 1, rule->line, record->text_bytes);
		at += record->bytes;
	}
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	return 0;
}

static int update_rules(void *context, const struct chunk *chunk)
{
	unsigned char *at = chunk_payload(chunk);

	for (const struct rule *rule = context; rule; rule = rule->next) {
		struct wire_rule *record = (struct wire_rule *)at;

		record->matches = rule->matches;
		at += record->bytes;
	}
	return 1;
}

void catalog_update_rules(const struct part *part, const struct rule *rules)
{
	if (rules) /* avoids visiting all chunks without need */
		part_each_chunk(part, WIRE_RULES, update_rules, (void *)rules);
}
