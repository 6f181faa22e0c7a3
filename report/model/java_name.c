/* SPDX-License-Identifier: MIT */
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

/* The class in `text`, to `end`, without its package. */
static void put_short(FILE *out, const char *text, const char *end)
{
	for (const char *at = text; at < end; at++)
		if (*at == '/')
			text = at + 1;
	fwrite(text, 1, (size_t)(end - text), out);
}

/* One type; where the next one begins, or NULL if it is none. */
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

/* Whether it was one of a method. */
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

static void put_class(FILE *out, const char *class_name)
{
	const size_t length = strlen(class_name);
	const int is_signature = length > 2 && class_name[0] == 'L' &&
				 class_name[length - 1] == ';';

	for (size_t i = is_signature; i < length - (size_t)is_signature; i++)
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
