/* SPDX-License-Identifier: MIT */
/*
 * Short forms of names that demanglers and runtimes print.
 *
 * A first pass pairs the brackets, except those in names of operators, so that
 * "operator<" opens no list. A second pass copies the name to the result and
 * leaves parts out. A list that turns out to be too long is taken back from the
 * result and replaced by "<...>". Each character is therefore read a bounded
 * number of times, whatever the text is:
 *
 *	void a::f<std::vector<int, std::allocator<int> > >(int) const [clone .x]
 *	     +--------------- name ----------------------++-- dropped ---------+
 *
 * The result never gets longer than the part of the name that was read.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clone_suffix.h"
#include "symbolizer/a2n.h"

enum {
	LIST_MAX = 20,   /* longest list that is written, with its brackets */
	DEPTH_MAX = 100, /* nesting of lists; deeper ones become "<...>" */
	/*
	 * How many characters before a list are compared with
	 * "std::basic_string", "std::basic_ostream" and the like.
	 */
	PATH_MAX_READ = 64,
};

#define FOLDED          "..."
#define OPERATOR        "operator"
#define ANONYMOUS       "(anonymous namespace)"
#define SHORT_ANONYMOUS "(anonymous)"

struct shortening {
	char *text;
	/* for each opening bracket, the index of its closing one; else 0 */
	uint32_t *partner;
	char *out; /* the result; has room for the whole text */
	size_t count;
	enum a2n_detail detail;
	int depth;
};

/* ---- Text ---- */

static int starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static int is_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' ||
	       letter == '$' || (unsigned char)letter >= 0x80;
}

static void put(struct shortening *it, const char *text, size_t length)
{
	memcpy(it->out + it->count, text, length);
	it->count += length;
}

static int ends_with(const struct shortening *it, const char *end)
{
	const size_t length = strlen(end);

	return it->count >= length &&
	       memcmp(it->out + it->count - length, end, length) == 0;
}

/* ---- Operators ---- */

/* Returns the length of an operator's symbol, or 0. */
static size_t symbol_length(const char *at)
{
	/* Symbols precede their own prefixes. */
	static const char *const symbols[] = {
		"<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>",
		"<=",  ">=",  "==",  "!=",  "&&", "||", "++", "--", "+=",
		"-=",  "*=",  "/=",  "%=",  "^=", "&=", "|=",
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (starts(at, symbols[i]))
			return strlen(symbols[i]);
	return *at && strchr("+-*/%^&|~!=<>,", *at) ? 1 : 0;
}

/* Returns whether the keyword "operator" begins at an index. */
static int is_operator(const char *text, size_t at)
{
	return text[at] == 'o' && starts(text + at, OPERATOR) &&
	       (at == 0 || !is_word(text[at - 1])) &&
	       !is_word(text[at + strlen(OPERATOR)]);
}

/*
 * Returns the index behind "operator" and a symbol, "new[]" or a literal's
 * suffix. Sets *is_conversion if a type follows.
 */
static size_t skip_operator(const char *text, size_t at, int *is_conversion)
{
	static const char *const words[] = { " new", " delete", " co_await" };
	size_t length;

	at += strlen(OPERATOR);
	*is_conversion = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		length = strlen(words[i]);
		if (!starts(text + at, words[i]) || is_word(text[at + length]))
			continue;
		return at + length + (starts(text + at + length, "[]") ? 2 : 0);
	}
	if (starts(text + at, "\"\"")) {
		at += 2 + (text[at + 2] == ' ');
		while (is_word(text[at]))
			at++;
		return at;
	}
	*is_conversion = text[at] == ' ';
	return at + symbol_length(text + at);
}

/* ---- Brackets ---- */

static int is_opening(char letter)
{
	return letter == '(' || letter == '[' || letter == '{' || letter == '<';
}

static char closing_of(char opening)
{
	return opening == '('   ? ')'
	       : opening == '[' ? ']'
	       : opening == '{' ? '}'
				: '>';
}

/*
 * The brackets that are open. Until an opening bracket is closed, its entry in
 * `partner` refers to the one around it, as 1 + index.
 */
struct open_brackets {
	uint32_t top, count;
};

static void pop(struct shortening *it, struct open_brackets *open,
		uint32_t partner)
{
	uint32_t *entry = &it->partner[open->top - 1];

	open->top = *entry;
	open->count--;
	*entry = partner;
}

static void close_bracket(struct shortening *it, size_t at,
			  struct open_brackets *open)
{
	const char *text = it->text;

	/* A '<' without partner is an operator: "(a<b)". */
	while (open->top && text[at] != '>' && text[open->top - 1] == '<')
		pop(it, open, 0);
	if (open->top && closing_of(text[open->top - 1]) == text[at])
		pop(it, open, (uint32_t)at);
}

/*
 * Pairs the brackets up to an index. Returns the last index at which the name
 * could be cut to end with "..." and a closing bracket for each open one.
 */
static size_t pair_until(struct shortening *it, size_t end,
			 struct open_brackets *open)
{
	size_t cut = 0;
	int is_conversion;

	for (size_t i = 0; i < end; i++) {
		const char letter = it->text[i];

		if (i + strlen(FOLDED) + open->count <= end)
			cut = i;
		if (is_operator(it->text, i)) {
			i = skip_operator(it->text, i, &is_conversion) - 1;
		} else if (is_opening(letter)) {
			it->partner[i] = open->top;
			open->top = (uint32_t)i + 1;
			open->count++;
		} else if (strchr(")]}", letter) ||
			   (letter == '>' &&
			    (i == 0 || it->text[i - 1] != '-'))) {
			close_bracket(it, i, open);
		}
	}
	return cut;
}

/*
 * Closes the brackets that are open at the end of a name that a2n_demangle()
 * has cut: its end becomes "...>)>".
 */
static void close_cut_name(struct shortening *it, size_t length, size_t cut)
{
	struct open_brackets open = { 0 };

	memset(it->partner, 0, length * sizeof(*it->partner));
	pair_until(it, cut, &open);
	memcpy(it->text + cut, FOLDED, strlen(FOLDED));
	cut += strlen(FOLDED);
	while (open.top) {
		it->text[cut] = closing_of(it->text[open.top - 1]);
		pop(it, &open, (uint32_t)cut++);
	}
	memset(it->text + cut, '.', length - cut);
}

static void pair_brackets(struct shortening *it)
{
	const size_t length = strlen(it->text), dots = strlen(FOLDED);
	struct open_brackets open = { 0 };
	const size_t cut = pair_until(it, length, &open);

	if (open.top && cut > 0 &&
	    memcmp(it->text + length - dots, FOLDED, dots) == 0) {
		close_cut_name(it, length, cut);
		return;
	}
	while (open.top)
		pop(it, &open, 0);
}

/*
 * Returns the index of the next character, or, at an opening bracket, the index
 * after its closing bracket.
 */
static size_t skip(const struct shortening *it, size_t at)
{
	return (it->partner[at] ? it->partner[at] : at) + 1;
}

/* Skips what may follow parameters: " const &", "[abi:cxx11]". */
static size_t skip_qualifiers(const struct shortening *it, size_t at, size_t to)
{
	static const char *const words[] = { " const",    " volatile",
					     " noexcept", " restrict",
					     " &&",       " &" };
	size_t before;

	do {
		before = at;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (starts(it->text + at, words[i]) &&
			    !is_word(it->text[at + strlen(words[i])]))
				at += strlen(words[i]);
		if (starts(it->text + at, "[abi:"))
			at = skip(it, at);
	} while (at != before);
	return at < to ? at : to;
}

/* Returns whether the bracket holds template arguments of D: "f!(int)". */
static int is_d_list(const char *text, size_t at)
{
	const size_t length = strlen(OPERATOR);

	return at > 1 && text[at - 1] == '!' && is_word(text[at - 2]) &&
	       (at <= length ||
		memcmp(text + at - 1 - length, OPERATOR, length) != 0);
}

/* Returns whether a bracket belongs to "decltype(...)". */
static int is_decltype(const char *text, size_t at)
{
	static const char word[] = "decltype";
	const size_t length = sizeof(word) - 1;

	if (at > 0 && text[at - 1] == ' ')
		at--;
	return at >= length && memcmp(text + at - length, word, length) == 0;
}

/*
 * Returns where the type in the name of a conversion function ends ("operator
 * int()"): the index of its empty parameters, or `to`.
 */
static size_t conversion_end(const struct shortening *it, size_t at, size_t to)
{
	for (; at < to; at = skip(it, at)) {
		const char *behind = it->text + at + 2;

		if (it->text[at] == '(' && it->partner[at] == at + 1 &&
		    (at + 2 == to || strchr(" :[", *behind)))
			return at;
	}
	return to;
}

/* ---- Parts of the result ---- */

static size_t put_type(struct shortening *it, size_t at, size_t to,
		       int is_rust);

static void put_types(struct shortening *it, size_t from, size_t to,
		      int is_rust)
{
	while (from < to)
		from = put_type(it, from, to, is_rust);
}

/*
 * Removes an inline namespace at the end of the result, because users never
 * write it: "std::__cxx11::list" becomes "std::list".
 */
static void drop_inline_namespace(struct shortening *it)
{
	static const char *const names[] = { "::__cxx11", "::__1", "::_V2",
					     "::__ndk1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!ends_with(it, names[i]))
			continue;
		it->count -= strlen(names[i]);
		return;
	}
}

/*
 * Writes "::" to the result. In a Rust type it removes the module name that the
 * result ends with instead, so that only the type's own name remains.
 */
static void put_scope(struct shortening *it, size_t next, int is_rust)
{
	size_t start = it->count;

	drop_inline_namespace(it);
	while (is_rust && start > 0 && it->text[next] != '{' &&
	       it->text[next] != '<' && is_word(it->out[start - 1]))
		start--;
	if (start < it->count)
		it->count = start;
	else
		put(it, "::", 2);
}

/*
 * Returns whether a template argument is one of the standard library's usual
 * defaults, such as "std::allocator<int>".
 */
static int is_default(const char *argument)
{
	static const char *const defaults[] = {
		"std::allocator<",      "std::char_traits<",
		"std::less<",           "std::hash<",
		"std::equal_to<",       "std::default_delete<",
		"std::regex_traits<",   "std::__cxx11::regex_traits<",
		"std::__1::allocator<", "std::__1::char_traits<",
		"std::__1::less<",      "std::__1::hash<",
		"std::__1::equal_to<",  "std::__1::default_delete<",
		"alloc::alloc::Global",
	};

	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
		if (starts(argument, defaults[i]))
			return 1;
	return 0;
}

/*
 * Returns the end of a list's arguments without the default arguments at its
 * end.
 */
static size_t last_argument(const struct shortening *it, size_t from, size_t to)
{
	size_t start = from, end = to;
	int is_first = 1;

	for (size_t at = from; at <= to; at = skip(it, at)) {
		if (at < to && it->text[at] != ',')
			continue;
		if (is_first || !is_default(it->text + start))
			end = at;
		is_first = 0;
		start = at + 1;
		while (start < to && it->text[start] == ' ')
			start++;
	}
	return end;
}

/*
 * Replaces "std::basic_string<char, ...>" by "std::string", and other such
 * types. Returns whether the list belongs to one.
 */
static int put_alias(struct shortening *it, size_t at)
{
	static const char head[] = "std::basic_";
	const size_t head_length = sizeof(head) - 1;
	const char *argument = it->text + at + 1;
	const int is_wide = starts(argument, "wchar_t");
	size_t length = is_wide ? strlen("wchar_t") : strlen("char");
	size_t start = it->count;

	if ((!is_wide && !starts(argument, "char")) ||
	    !strchr(",>", argument[length]) ||
	    last_argument(it, at + 1, it->partner[at]) != at + 1 + length)
		return 0;
	while (start > 0 && it->count - start < PATH_MAX_READ &&
	       (is_word(it->out[start - 1]) || it->out[start - 1] == ':'))
		start--;
	length = it->count - start - head_length;
	if (it->count - start <= head_length ||
	    memcmp(it->out + start, head, head_length) != 0)
		return 0;
	start += strlen("std::");
	if (is_wide)
		it->out[start++] = 'w';
	memmove(it->out + start, it->out + it->count - length, length);
	it->count = start + length;
	return 1;
}

static void put_raw_or_folded(struct shortening *it, size_t at)
{
	const size_t end = it->partner[at];

	put(it, it->text + at, 1);
	if (end - at - 1 > strlen(FOLDED))
		put(it, FOLDED, strlen(FOLDED));
	else
		put(it, it->text + at + 1, end - at - 1);
	put(it, it->text + end, 1);
}

/*
 * Writes a list in brackets: template arguments, or "!(...)" of D. Returns the
 * index behind it.
 */
static size_t put_list(struct shortening *it, size_t at, int is_rust)
{
	const size_t end = it->partner[at];
	const size_t start = it->count;

	if (it->text[at] == '<' && put_alias(it, at))
		return end + 1;
	if (it->detail == A2N_BARE) {
		if (it->text[at] == '(')
			it->count -= ends_with(it, "!");
		else if (ends_with(it, "::"))
			/* Rust writes "f::<T>"; the "::" is removed */
			it->count -= 2;
		return end + 1;
	}
	if (it->depth >= DEPTH_MAX) {
		put_raw_or_folded(it, at);
		return end + 1;
	}
	it->depth++;
	put(it, it->text + at, 1);
	put_types(it, at + 1, last_argument(it, at + 1, end), is_rust);
	put(it, it->text + end, 1);
	it->depth--;
	if (it->count - start > LIST_MAX &&
	    (it->detail == A2N_SHORTEST ||
	     (it->detail == A2N_ARGUMENTS && it->depth > 0))) {
		it->count = start + 1;
		put(it, FOLDED, strlen(FOLDED));
		put(it, it->text + end, 1);
	}
	return end + 1;
}

/* Writes "{lambda(int)#1}" without parameters. Returns the index behind it. */
static size_t put_braces(struct shortening *it, size_t at)
{
	const size_t end = it->partner[at] + 1;

	while (at < end) {
		if (it->text[at] == '(' && it->partner[at] &&
		    it->detail != A2N_PARAMETERS) {
			at = skip(it, at);
		} else if (it->text[at] == '<' && it->partner[at]) {
			at = put_list(it, at, 0);
		} else {
			put(it, it->text + at, 1);
			at++;
		}
	}
	return end;
}

/* Writes a pair of parentheses in a type. Returns the index behind it. */
static size_t put_group(struct shortening *it, size_t at, size_t to,
			int is_rust)
{
	const size_t end = it->partner[at];
	const size_t behind = skip_qualifiers(it, end + 1, to);
	const int is_scope = at > 0 && is_word(it->text[at - 1]) &&
			     starts(it->text + behind, "::");

	if (starts(it->text + at, ANONYMOUS)) {
		put(it, SHORT_ANONYMOUS, strlen(SHORT_ANONYMOUS));
		return end + 1;
	}
	if (is_scope && it->detail != A2N_PARAMETERS)
		return behind;
	if (it->depth >= DEPTH_MAX) {
		put_raw_or_folded(it, at);
		return end + 1;
	}
	it->depth++;
	put(it, "(", 1);
	put_types(it, at + 1, end, is_rust);
	put(it, ")", 1);
	it->depth--;
	return end + 1;
}

/* Writes the next character or bracket of a type; returns what follows it. */
static size_t put_type(struct shortening *it, size_t at, size_t to, int is_rust)
{
	const char *text = it->text;
	size_t end;
	int is_conversion;

	if (is_operator(text, at)) {
		end = skip_operator(text, at, &is_conversion);
		end = end < to ? end : to;
		put(it, text + at, end - at);
		return end;
	}
	if (text[at] == '<' && it->partner[at])
		return put_list(it, at, is_rust);
	if (text[at] == '(' && it->partner[at])
		return put_group(it, at, to, is_rust);
	if (text[at] == '{' && it->partner[at])
		return put_braces(it, at);
	if (starts(text + at, "::") && at + 2 <= to) {
		put_scope(it, at + 2, is_rust);
		return at + 2;
	}
	if (starts(text + at, "[abi:") && it->partner[at])
		return skip(it, at);
	/* "> >" */
	if (text[at] != ' ' || text[at + 1] != '>' || text[at - 1] != '>')
		put(it, text + at, 1);
	return at + 1;
}

/* ---- Names of C++, Rust and D ---- */

/*
 * Writes an operator's name, with its template arguments if they are short.
 * Returns the index behind them.
 */
static size_t put_operator(struct shortening *it, size_t at, size_t to)
{
	int is_conversion;
	size_t end = skip_operator(it->text, at, &is_conversion);
	size_t start, list;

	put(it, it->text + at, end - at);
	if (is_conversion) {
		at = end;
		end = conversion_end(it, at, to);
		put_types(it, at, end, 0);
		return end;
	}
	list = end + (it->text[end] == ' ');
	if (list >= to || it->text[list] != '<' || !it->partner[list])
		return end;
	start = it->count;
	put(it, it->text + end, list - end);
	end = put_list(it, list, 0);
	if (it->detail == A2N_BARE || ends_with(it, "<" FOLDED ">"))
		it->count = start;
	return end;
}

/* Returns whether text behind parameters continues the name: "f().g()" of D. */
static int continues_name(const char *text)
{
	return starts(text, "::") || (*text == '.' && is_word(text[1]));
}

/*
 * Writes the parameters of a function if they are wanted. Returns the index of
 * the "::" or dot behind them, or `to`.
 */
static size_t put_parameters(struct shortening *it, size_t at, size_t to)
{
	const size_t end = it->partner[at];
	const size_t behind = skip_qualifiers(it, end + 1, to);

	if (it->detail == A2N_PARAMETERS) {
		put(it, "(", 1);
		put_types(it, at + 1, end, 0);
		put(it, it->text + end, behind - end);
	}
	return continues_name(it->text + behind) ? behind : to;
}

/* Writes "<A as B>" or "<impl A for B>" of Rust. */
static size_t put_rust_type(struct shortening *it, size_t at)
{
	const size_t end = it->partner[at];

	put(it, "<", 1);
	put_types(it, at + 1, end, 1);
	put(it, ">", 1);
	return end + 1;
}

/*
 * Writes the name of the function between two indices; returns whether there
 * is one. Text up to a blank is the type of its result.
 */
static int put_name(struct shortening *it, size_t at, size_t to)
{
	const char *text = it->text;

	while (at < to) {
		const int has_partner = it->partner[at] != 0;

		if (is_operator(text, at)) {
			at = put_operator(it, at, to);
		} else if (text[at] == ' ') {
			it->count = 0;
			at++;
		} else if (starts(text + at, ANONYMOUS)) {
			put(it, SHORT_ANONYMOUS, strlen(SHORT_ANONYMOUS));
			at += strlen(ANONYMOUS);
		} else if (text[at] == '(' && has_partner && at > 0 &&
			   (is_d_list(text, at) || is_decltype(text, at))) {
			at = put_list(it, at, 0);
		} else if (text[at] == '(' && has_partner) {
			if (it->count == 0)
				return 0;
			at = put_parameters(it, at, to);
		} else if (text[at] == '<' && has_partner &&
			   (it->count == 0 || starts(text + at, "<impl "))) {
			at = put_rust_type(it, at);
		} else if (text[at] == '<' && has_partner &&
			   ends_with(it, "::")) {
			at = put_list(it, at, 1);
		} else {
			at = put_type(it, at, to, 0);
		}
	}
	return it->count > 0;
}

/*
 * Returns whether a group in parentheses contains the name and the parameters
 * of a function whose result is a pointer to a function: "int (*f(int))(int)".
 * Sets *name to the index of the name.
 */
static int is_declarator(const struct shortening *it, size_t at, size_t *name)
{
	const size_t end = it->partner[at];
	size_t star = 0;

	if (!it->text[end + 1] || !strchr("([", it->text[end + 1]))
		return 0;
	for (size_t i = at + 1; i < end; i = skip(it, i)) {
		if (it->text[i] == '*' || it->text[i] == '&')
			star = i;
		else if (it->text[i] == '(' && it->partner[i] && star &&
			 !starts(it->text + i, ANONYMOUS) && i > star + 1) {
			*name = star + 1;
			return 1;
		}
	}
	return 0;
}

/*
 * Finds the range of a function's name and parameters. Returns 0 if the text
 * is no such name: it contains a blank, but no parameters, or a single colon
 * or a slash, as names of generated code and paths do.
 */
static int find_name(const struct shortening *it, size_t *from, size_t *to)
{
	int has_blank = 0, is_conversion;
	size_t at = *from, name;

	while (at < *to) {
		const char *text = it->text + at;

		if (is_operator(it->text, at)) {
			at = skip_operator(it->text, at, &is_conversion);
			if (is_conversion)
				return 1;
			at += starts(it->text + at, " <");
			continue;
		}
		if (*text == '(' && it->partner[at] &&
		    !starts(text, ANONYMOUS) && !is_decltype(it->text, at) &&
		    !is_d_list(it->text, at)) {
			if (!is_declarator(it, at, &name))
				return 1;
			*to = it->partner[at];
			*from = at = name;
			continue;
		}
		if (starts(text, "::"))
			at++;
		else if (*text == ':' || *text == '/')
			return 0;
		has_blank |= *text == ' ';
		at = skip(it, at);
	}
	return !has_blank;
}

/* ---- Other languages ---- */

/*
 * Returns the length of a dotted name before parameters, or 0: "a.b.C.f" of
 * Java, "a/b.C.f" of Go.
 */
static size_t dotted_length(const char *name)
{
	size_t at = 0;
	int has_dot = 0;

	for (; is_word(name[at]) || (name[at] && strchr(".<>-/%~", name[at]));
	     at++)
		has_dot |= name[at] == '.';
	return has_dot ? at : 0;
}

/*
 * Returns the index of the class in "com.acme.Foo.bar": packages have names in
 * lower case. Returns 0 if no class is recognized.
 */
static size_t class_index(const char *name, size_t length)
{
	size_t start = 0;

	for (size_t i = 0; i < length; i++) {
		if (name[i] != '.')
			continue;
		if (isupper((unsigned char)name[start]))
			return start;
		start = i + 1;
	}
	return 0;
}

/* Copies "C.f" of "a.b.C.f(int)". Returns 0 if the name is not Java's. */
static int put_java(struct shortening *it, const char *name, size_t length)
{
	const size_t dotted = dotted_length(name);
	size_t start;

	if (dotted == 0 || name[dotted] != '(' || name[dotted - 1] == '.' ||
	    memchr(name, '/', dotted) ||
	    continues_name(name + skip(it, dotted)))
		return 0;
	start = class_index(name, dotted);
	if (it->detail == A2N_PARAMETERS)
		start = 0;
	else
		length = dotted;
	put(it, name + start, length - start);
	return 1;
}

/*
 * Copies "http.(*conn).serve" of "net/http.(*conn).serve", with long type
 * arguments in brackets folded. Returns 0 if the name is not Go's.
 */
static int put_go(struct shortening *it, size_t length)
{
	const char *name = it->text;
	size_t at = 0, dotted = dotted_length(name);
	const int has_path = memchr(name, '/', dotted) != NULL;
	const int has_type =
		dotted > 0 && name[dotted - 1] == '.' && name[dotted] == '(';

	if (!has_type && (!has_path || name[dotted] == '(' ||
			  (dotted != length && name[dotted] != '[')))
		return 0;
	for (size_t i = 0; i < dotted; i++)
		if (name[i] == '/')
			at = i + 1;
	while (at < length) {
		if (name[at] == '[' && it->partner[at] &&
		    (it->detail == A2N_BARE ||
		     (it->detail == A2N_SHORTEST &&
		      it->partner[at] - at > LIST_MAX))) {
			if (it->detail == A2N_SHORTEST)
				put(it, "[" FOLDED "]", strlen(FOLDED) + 2);
			at = skip(it, at);
		} else {
			put(it, name + at, 1);
			at++;
		}
	}
	return 1;
}

/* ---- Beginnings and ends ---- */

/*
 * Prefixes that demanglers print before a name. Virtual calls enter a function
 * by its thunk.
 */
static const struct {
	const char *text, *short_text;
} prefixes[] = {
	{ "non-virtual thunk to ", "thunk to " },
	{ "virtual thunk to ", "thunk to " },
	{ "covariant return thunk to ", "thunk to " },
	{ "TLS init function for ", "TLS init function for " },
	{ "TLS wrapper function for ", "TLS wrapper function for " },
};

/* Returns the length of a prefix, and its short form. */
static size_t prefix_of(const char *name, const char **short_text)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (!starts(name, prefixes[i].text))
			continue;
		*short_text = prefixes[i].short_text;
		return strlen(prefixes[i].text);
	}
	*short_text = "";
	return 0;
}

/* Returns the length of a name without "+0x12" or ":12" at its end. */
static size_t without_offset(const char *name, size_t length)
{
	size_t at = length;

	while (at > 0 && isdigit((unsigned char)name[at - 1]))
		at--;
	if (at > 1 && at < length && name[at - 1] == ':' && name[at - 2] == ')')
		return at - 1;
	at = length;
	while (at > 0 && isxdigit((unsigned char)name[at - 1]))
		at--;
	return at > 3 && at < length && memcmp(name + at - 3, "+0x", 3) == 0
		       ? at - 3
		       : length;
}

/* Returns whether a name may be shortened at all. */
static int may_be_long(const char *name)
{
	if (*name == '(' && !starts(name, ANONYMOUS))
		return 0; /* the name is one of clew's own, like "(kernel)" */
	return *name != '[' && *name != '-' && *name != '+' &&
	       strpbrk(name, "(<{[:/.") != NULL;
}

/* Writes the short form of a name. Returns 0 if the name has none. */
static int shorten(struct shortening *it, size_t length)
{
	const char *prefix;
	size_t from = prefix_of(it->text, &prefix), to = length;

	if (put_go(it, length) || put_java(it, it->text, length))
		return 1;
	if (!find_name(it, &from, &to) || !put_name(it, from, to))
		return 0;
	if (it->count + strlen(prefix) > length)
		return 0;
	memmove(it->out + strlen(prefix), it->out, it->count);
	memcpy(it->out, prefix, strlen(prefix));
	it->count += strlen(prefix);
	return 1;
}

/* Writes the result, or the text itself if it has no short form. */
static void write_short(struct shortening *it, char *text, size_t length)
{
	const size_t before_offset = without_offset(text, length);
	const size_t whole = clone_suffix_strip(text, before_offset);
	const size_t end = clone_suffix_strip_coroutine(text, whole);
	const char kept = text[end];
	const size_t from =
		it->detail == A2N_PARAMETERS ? whole : before_offset;
	int is_short;

	text[end] = '\0';
	pair_brackets(it);
	is_short = end > 0 && shorten(it, end);
	text[end] = kept;
	if (!is_short || it->count == 0) {
		it->count = 0;
		put(it, text, length);
		return;
	}
	put(it, text + end, whole - end);
	put(it, text + from, length - from);
}

char *a2n_short_name(const char *name, enum a2n_detail detail)
{
	const size_t length = strlen(name);
	char *text = strdup(name);
	struct shortening it = { .text = text, .detail = detail };

	if (!text || length >= UINT32_MAX || !may_be_long(name))
		return text;
	it.partner = calloc(length + 1, sizeof(*it.partner));
	it.out = malloc(length + 1);
	if (!it.partner || !it.out) {
		free(it.partner);
		free(it.out);
		return text;
	}
	write_short(&it, text, length);
	it.out[it.count] = '\0';
	free(text);
	free(it.partner);
	return it.out;
}
