/* SPDX-License-Identifier: MIT */
/*
 * See expression.h. Recursive descent; the result is steps for a stack machine.
 */
#include <errno.h>

#include "expression/expression.h"
#include "expression/expression_scan.h"
#include "expression/expression_steps.h"
#include "expression/expression_type.h"

#define NESTING_MAX 48

struct parser {
	const char *text;
	size_t bytes;
	size_t at;
	struct expression *out;
	struct expression_problem *problem;
	size_t text_used;     /* used bytes of out->text */
	unsigned int depth;   /* depth of the stack after the steps so far */
	unsigned int nesting; /* depth of this parser's own recursive calls */
};

static int wrong(struct parser *parser, const char *what)
{
	*parser->problem = (struct expression_problem){ parser->at, what };
	return -EINVAL;
}

/* ---- Output ---- */

static int put(struct parser *parser, enum expression_operation operation,
	       unsigned int detail, uint64_t number)
{
	struct expression *out = parser->out;

	if (out->count == EXPRESSION_STEPS_MAX)
		return wrong(parser, "the expression is too long");
	if (operation <= STEP_TID && parser->depth++ == EXPRESSION_STACK_MAX)
		return wrong(parser, "the expression is nested too deeply");
	if (operation >= STEP_AND_THEN)
		parser->depth--;
	out->steps[out->count++] = (struct expression_step){
		.operation = (uint8_t)operation,
		.detail = (uint8_t)detail,
		.number = number,
	};
	return 0;
}

/*
 * Returns the type that a value of this type has once it has been read or cast:
 * a shorter integer becomes a signed one of 8 bytes.
 */
static struct expression_type value_type(const struct expression_type *type)
{
	const struct expression_type small = { 8, 1, 0 };

	return type->stars || type->bytes == 8 ? *type : small;
}

static int is_unsigned(const struct expression_type *type)
{
	return type->stars || !type->is_signed;
}

/* ---- Input ---- */

static char next(struct parser *parser)
{
	parser->at = scan_blanks(parser->text, parser->bytes, parser->at);
	return parser->at < parser->bytes ? parser->text[parser->at] : '\0';
}

static char behind(const struct parser *parser)
{
	return parser->at + 1 < parser->bytes ? parser->text[parser->at + 1]
					      : '\0';
}

static int take(struct parser *parser, char c)
{
	if (next(parser) != c)
		return 0;
	parser->at++;
	return 1;
}

static int digit_of(char c, unsigned int base)
{
	int digit = 99;

	if (scan_is_digit(c))
		digit = c - '0';
	else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		digit = (c | 0x20) - 'a' + 10;
	return digit < (int)base ? digit : -1;
}

static int parse_number(struct parser *parser, struct expression_type *type)
{
	unsigned int base = 10;
	uint64_t number = 0;
	size_t first;
	int digit;

	if (next(parser) == '0' && (behind(parser) | 0x20) == 'x') {
		base = 16;
		parser->at += 2;
	}
	first = parser->at;
	while (parser->at < parser->bytes &&
	       (digit = digit_of(parser->text[parser->at], base)) >= 0) {
		if (__builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, (unsigned int)digit,
					   &number))
			return wrong(parser, "the number is too large");
		parser->at++;
	}
	if (parser->at == first ||
	    scan_name(parser->text, parser->bytes, parser->at))
		return wrong(parser, "this is not a number");
	*type = (struct expression_type){ 8, number <= INT64_MAX, 0 };
	return put(parser, STEP_NUMBER, 0, number);
}

/* Reads the character at parser->at, or an escape sequence. */
static int parse_character(struct parser *parser, char *out)
{
	static const char from[] = "nt0r\\'\"";
	static const char to[] = "\n\t\0\r\\'\"";

	if (parser->at >= parser->bytes)
		return wrong(parser, "the closing quote is missing");
	*out = parser->text[parser->at++];
	if (*out != '\\')
		return 0;
	for (size_t i = 0; i < sizeof(from) - 1; i++) {
		if (parser->at >= parser->bytes ||
		    parser->text[parser->at] != from[i])
			continue;
		*out = to[i];
		parser->at++;
		return 0;
	}
	return wrong(parser, "this escape sequence is unknown");
}

static int parse_quoted(struct parser *parser, struct expression_type *type)
{
	char c;

	parser->at++;
	if (parse_character(parser, &c))
		return -EINVAL;
	if (parser->at >= parser->bytes || parser->text[parser->at++] != '\'')
		return wrong(parser,
			     "the quotes must contain exactly one character");
	*type = type_long;
	return put(parser, STEP_NUMBER, 0, (uint64_t)(int64_t)c);
}

/* ---- Names ---- */

static const struct register_name {
	/* names of the register's parts of 8, 4, 2 and 1 bytes */
	const char *names[4];
	uint8_t number;
} registers[] = {
#define X(number, all, half, quarter, low)                                     \
	{ { all, half, quarter, low }, number },
	MACHINE_GENERAL_REGISTERS(X)
#undef X
};

static int parse_register(struct parser *parser, struct expression_type *type)
{
	const char *name = parser->text + ++parser->at;
	const size_t length =
		scan_name(parser->text, parser->bytes, parser->at);

	for (size_t i = 0; length && i < sizeof(registers) / sizeof(*registers);
	     i++) {
		for (unsigned int part = 0; part < 4; part++) {
			if (!scan_is(name, length, registers[i].names[part]))
				continue;
			parser->at += length;
			*type = type_long;
			if (put(parser, STEP_REGISTER, registers[i].number, 0))
				return -EINVAL;
			return part ? put(parser, STEP_CUT, 8U >> part, 0) : 0;
		}
	}
	if (scan_is(name, length, "base")) {
		parser->at += length;
		*type = type_long;
		return put(parser, STEP_BASE, 0, 0);
	}
	return wrong(parser, "there is no such register");
}

static int parse_name(struct parser *parser, struct expression_type *type)
{
	static const uint8_t arguments[] = { MACHINE_ARGUMENTS };
	const char *name = parser->text + parser->at;
	const size_t length =
		scan_name(parser->text, parser->bytes, parser->at);

	*type = type_long;
	if (scan_is(name, length, "ret")) {
		parser->at += length;
		return put(parser, STEP_REGISTER, MACHINE_RESULT, 0);
	}
	if (scan_is(name, length, "tid")) {
		parser->at += length;
		return put(parser, STEP_TID, 0, 0);
	}
	if (length == 4 && scan_is(name, 3, "arg") && name[3] >= '1' &&
	    (size_t)(name[3] - '1') < sizeof(arguments)) {
		parser->at += length;
		return put(parser, STEP_REGISTER, arguments[name[3] - '1'], 0);
	}
	return wrong(parser, length ? "this name is unknown here"
				    : "a value is missing");
}

/* ---- Operators ---- */

static int parse_binary(struct parser *parser, unsigned int least,
			struct expression_type *type);
static int parse_unary(struct parser *parser, struct expression_type *type);

static int read_target(struct parser *parser, struct expression_type *type)
{
	const unsigned int bytes = expression_type_target(type);
	const struct expression_type target = {
		.bytes = type->bytes,
		.is_signed = type->is_signed,
		.stars = (uint8_t)(type->stars - 1),
	};

	if (!type->stars)
		return wrong(parser,
			     "this is not a pointer; cast it with (type *)");
	if (!bytes)
		return wrong(parser, "the pointed-to type is unknown");
	*type = value_type(&target);
	return put(parser, STEP_LOAD, bytes, target.stars || target.is_signed);
}

/* Multiplies the top of the stack by the size of a pointer's target. */
static int scale(struct parser *parser, const struct expression_type *pointer)
{
	const unsigned int bytes = expression_type_target(pointer);

	if (bytes <= 1)
		return 0;
	return put(parser, STEP_NUMBER, 0, bytes) ||
			       put(parser, STEP_TIMES, 0, 0)
		       ? -EINVAL
		       : 0;
}

/* Parses (type)e or (e). */
static int parse_parenthesis(struct parser *parser,
			     struct expression_type *type)
{
	struct expression_type cast;
	const size_t open = parser->at++;

	if (expression_type_parse(parser->text, parser->bytes, &parser->at,
				  &cast) == 0 &&
	    take(parser, ')')) {
		if (parse_unary(parser, type))
			return -EINVAL;
		*type = value_type(&cast);
		return cast.stars || cast.bytes == 8
			       ? 0
			       : put(parser, STEP_CUT, cast.bytes,
				     cast.is_signed);
	}
	parser->at = open + 1;
	if (parse_binary(parser, 0, type))
		return -EINVAL;
	return take(parser, ')') ? 0 : wrong(parser, "\")\" is missing");
}

static int parse_primary(struct parser *parser, struct expression_type *type)
{
	const char c = next(parser);

	if (scan_is_digit(c))
		return parse_number(parser, type);
	if (c == '\'')
		return parse_quoted(parser, type);
	if (c == '$')
		return parse_register(parser, type);
	if (c == '(')
		return parse_parenthesis(parser, type);
	if (c == '"')
		return wrong(
			parser,
			"a string is allowed only to the right of == or !=");
	return parse_name(parser, type);
}

static int parse_indexed(struct parser *parser, struct expression_type *type)
{
	struct expression_type index;

	if (parse_primary(parser, type))
		return -EINVAL;
	while (take(parser, '[')) {
		if (parse_binary(parser, 0, &index) || scale(parser, type) ||
		    put(parser, STEP_PLUS, 0, 0) || read_target(parser, type))
			return -EINVAL;
		if (!take(parser, ']'))
			return wrong(parser, "\"]\" is missing");
	}
	return 0;
}

static int parse_prefixed(struct parser *parser, struct expression_type *type)
{
	const char c = next(parser);

	if (c != '-' && c != '!' && c != '~' && c != '*')
		return parse_indexed(parser, type);
	parser->at++;
	if (parse_unary(parser, type))
		return -EINVAL;
	if (c == '*')
		return read_target(parser, type);
	if (c == '!' || type->stars)
		*type = type_long;
	return put(parser,
		   c == '-'   ? STEP_NEGATE
		   : c == '!' ? STEP_NOT
			      : STEP_INVERT,
		   0, 0);
}

static int parse_unary(struct parser *parser, struct expression_type *type)
{
	int err;

	if (parser->nesting == NESTING_MAX)
		return wrong(parser, "the expression is nested too deeply");
	parser->nesting++;
	err = parse_prefixed(parser, type);
	parser->nesting--;
	return err;
}

/* Precedences are C's; longer operators precede their prefixes. */
static const struct infix {
	const char *text;
	uint8_t binds;
	uint8_t step;
	uint8_t is_swapped, is_denied;
} infixes[] = {
	{ "||", 1, STEP_OR_ELSE, 0, 0 },
	{ "&&", 2, STEP_AND_THEN, 0, 0 },
	{ "==", 6, STEP_SAME, 0, 0 },
	{ "!=", 6, STEP_SAME, 0, 1 },
	{ "<<", 8, STEP_LEFT, 0, 0 },
	{ ">>", 8, STEP_RIGHT, 0, 0 },
	{ "<=", 7, STEP_LESS_OR_SAME, 0, 0 },
	{ ">=", 7, STEP_LESS, 0, 1 },
	{ "<", 7, STEP_LESS, 0, 0 },
	{ ">", 7, STEP_LESS_OR_SAME, 0, 1 },
	{ "|", 3, STEP_OR, 0, 0 },
	{ "^", 4, STEP_XOR, 0, 0 },
	{ "&", 5, STEP_AND, 0, 0 },
	{ "+", 9, STEP_PLUS, 0, 0 },
	{ "-", 9, STEP_MINUS, 0, 0 },
	{ "*", 10, STEP_TIMES, 0, 0 },
	{ "/", 10, STEP_BY, 0, 0 },
	{ "%", 10, STEP_REST, 0, 0 },
};

/* Returns the length of a format at this position, with its "/"; 0: none. */
static size_t format_at(const struct parser *parser)
{
	size_t end = parser->at + 1;

	if (end >= parser->bytes || parser->text[parser->at] != '/')
		return 0;
	switch (parser->text[end]) {
	case 'd':
	case 'u':
	case 'x':
	case 'c':
	case 's':
		break;
	default:
		return 0;
	}
	for (end++; end < parser->bytes && scan_is_digit(parser->text[end]);)
		end++;
	return scan_name(parser->text, parser->bytes, end) ? 0
							   : end - parser->at;
}

static const struct infix *next_infix(struct parser *parser)
{
	const char c = next(parser);

	if (format_at(parser))
		return NULL;
	for (size_t i = 0; c && i < sizeof(infixes) / sizeof(*infixes); i++)
		if (infixes[i].text[0] == c &&
		    (!infixes[i].text[1] ||
		     infixes[i].text[1] == behind(parser)))
			return &infixes[i];
	return NULL;
}

/* Parses the text of e == "text", after the operator. */
static int parse_text(struct parser *parser, const struct infix *infix,
		      struct expression_type *type)
{
	const size_t start = parser->text_used;
	char c;

	parser->at++;
	for (;;) {
		if (parser->text_used == EXPRESSION_TEXT_MAX - 1)
			return wrong(parser, "the string is too long");
		if (parser->at < parser->bytes &&
		    parser->text[parser->at] == '"')
			break;
		if (parse_character(parser, &c))
			return -EINVAL;
		parser->out->text[parser->text_used++] = c;
	}
	parser->at++;
	parser->out->text[parser->text_used++] = '\0';
	*type = type_long;
	if (put(parser, STEP_IS_TEXT, 0, start))
		return -EINVAL;
	return infix->is_denied ? put(parser, STEP_NOT, 0, 0) : 0;
}

/*
 * Parses the right operand, after the operator; the left one is already output.
 */
static int parse_choice(struct parser *parser, const struct infix *infix,
			struct expression_type *type)
{
	struct expression_type right;
	const unsigned int at = parser->out->count;

	if (put(parser, infix->step, 0, 0) ||
	    parse_binary(parser, infix->binds + 1U, &right) ||
	    put(parser, STEP_NOT, 0, 0) || put(parser, STEP_NOT, 0, 0))
		return -EINVAL;
	parser->out->steps[at].number = parser->out->count - at - 1U;
	*type = type_long;
	return 0;
}

/* Adds to a pointer, or subtracts, the number on top in units of its target. */
static int move_pointer(struct parser *parser, const struct infix *infix,
			struct expression_type *left,
			const struct expression_type *right)
{
	if (right->stars)
		return wrong(parser,
			     "the pointer must be the left operand of + or -");
	if (scale(parser, left))
		return -EINVAL;
	return put(parser, infix->step, 0, 0);
}

static int parse_operation(struct parser *parser, const struct infix *infix,
			   struct expression_type *type)
{
	const int is_sum = infix->binds == 9;
	struct expression_type right;
	unsigned int unlike;

	if (parse_binary(parser, infix->binds + 1U, &right))
		return -EINVAL;
	if (is_sum && (type->stars || right.stars))
		return move_pointer(parser, infix, type, &right);
	unlike =
		is_unsigned(type) || (is_unsigned(&right) && infix->binds != 8);
	*type = type_long;
	if (infix->binds < 6 || infix->binds > 7)
		type->is_signed = !unlike;
	if (put(parser, infix->step, unlike, 0))
		return -EINVAL;
	return infix->is_denied ? put(parser, STEP_NOT, 0, 0) : 0;
}

/* Parses operators with at least this precedence. */
static int parse_binary(struct parser *parser, unsigned int least,
			struct expression_type *type)
{
	const struct infix *infix;
	int err;

	if (parse_unary(parser, type))
		return -EINVAL;
	while ((infix = next_infix(parser)) && infix->binds >= least) {
		parser->at += infix->text[1] ? 2 : 1;
		if (infix->binds < 3)
			err = parse_choice(parser, infix, type);
		else if (infix->step == STEP_SAME && next(parser) == '"')
			err = parse_text(parser, infix, type);
		else
			err = parse_operation(parser, infix, type);
		if (err)
			return err;
	}
	return 0;
}

static int parse(struct parser *parser)
{
	parser->out->count = 0;
	return parse_binary(parser, 0, &parser->out->type);
}

int expression_parse(const char *text, size_t bytes, struct expression *out,
		     struct expression_problem *problem)
{
	struct parser parser = {
		.text = text, .bytes = bytes, .out = out, .problem = problem
	};

	if (parse(&parser))
		return -EINVAL;
	return next(&parser) ? wrong(&parser, "an operator is missing") : 0;
}

/* ---- Fields ---- */

static char usual_format(const struct expression_type *type)
{
	if (type->stars == 1 && type->bytes == 1)
		return 's';
	if (type->stars)
		return 'x';
	return type->is_signed ? 'd' : 'u';
}

/* Parses a format at this position. */
static int parse_format(struct parser *parser, struct expression_field *field)
{
	unsigned int number = 0;

	field->format = parser->text[++parser->at];
	for (parser->at++; parser->at < parser->bytes &&
			   scan_is_digit(parser->text[parser->at]);
	     parser->at++) {
		number = number * 10 +
			 (unsigned int)(parser->text[parser->at] - '0');
		if (number > EXPRESSION_STRING_MAX)
			return wrong(parser, "the string is too long");
	}
	if (number && field->format != 's')
		return wrong(parser, "only strings can have a length");
	if (number)
		field->string_bytes = (uint16_t)number;
	return 0;
}

/* Parses a label after its opening quote. */
static int parse_label(struct parser *parser, struct expression_field *field)
{
	field->start = parser->at;
	while (parser->at < parser->bytes && parser->text[parser->at] != '`')
		parser->at++;
	field->end = parser->at;
	if (parser->at == parser->bytes)
		return wrong(parser, "the closing quote is missing");
	parser->at++;
	return 0;
}

int expression_field_parse(const char *text, size_t bytes, size_t *at,
			   struct expression_field *out,
			   struct expression_problem *problem)
{
	struct parser parser = { .text = text,
				 .bytes = bytes,
				 .at = scan_blanks(text, bytes, *at),
				 .out = &out->expression,
				 .problem = problem };

	out->start = parser.at;
	out->string_bytes = EXPRESSION_STRING_LESS;
	if (take(&parser, '`')) {
		if (parse_label(&parser, out) || parse(&parser))
			return -EINVAL;
	} else {
		if (parse(&parser))
			return -EINVAL;
		out->end = parser.at;
	}
	out->format = usual_format(&out->expression.type);
	if (next(&parser) == '/' && parse_format(&parser, out))
		return -EINVAL;
	while (out->end > out->start && text[out->end - 1] == ' ')
		out->end--;
	if (next(&parser)) {
		if (!take(&parser, ','))
			return wrong(&parser, "an operator is missing");
		if (!next(&parser))
			return wrong(&parser, "a value is missing");
	}
	*at = parser.at;
	return 0;
}
