/* SPDX-License-Identifier: MIT */
/* See java_name.h. */
#include "report/model/java_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *primitive_of(char letter)
{
	switch (letter) {
	case 'Z':
		return "boolean";
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'S':
		return "short";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'F':
		return "float";
	case 'D':
		return "double";
	default:
		return NULL;
	}
}

/* Writes the class name between `text` and `end` without its package. */
static void put_short(FILE *out, const char *text, const char *end)
{
	for (const char *at = text; at < end; at++)
		if (*at == '/')
			text = at + 1;
	fwrite(text, 1, (size_t)(end - text), out);
}

/*
 * Writes one type. Returns where the next one begins, or NULL if it is invalid.
 */
static const char *put_type(FILE *out, const char *at)
{
	const char *start = at;
	const char *end, *primitive;
	size_t dimensions;

	while (*at == '[')
		at++;
	dimensions = (size_t)(at - start);
	primitive = primitive_of(*at);
	end = *at == 'L' ? strchr(at, ';') : at;
	if (!end || (*at != 'L' && !primitive))
		return NULL;
	if (primitive)
		fputs(primitive, out);
	else
		put_short(out, at + 1, end);
	while (dimensions-- > 0)
		fputs("[]", out);
	return end + 1;
}

/*
 * Writes the types of the parameters. Returns whether the signature was that of
 * a method and complete.
 */
static int put_parameters(FILE *out, const char *signature)
{
	const char *at = signature + 1;
	const char *lead = "";

	if (*signature != '(')
		return 0;
	fputc('(', out);
	while (at && *at != ')') {
		fputs(lead, out);
		lead = ", ";
		at = put_type(out, at);
	}
	fputc(')', out);
	return at != NULL;
}

/* ---- Classes ---- */

/* Returns the length of a name without its trailing digits. */
static size_t without_digits(const char *name, size_t length)
{
	while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	return length;
}

static int ends_with(const char *name, size_t length, const char *end)
{
	const size_t end_length = strlen(end);

	return length >= end_length &&
	       memcmp(name + length - end_length, end, end_length) == 0;
}

/*
 * Omits the address at the end of a hidden class's name, as in
 * "a/B.0x00007f00": it differs from run to run.
 */
static size_t without_place(const char *name, size_t length)
{
	size_t at = length;

	while (at > 0 && strchr("0123456789abcdef", name[at - 1]))
		at--;
	return at < length && ends_with(name, at, ".0x") ? at - 3 : length;
}

/*
 * Returns the length of a name without its end that differs from run to run,
 * such as the number of a class that the JVM has generated.
 */
static size_t stable_length(const char *name, size_t length)
{
	static const char *const counted[] = {
		"GeneratedMethodAccessor",
		"GeneratedConstructorAccessor",
		"GeneratedSerializationConstructorAccessor",
	};
	size_t whole = without_place(name, length);
	size_t bare = without_digits(name, whole);

	if (bare < whole && ends_with(name, bare, "$$Lambda$"))
		return bare - 1;
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		if (bare < whole && ends_with(name, bare, counted[i]))
			return bare;
	return whole;
}

static void put_class(FILE *out, const char *class_name)
{
	size_t length = strlen(class_name);

	if (length > 2 && class_name[0] == 'L' &&
	    class_name[length - 1] == ';') {
		class_name++;
		length -= 2;
	}
	length = stable_length(class_name, length);
	for (size_t i = 0; i < length; i++)
		fputc(class_name[i] == '/' ? '.' : class_name[i], out);
}

char *java_name_of(const char *class_name, const char *name,
		   const char *signature)
{
	char *text = NULL, *parameters = NULL;
	size_t bytes, parameters_bytes;
	FILE *out = open_memstream(&text, &bytes);
	FILE *list = open_memstream(&parameters, &parameters_bytes);

	if (!out || !list) {
		if (out)
			fclose(out);
		if (list)
			fclose(list);
		free(text);
		free(parameters);
		return memory_printf("%s.%s", class_name, name);
	}
	put_class(out, class_name);
	fprintf(out, ".%s", name);
	if (put_parameters(list, signature)) {
		fclose(list);
		fputs(parameters, out);
	} else {
		fclose(list);
		fputs(signature, out);
	}
	fclose(out);
	free(parameters);
	return text;
}
