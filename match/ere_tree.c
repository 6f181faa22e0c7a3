/* SPDX-License-Identifier: MIT */
/* See ere_tree.h. */
#include "match/ere_tree.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define REPEAT_MAX     32767 /* the value of RE_DUP_MAX */
#define NOT_A_NUMBER   (UINT32_MAX - 1)
#define NUMBER_MISSING (UINT32_MAX - 2)

struct ere_parser {
	const char *at;
	uint32_t depth; /* depth of parentheses */
	uint32_t set_count;
	/* an array with room for one set for each byte of the text */
	struct byte_set *sets;
	ere_alloc alloc;
	void *context;
	int err;
	const char *why;
};

static void *refuse(struct ere_parser *parser, int err, const char *why)
{
	if (!parser->err) {
		parser->err = err;
		parser->why = why;
	}
	return NULL;
}

static void *take_memory(struct ere_parser *parser, size_t bytes)
{
	void *memory = parser->alloc(parser->context, bytes);

	return memory ? memory : refuse(parser, -ENOMEM, "out of memory");
}

static struct ere_node *make_node(struct ere_parser *parser,
				  enum ere_node_kind kind)
{
	struct ere_node *node = take_memory(parser, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	node->size = 1;
	return node;
}

/* ---- Sets ---- */

static struct ere_node *make_set(struct ere_parser *parser,
				 const struct byte_set *set)
{
	struct ere_node *node = make_node(parser, ERE_NODE_SET);

	if (!node)
		return NULL;
	node->set = parser->set_count++;
	parser->sets[node->set] = *set;
	return node;
}

static struct ere_node *make_byte(struct ere_parser *parser, char byte)
{
	struct byte_set set = { 0 };

	byte_set_add(&set, (uint8_t)byte);
	return make_set(parser, &set);
}

static struct ere_node *make_any(struct ere_parser *parser)
{
	struct byte_set set = { 0 };

	byte_set_invert(&set);
	return make_set(parser, &set);
}

/* Creates \w or \s, or with a capital letter the complement. */
static struct ere_node *make_class(struct ere_parser *parser, char letter)
{
	struct byte_set set = { 0 };

	if (letter == 'w' || letter == 'W') {
		bracket_add_class(&set, "alnum", 5);
		byte_set_add(&set, '_');
	} else {
		bracket_add_class(&set, "space", 5);
	}
	if (letter == 'W' || letter == 'S')
		byte_set_invert(&set);
	return make_set(parser, &set);
}

static struct ere_node *read_bracket(struct ere_parser *parser)
{
	struct byte_set set;
	const char *why = NULL;
	const char *end =
		bracket_parse(parser->at + 1, BRACKET_OF_ERE, &set, &why);

	if (!end)
		return refuse(parser, -EINVAL, why);
	parser->at = end;
	return make_set(parser, &set);
}

/* ---- Positions ---- */

static struct ere_node *make_place(struct ere_parser *parser, unsigned int must,
				   unsigned int must_not)
{
	struct ere_node *node = make_node(parser, ERE_NODE_ASSERT);

	if (!node)
		return NULL;
	node->must = (uint8_t)must;
	node->must_not = (uint8_t)must_not;
	return node;
}

static void measure_group(struct ere_parser *parser, struct ere_node *group)
{
	group->size = 0;
	for (const struct ere_branch *b = group->branch; b; b = b->next) {
		for (const struct ere_node *n = b->first; n; n = n->next) {
			group->size += n->size;
			if (n->depth >= group->depth)
				group->depth = n->depth + 1;
		}
		if (b->next)
			/*
			 * counts the fork, and the jump over the other branches
			 */
			group->size += 2;
	}
	if (group->size > ERE_PROGRAM_MAX || group->depth > ERE_DEPTH_MAX)
		refuse(parser, -E2BIG, "too large");
}

/* Creates a choice of two positions. */
static struct ere_node *make_choice(struct ere_parser *parser,
				    struct ere_node *one,
				    struct ere_node *other)
{
	struct ere_node *group = make_node(parser, ERE_NODE_GROUP);
	struct ere_branch *branches =
		take_memory(parser, 2 * sizeof(*branches));

	if (!group || !branches)
		return NULL;
	branches[0] = (struct ere_branch){ &branches[1], one };
	branches[1] = (struct ere_branch){ NULL, other };
	group->branch = branches;
	measure_group(parser, group);
	return group;
}

/* Creates the assertion for \b and similar escapes, or returns NULL. */
static struct ere_node *make_gnu_place(struct ere_parser *parser, char letter)
{
	const unsigned int after = ERE_AFTER_WORD, before = ERE_BEFORE_WORD;

	switch (letter) {
	case '`':
		return make_place(parser, ERE_AT_START, 0);
	case '\'':
		return make_place(parser, ERE_AT_END, 0);
	case '<':
		return make_place(parser, before, after);
	case '>':
		return make_place(parser, after, before);
	case 'b':
		return make_choice(parser, make_place(parser, before, after),
				   make_place(parser, after, before));
	case 'B':
		return make_choice(parser,
				   make_place(parser, after | before, 0),
				   make_place(parser, 0, after | before));
	default:
		return NULL;
	}
}

/* Reads an anchor, which cannot be repeated. Returns NULL if there is none. */
static struct ere_node *read_place(struct ere_parser *parser)
{
	struct ere_node *node = NULL;

	if (*parser->at == '^') {
		node = make_place(parser, ERE_AT_START, 0);
		parser->at++;
	} else if (*parser->at == '$') {
		node = make_place(parser, ERE_AT_END, 0);
		parser->at++;
	} else if (*parser->at == '\\') {
		node = make_gnu_place(parser, parser->at[1]);
		parser->at += node ? 2 : 0;
	}
	return node;
}

/* ---- Repetitions ---- */

/* Reads digits up to a , or }. */
static uint32_t read_number(struct ere_parser *parser)
{
	uint32_t number = NUMBER_MISSING;

	for (; *parser->at != ',' && *parser->at != '}'; parser->at++) {
		const char c = *parser->at;

		if (c < '0' || c > '9')
			return NOT_A_NUMBER;
		number = (number == NUMBER_MISSING ? 0 : number * 10) +
			 (uint32_t)(c - '0');
		if (number > REPEAT_MAX)
			number = REPEAT_MAX + 1;
	}
	return number;
}

/* Reads {2}, {2,}, {,3}, or {2,3}. */
static int read_interval(struct ere_parser *parser, struct ere_node *repeat)
{
	parser->at++;
	repeat->least = read_number(parser);
	if (repeat->least == NUMBER_MISSING && *parser->at == ',')
		repeat->least = 0;
	repeat->most = repeat->least;
	if (repeat->least <= REPEAT_MAX && *parser->at == ',') {
		parser->at++;
		repeat->most = read_number(parser);
		if (repeat->most == NUMBER_MISSING)
			repeat->most = ERE_WITHOUT_LIMIT;
	}
	if (*parser->at != '}' || repeat->most < repeat->least ||
	    repeat->least > REPEAT_MAX ||
	    (repeat->most > REPEAT_MAX && repeat->most != ERE_WITHOUT_LIMIT))
		return 0;
	parser->at++;
	return 1;
}

static int read_count(struct ere_parser *parser, struct ere_node *repeat)
{
	const char c = *parser->at;

	if (c == '{')
		return read_interval(parser, repeat);
	repeat->least = c == '+';
	repeat->most = c == '?' ? 1 : ERE_WITHOUT_LIMIT;
	parser->at++;
	return 1;
}

static int is_repetition(char c)
{
	return c == '*' || c == '+' || c == '?' || c == '{';
}

static void measure_repeat(struct ere_parser *parser, struct ere_node *repeat)
{
	const uint64_t each = repeat->child->size;

	repeat->size = 0;
	if (each && repeat->most == ERE_WITHOUT_LIMIT)
		repeat->size = repeat->least * each + each + 2;
	else if (each)
		repeat->size = repeat->least * each +
			       (repeat->most - repeat->least) * (each + 1);
	repeat->depth = repeat->child->depth + 1;
	if (repeat->size > ERE_PROGRAM_MAX || repeat->depth > ERE_DEPTH_MAX)
		refuse(parser, -E2BIG, "too large");
}

static struct ere_node *read_repetitions(struct ere_parser *parser,
					 struct ere_node *node)
{
	while (node && !parser->err && is_repetition(*parser->at)) {
		struct ere_node *repeat = make_node(parser, ERE_NODE_REPEAT);

		if (!repeat)
			return NULL;
		if (!read_count(parser, repeat))
			return refuse(parser, -EINVAL,
				      "the {} repetition is invalid");
		repeat->child = node;
		measure_repeat(parser, repeat);
		node = repeat;
	}
	return node;
}

/* ---- Groups ---- */

static struct ere_node *read_group(struct ere_parser *parser);

static struct ere_node *read_parentheses(struct ere_parser *parser)
{
	struct ere_node *group;

	parser->at++;
	if (++parser->depth > ERE_DEPTH_MAX)
		return refuse(parser, -E2BIG, "too large");
	group = read_group(parser);
	if (!group)
		return NULL;
	if (*parser->at != ')')
		return refuse(parser, -EINVAL, "( without )");
	parser->at++;
	parser->depth--;
	return group;
}

static struct ere_node *read_escaped(struct ere_parser *parser)
{
	const char c = parser->at[1];

	if (!c)
		return refuse(parser, -EINVAL,
			      "\\ at the end of the expression");
	if (c >= '1' && c <= '9')
		return refuse(parser, -EINVAL,
			      "back-references are not supported");
	parser->at += 2;
	return c == 'w' || c == 'W' || c == 's' || c == 'S'
		       ? make_class(parser, c)
		       : make_byte(parser, c);
}

static struct ere_node *read_atom(struct ere_parser *parser)
{
	const char c = *parser->at;

	if (is_repetition(c))
		return refuse(parser, -EINVAL,
			      "there is nothing before a repetition");
	if (c == '(')
		return read_parentheses(parser);
	if (c == '[')
		return read_bracket(parser);
	if (c == '\\')
		return read_escaped(parser);
	parser->at++;
	return c == '.' ? make_any(parser) : make_byte(parser, c);
}

/*
 * Returns whether a branch ends here. A ) outside of parentheses stands for
 * itself.
 */
static int is_end_of_branch(const struct ere_parser *parser)
{
	return !*parser->at || *parser->at == '|' ||
	       (*parser->at == ')' && parser->depth);
}

static struct ere_branch *read_branch(struct ere_parser *parser)
{
	struct ere_branch *branch = take_memory(parser, sizeof(*branch));
	struct ere_node **tail;

	if (!branch)
		return NULL;
	tail = &branch->first;
	while (!is_end_of_branch(parser)) {
		struct ere_node *node = read_place(parser);

		if (!node && !parser->err)
			node = read_repetitions(parser, read_atom(parser));
		if (!node || parser->err)
			return NULL;
		*tail = node;
		tail = &node->next;
	}
	return branch;
}

static struct ere_node *read_group(struct ere_parser *parser)
{
	struct ere_node *group = make_node(parser, ERE_NODE_GROUP);
	struct ere_branch **tail;

	if (!group)
		return NULL;
	for (tail = &group->branch;; tail = &(*tail)->next) {
		*tail = read_branch(parser);
		if (!*tail)
			return NULL;
		if (*parser->at != '|')
			break;
		parser->at++;
	}
	measure_group(parser, group);
	return parser->err ? NULL : group;
}

int ere_read(const char *text, ere_alloc alloc, void *context,
	     struct ere_node **group, struct byte_set **sets, const char **why)
{
	struct ere_parser parser = { .at = text,
				     .alloc = alloc,
				     .context = context };
	struct ere_node *root = NULL;
	size_t length = 0;

	while (text[length])
		length++;
	parser.sets = take_memory(&parser, (length + 1) * sizeof(*parser.sets));
	if (parser.sets)
		root = read_group(&parser);
	if (parser.err) {
		*why = parser.why;
		return parser.err;
	}
	*group = root;
	*sets = parser.sets;
	return 0;
}
