/* SPDX-License-Identifier: MIT */
/*
 * Rewrites a chosen method: its code and the code's attributes. The other
 * attributes are copied. See rewriting.h.
 */
#include <string.h>

#include "classfile/method_frames.h"
#include "classfile/method_tables.h"
#include "classfile/rewriting.h"
#include "classfile/shared_exit.h"
#include "classfile/stack_effect.h"
#include "classfile/uninitialized.h"

/* the version of class files since which methods have a StackMapTable */
#define HAS_FRAMES 50
/* maximum size of code in bytes; in larger code, jumps may be too far */
#define SHARING_MAX 8000
/*
 * Number of arrays with a byte for each byte of code: states, seen, catches and
 * sharing.
 */
#define MARKS 4

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

/*
 * Adds the constants of the tracker's calls, for the first method that needs
 * them.
 */
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
	if (tracker->gate) {
		re->calls.gate =
			pool_add_field(pool, class, tracker->gate, "I");
		re->calls.leave =
			tracker->leave.name
				? make_call(pool, class, &tracker->leave)
				: re->calls.exit;
		re->calls.catching = make_call(pool, class, &tracker->catching);
	}
	if (tracker->rethrow.name)
		re->calls.rethrow =
			pool_add_method(pool, class, tracker->rethrow.name,
					tracker->rethrow.descriptor);
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

/* ---- Attributes of code ---- */

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

/* Returns the frames of the code, or nothing. */
static struct class_input find_frames(const struct rewriting *re,
				      const struct method_code *code)
{
	struct class_input input = code->attributes, content;
	uint32_t name;

	for (uint32_t i = 0; i < code->attribute_count; i++)
		if (read_attribute(&input, &name, &content) &&
		    kind_of(re, name) == FRAMES)
			return content;
	return (struct class_input){ NULL, NULL, 0 };
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

/*
 * Finds the returns that share an exit. Classes without frames have no shared
 * exit.
 */
static enum classfile_refusal share_exit(struct rewriting *re,
					 struct old_method *method)
{
	struct method_code *code = &method->code;
	int found;

	if (!re->calls.gate || !re->calls.has_frames ||
	    code->length > SHARING_MAX)
		return CLASSFILE_DONE;
	found = method_frames_result(code, &method->asked.descriptor,
				     &re->pool);
	if (found > 0)
		shared_exit_find(code, &re->pool, find_frames(re, code));
	return found > 0    ? CLASSFILE_DONE
	       : found == 0 ? CLASSFILE_CODE_MALFORMED
			    : CLASSFILE_POOL_FULL;
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
	code->sharing = re->marks + code->length * (size_t)3;
	code->keeps_state = re->calls.gate && code->exception_count > 0;
	if (code->kept + kept_slots(code) > UINT16_MAX && re->calls.keeps)
		return CLASSFILE_TOO_LARGE;
	code->handler_count = is_constructor ? 2 : 1;
	why = share_exit(re, method);
	if (why)
		return why;
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

/*
 * Returns the stack slots that the inserted code needs. The entry and handlers
 * can use the whole stack; at a return the result is on it.
 */
static uint32_t stack_needed(const struct method_code *code,
			     const struct tracker_calls *calls)
{
	const uint32_t stack =
		code->max_stack +
		larger(call_slots(&calls->exit), call_slots(&calls->leave));
	const uint32_t test = /* slots of two longs */
		code->exit_bytes ? code->result.slots + 2 * KEPT_SLOTS : 0;
	const uint32_t handler = 1 + larger(call_slots(&calls->thrown),
					    call_slots(&calls->caught));
	const uint32_t entry = calls->keeps ? KEPT_SLOTS : 0;

	return larger(larger(larger(stack, test), handler),
		      larger(call_slots(code->keeps_state ? &calls->catching
							  : &calls->enter),
			     entry));
}

/* Writes an attribute except frames, which are written last. */
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

/* Drops unknown attributes, because they may contain offsets. */
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
	if (re->calls.has_frames && re->calls.keeps &&
	    (frames.at || re->calls.gate))
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
	output_u4(body, method_code_bytes(code));
	why = method_code_write(code, &re->calls, number, body);
	if (!why)
		why = method_exceptions_write(code, body);
	if (!why)
		why = write_tables(re, method);
	output_set_u4(body, length_at, (uint32_t)(body->used - length_at - 4));
	return why;
}

/* ---- The method ---- */

enum classfile_refusal method_rewrite(struct rewriting *re,
				      struct old_method *method, uint32_t value)
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
