/* SPDX-License-Identifier: MIT */
/*
 * From the header of a class file to its methods: what is not changed is copied.
 * Constants that are added go behind those that are there, when all methods are
 * known; so what follows the constants is written apart.
 */
#include <string.h>

#include "classfile/method_code.h"
#include "classfile/method_frames.h"
#include "classfile/method_tables.h"
#include "classfile/uninitialized.h"

#define MAGIC       0xcafebabe
#define OLDEST      45
#define WIDE_CODE   3 /* minor version of 45 since which code has wide fields */
#define HAS_FRAMES  50 /* StackMapTable */
#define NATIVE      0x0100
#define ABSTRACT    0x0400
#define NUMBER_NEAR 32767 /* fits sipush */
#define HEADER      8     /* bytes before the count of constants */
#define MARKS       3 /* bytes for each of the code: states, seen, catches */
#define KEPT_SLOTS  2 /* of a long */

struct rewriting {
	const struct classfile_tracker *tracker;
	const struct classfile_caller *caller;
	const uint8_t *data;
	uint32_t major;
	struct class_pool pool;
	struct tracker_calls calls; /* method 0: not made yet */
	struct class_output body;   /* what follows the constants */
	struct classfile_name class_name;
	uint32_t class_number, class_access;
	int has_super;
	uint32_t method_count;
	/* for one method at a time */
	uint32_t *places;
	uint8_t *marks;
	uint32_t scratch_length;
};

/* One, as it is in the file. */
struct old_method {
	const uint8_t *start;
	struct class_input attributes; /* behind their count */
	uint32_t attribute_count;
	struct classfile_method asked;
	struct method_code code;
};

static int read_attribute(struct class_input *input, uint32_t *name,
			  struct class_input *content)
{
	*name = input_u2(input);
	*content = input_part(input, input_u4(input));
	return !input->is_short;
}

static int skip_attributes(struct class_input *input)
{
	uint32_t count = input_u2(input), name;
	struct class_input content;

	while (count-- > 0)
		if (!read_attribute(input, &name, &content))
			return 0;
	return !input->is_short;
}

/* ---- Constants ---- */

static struct tracker_call make_call(struct class_pool *pool, uint32_t class,
				     const struct classfile_call *call)
{
	const char *end = strchr(call->descriptor, ')');
	const char *kept = strchr(call->descriptor, 'J');
	const char *number = strchr(call->descriptor, 'I');

	return (struct tracker_call){
		pool_add_method(pool, class, call->name, call->descriptor),
		number && number < end,
		kept && kept < end,
		number && number + 1 < end,
	};
}

/* Those of the tracker's calls, when the first method wants them. */
static int make_calls(struct rewriting *re)
{
	const struct classfile_tracker *tracker = re->tracker;
	struct class_pool *pool = &re->pool;
	uint32_t class;

	if (re->calls.thrown.method)
		return 1;
	class = pool_add_class(pool, tracker->class_name);
	re->calls = (struct tracker_calls){
		.enter = make_call(pool, class, &tracker->enter),
		.has_frames = re->major >= HAS_FRAMES,
		.code_limit = tracker->code_limit,
		.keeps = strchr(tracker->enter.descriptor, ')')[1] == 'J',
	};
	if (re->calls.has_frames) {
		re->calls.frames = pool_add_string(pool, "StackMapTable");
		re->calls.throwable =
			pool_add_class(pool, "java/lang/Throwable");
	}
	re->calls.exit = make_call(pool, class, &tracker->exit);
	re->calls.thrown = tracker->thrown.name
				   ? make_call(pool, class, &tracker->thrown)
				   : re->calls.exit;
	if (tracker->state.name) {
		re->calls.state = make_call(pool, class, &tracker->state);
		re->calls.catching = make_call(pool, class, &tracker->catching);
	}
	if (tracker->caught.name)
		re->calls.caught = make_call(pool, class, &tracker->caught);
	return re->calls.thrown.method != 0;
}

static int make_number(struct rewriting *re, uint32_t value,
		       struct method_number *out)
{
	*out = (struct method_number){ .value = value };
	if (value <= NUMBER_NEAR ||
	    !(re->calls.enter.has_number || re->calls.exit.has_number ||
	      re->calls.thrown.has_number))
		return 1;
	out->constant = pool_add_integer(&re->pool, (int32_t)value);
	return out->constant != 0;
}

/* ---- Code ---- */

static int make_scratch(struct rewriting *re, uint32_t length)
{
	const struct classfile_caller *caller = re->caller;

	if (length > re->scratch_length) {
		re->places =
			caller->memory(caller->context,
				       (length + (size_t)1) * sizeof(uint32_t));
		re->marks =
			caller->memory(caller->context, (size_t)length * MARKS);
		re->scratch_length = re->places && re->marks ? length : 0;
	}
	if (length > re->scratch_length)
		return 0;
	memset(re->marks, 0, (size_t)length * MARKS);
	return 1;
}

static uint32_t kept_slots(const struct method_code *code)
{
	return KEPT_SLOTS + code->keeps_state;
}

static enum classfile_refusal find_places(struct rewriting *re,
					  struct old_method *method)
{
	struct method_code *code = &method->code;
	const int is_constructor =
		re->has_super && name_is(&method->asked.name, "<init>");
	struct method_slots slots;
	enum classfile_refusal why;

	if (!make_scratch(re, code->length))
		return CLASSFILE_NO_MEMORY;
	code->places = re->places;
	code->catches = re->marks + code->length * (size_t)2;
	code->kept = code->max_locals;
	code->keeps_state = re->calls.state.method && code->exception_count > 0;
	if (code->kept + kept_slots(code) > UINT16_MAX && re->calls.keeps)
		return CLASSFILE_TOO_LARGE;
	code->handler_count = is_constructor ? 2 : 1;
	why = method_code_place(code, &re->calls);
	if (why || !is_constructor)
		return why;
	if (!method_slots_read(&method->asked.descriptor, &slots))
		return CLASSFILE_CODE_MALFORMED;
	code->frame_locals = slots.arguments + 1;
	code->states = re->marks;
	return uninitialized_find(code, &re->pool, re->caller, re->marks,
				  re->marks + code->length);
}

static uint32_t larger(uint32_t one, uint32_t other)
{
	return one > other ? one : other;
}

static uint32_t call_slots(const struct tracker_call *call)
{
	return call->has_number + KEPT_SLOTS * call->has_kept + call->has_state;
}

/* Entry and handlers have the stack for themselves; a return has its result there. */
static uint32_t stack_needed(const struct method_code *code,
			     const struct tracker_calls *calls)
{
	const uint32_t stack = code->max_stack + call_slots(&calls->exit);
	const uint32_t handler = 1 + larger(call_slots(&calls->thrown),
					    call_slots(&calls->caught));
	const uint32_t entry = calls->keeps ? KEPT_SLOTS : 0;

	return larger(larger(stack, handler),
		      larger(call_slots(code->keeps_state ? &calls->catching
							  : &calls->enter),
			     entry));
}

enum attribute {
	OTHER,
	FRAMES,
	LINES,
	VARIABLES,
	ANNOTATIONS,
};

static enum attribute kind_of(const struct rewriting *re, uint32_t number)
{
	static const struct {
		const char *name;
		enum attribute kind;
	} kinds[] = {
		{ "StackMapTable", FRAMES },
		{ "LineNumberTable", LINES },
		{ "LocalVariableTable", VARIABLES },
		{ "LocalVariableTypeTable", VARIABLES },
		{ "RuntimeVisibleTypeAnnotations", ANNOTATIONS },
		{ "RuntimeInvisibleTypeAnnotations", ANNOTATIONS },
	};
	struct classfile_name name;

	if (pool_name(&re->pool, number, &name))
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (name_is(&name, kinds[i].name))
				return kinds[i].kind;
	return OTHER;
}

/* All but frames, which are written last. */
static enum classfile_refusal write_table(struct rewriting *re,
					  const struct method_code *code,
					  enum attribute kind, uint32_t name,
					  struct class_input content)
{
	output_u2(&re->body, name);
	switch (kind) {
	case LINES:
		return method_lines_write(code, content, &re->body);
	case VARIABLES:
		return method_variables_write(code, content, &re->body);
	default:
		return type_annotations_write(code, content, &re->body);
	}
}

static enum classfile_refusal first_frame(struct rewriting *re,
					  struct old_method *method)
{
	struct method_code *code = &method->code;
	int found;

	code->locals = re->caller->memory(re->caller->context,
					  (code->kept + (size_t)1) *
						  sizeof(*code->locals));
	if (!code->locals)
		return CLASSFILE_NO_MEMORY;
	found = method_frames_first(code, &method->asked, re->class_number,
				    &re->pool);
	if (found < 0)
		return CLASSFILE_POOL_FULL;
	return found ? CLASSFILE_DONE : CLASSFILE_CODE_MALFORMED;
}

/* What others have put there is left out: it may be about offsets. */
static enum classfile_refusal write_tables(struct rewriting *re,
					   struct old_method *method)
{
	const struct method_code *code = &method->code;
	struct class_input input = code->attributes, content;
	struct class_input frames = { NULL, NULL, 0 };
	const size_t count_at = re->body.used;
	enum classfile_refusal why = CLASSFILE_DONE;
	uint32_t count = 0, name;

	output_u2(&re->body, 0);
	for (uint32_t i = 0; i < code->attribute_count && !why; i++) {
		enum attribute kind;

		if (!read_attribute(&input, &name, &content))
			return CLASSFILE_CODE_MALFORMED;
		kind = kind_of(re, name);
		if (kind == FRAMES && frames.at && re->calls.has_frames)
			return CLASSFILE_CODE_MALFORMED;
		if (kind == FRAMES)
			frames = content;
		if (kind == FRAMES || kind == OTHER)
			continue;
		why = write_table(re, code, kind, name, content);
		count++;
	}
	if (why)
		return why;
	if (input_left(&input) > 0)
		return CLASSFILE_CODE_MALFORMED;
	if (re->calls.has_frames && frames.at && re->calls.keeps)
		why = first_frame(re, method);
	if (why)
		return why;
	if (re->calls.has_frames) {
		why = method_frames_write(code, &re->calls, frames, &re->body);
		count++;
	}
	output_set_u2(&re->body, count_at, count);
	return why;
}

static enum classfile_refusal write_code(struct rewriting *re,
					 struct old_method *method,
					 const struct method_number *number)
{
	const struct method_code *code = &method->code;
	const uint32_t stack = stack_needed(code, &re->calls);
	struct class_output *body = &re->body;
	size_t length_at = body->used;
	enum classfile_refusal why;

	if (stack > UINT16_MAX)
		return CLASSFILE_TOO_LARGE;
	output_u4(body, 0);
	output_u2(body, stack);
	output_u2(body,
		  code->max_locals + (re->calls.keeps ? kept_slots(code) : 0));
	output_u4(body, code->places[code->length] +
				code->handler_count * code->handler_bytes);
	why = method_code_write(code, &re->calls, number, body);
	if (!why)
		why = method_exceptions_write(code, body);
	if (!why)
		why = write_tables(re, method);
	output_set_u4(body, length_at, (uint32_t)(body->used - length_at - 4));
	return why;
}

/* ---- Methods ---- */

static enum classfile_refusal write_changed(struct rewriting *re,
					    struct old_method *method,
					    uint32_t value)
{
	struct class_input input = method->attributes, content;
	struct method_number number;
	enum classfile_refusal why;

	if (!make_calls(re) || !make_number(re, value, &number))
		return CLASSFILE_POOL_FULL;
	why = find_places(re, method);
	output_bytes(&re->body, method->start, 8);
	for (uint32_t i = 0; i < method->attribute_count && !why; i++) {
		const uint8_t *start = input.at;
		struct classfile_name called;
		uint32_t name;

		read_attribute(&input, &name, &content);
		if (pool_name(&re->pool, name, &called) &&
		    name_is(&called, "Code")) {
			output_u2(&re->body, name);
			why = write_code(re, method, &number);
		} else {
			output_bytes(&re->body, start,
				     (size_t)(input.at - start));
		}
	}
	return why;
}

/* Finds its code: whether there is one, or -1: that is not as it should be. */
static int find_code(const struct rewriting *re, struct old_method *method)
{
	struct class_input input = method->attributes, content;
	int found = 0;

	for (uint32_t i = 0; i < method->attribute_count; i++) {
		struct classfile_name called;
		uint32_t name;

		if (!read_attribute(&input, &name, &content))
			return -1;
		if (!pool_name(&re->pool, name, &called) ||
		    !name_is(&called, "Code"))
			continue;
		if (found++ || !method_code_read(&method->code, content))
			return -1;
	}
	return found;
}

/* Whether what is asked about it can be answered. */
static int read_method(const struct rewriting *re, struct class_input *input,
		       struct old_method *method)
{
	*method = (struct old_method){ .start = input->at };
	method->asked.class_name = re->class_name;
	method->asked.class_access = (uint16_t)re->class_access;
	method->asked.access = input_u2(input);
	if (!pool_name(&re->pool, input_u2(input), &method->asked.name) ||
	    !pool_name(&re->pool, input_u2(input), &method->asked.descriptor))
		return 0;
	method->attribute_count = input_u2(input);
	method->attributes = *input;
	input->at -= 2;
	return !input->is_short && skip_attributes(input);
}

static enum classfile_refusal write_method(struct rewriting *re,
					   struct class_input *input)
{
	const struct classfile_caller *caller = re->caller;
	const size_t before = re->body.used;
	enum classfile_refusal why = CLASSFILE_DONE;
	struct old_method method;
	int64_t number = -1;
	int has_code;

	if (!read_method(re, input, &method))
		return CLASSFILE_MALFORMED;
	has_code = find_code(re, &method);
	if (has_code < 0)
		return CLASSFILE_MALFORMED;
	method.asked.code_bytes = method.code.length;
	if (has_code && !(method.asked.access & (NATIVE | ABSTRACT)))
		number = caller->choose(caller->context, &method.asked);
	if (number >= 0)
		why = write_changed(re, &method, (uint32_t)number);
	if (number >= 0 && !why) {
		re->method_count++;
		return CLASSFILE_DONE;
	}
	if (why && caller->refused)
		caller->refused(caller->context, &method.asked, why);
	if (!re->body.is_full)
		re->body.used = before;
	output_bytes(&re->body, method.start,
		     (size_t)(input->at - method.start));
	return CLASSFILE_DONE;
}

/* ---- Classes ---- */

static int skip_fields(struct class_input *input)
{
	uint32_t count = input_u2(input);

	while (count-- > 0)
		if (!input_take(input, 6) || !skip_attributes(input))
			return 0;
	return !input->is_short;
}

static enum classfile_refusal read_header(struct rewriting *re,
					  struct class_input *input)
{
	uint32_t minor;

	if (input_u4(input) != MAGIC)
		return CLASSFILE_MALFORMED;
	minor = input_u2(input);
	re->major = input_u2(input);
	if (input->is_short)
		return CLASSFILE_MALFORMED;
	if (re->major > CLASSFILE_NEWEST)
		return CLASSFILE_TOO_NEW;
	if (re->major < OLDEST || (re->major == OLDEST && minor < WIDE_CODE))
		return CLASSFILE_TOO_OLD;
	return pool_read(&re->pool, input, re->caller);
}

static enum classfile_refusal write_body(struct rewriting *re,
					 struct class_input *input)
{
	const uint8_t *start = input->at;
	uint32_t count;

	re->class_access = input_u2(input);
	re->class_number = input_u2(input);
	if (!pool_class_name(&re->pool, re->class_number, &re->class_name))
		return CLASSFILE_MALFORMED;
	re->has_super = input_u2(input) != 0;
	input_take(input, 2 * (size_t)input_u2(input));
	if (!skip_fields(input))
		return CLASSFILE_MALFORMED;
	count = input_u2(input);
	output_bytes(&re->body, start, (size_t)(input->at - start));
	for (uint32_t i = 0; i < count; i++) {
		const enum classfile_refusal why = write_method(re, input);

		if (why)
			return why;
	}
	start = input->at;
	if (!skip_attributes(input) || input_left(input) > 0)
		return CLASSFILE_MALFORMED;
	output_bytes(&re->body, start, (size_t)(input->at - start));
	return CLASSFILE_DONE;
}

/* All of it in one piece. */
static enum classfile_refusal compose(struct rewriting *re,
				      const uint8_t *pool_end,
				      struct classfile_result *result)
{
	struct class_output whole = { .caller = re->caller };
	const uint8_t *pool = re->data + HEADER + 2;

	output_bytes(&whole, re->data, HEADER);
	output_u2(&whole, re->pool.next);
	output_bytes(&whole, pool, (size_t)(pool_end - pool));
	output_bytes(&whole, re->pool.added.data, re->pool.added.used);
	output_bytes(&whole, re->body.data, re->body.used);
	if (whole.is_full || re->pool.added.is_full || re->body.is_full)
		return CLASSFILE_NO_MEMORY;
	*result = (struct classfile_result){ whole.data, whole.used,
					     re->method_count };
	return CLASSFILE_DONE;
}

enum classfile_refusal classfile_rewrite(
	const uint8_t *data, size_t bytes,
	const struct classfile_tracker *tracker,
	const struct classfile_caller *caller, struct classfile_result *result)
{
	struct class_input input = { data, data + bytes, 0 };
	struct rewriting re = { .tracker = tracker,
				.caller = caller,
				.data = data,
				.body = { .caller = caller } };
	const uint8_t *pool_end;
	enum classfile_refusal why = read_header(&re, &input);

	if (why)
		return why;
	pool_end = input.at;
	why = write_body(&re, &input);
	if (why)
		return why;
	if (re.method_count > 0)
		return compose(&re, pool_end, result);
	*result = (struct classfile_result){ NULL, 0, 0 };
	return CLASSFILE_DONE;
}

const char *classfile_refusal_text(enum classfile_refusal why)
{
	static const char *const texts[CLASSFILE_REFUSALS] = {
		[CLASSFILE_DONE] = "is changed",
		[CLASSFILE_MALFORMED] = "is not a class file that can be read",
		[CLASSFILE_TOO_OLD] = "is of a version before 45.3",
		[CLASSFILE_TOO_NEW] = "is of a newer version than 69",
		[CLASSFILE_NO_MEMORY] = "has found no memory",
		[CLASSFILE_POOL_FULL] = "has no room for constants",
		[CLASSFILE_CODE_MALFORMED] = "has code that cannot be read",
		[CLASSFILE_SUBROUTINES] = "has subroutines (jsr, ret)",
		[CLASSFILE_TOO_LARGE] = "would be too large",
		[CLASSFILE_FAR_JUMP] = "would have a jump that is too far",
		[CLASSFILE_CONSTRUCTOR] =
			"constructs its object in a way that is not understood",
	};

	return why < CLASSFILE_REFUSALS ? texts[why] : "";
}
