/* SPDX-License-Identifier: MIT */
/*
 * <string.h> for libclew.so and the modules in it. Calls in libclew.so lead to
 * these definitions and not to libc's. Other modules do not find them
 * (exports.map).
 *
 * Sanitizers that are linked into the program have fronts of libc's functions
 * that cannot be called yet when clew's constructor runs; other programs have
 * functions of these names; and with --libc libc's functions are hooked.
 *
 * Hot and warm code must not call these functions, because they may use SSE.
 *
 * Parentheses around a name keep it from being a macro, as in glibc 2.43.
 */
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Copies in words of this size; the last one may overlap the one before it. */
#define COPY_WORDS(to, from, bytes, word)                                      \
	do {                                                                   \
		for (size_t at_ = 0; at_ < (bytes) - (word); at_ += (word))    \
			__builtin_memcpy((to) + at_, (from) + at_, word);      \
		__builtin_memcpy((to) + (bytes) - (word),                      \
				 (from) + (bytes) - (word), word);             \
	} while (0)

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	uint8_t *out = to;
	const uint8_t *in = from;

	if (bytes >= 16)
		COPY_WORDS(out, in, bytes, 16);
	else if (bytes >= 4)
		COPY_WORDS(out, in, bytes, 4);
	else
		while (bytes--)
			*out++ = *in++;
	return to;
}

/* Each word is read before it, or a byte beyond it, is written. */
void *memmove(void *to, const void *from, size_t bytes)
{
	uint8_t *out = to;
	const uint8_t *in = from;
	uint64_t word;

	if (out <= in) {
		for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
			__builtin_memcpy(&word, in, sizeof(word));
			__builtin_memcpy(out, &word, sizeof(word));
			in += sizeof(word);
			out += sizeof(word);
		}
		while (bytes--)
			*out++ = *in++;
		return to;
	}
	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		__builtin_memcpy(&word, in + bytes - sizeof(word),
				 sizeof(word));
		__builtin_memcpy(out + bytes - sizeof(word), &word,
				 sizeof(word));
	}
	while (bytes--)
		out[bytes] = in[bytes];
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	const uint64_t word = (uint8_t)value * UINT64_C(0x0101010101010101);
	uint8_t *out = to;

	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		__builtin_memcpy(out, &word, sizeof(word));
		out += sizeof(word);
	}
	while (bytes--)
		*out++ = (uint8_t)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const uint8_t *x = a, *y = b;
	size_t i = 0;

	for (; bytes - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t one, other;

		__builtin_memcpy(&one, x + i, sizeof(one));
		__builtin_memcpy(&other, y + i, sizeof(other));
		if (one != other)
			break;
	}
	for (; i < bytes; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

/* Clang replaces memcmp() by bcmp() where only equality matters. */
int bcmp(const void *a, const void *b, size_t bytes)
{
	return memcmp(a, b, bytes);
}

void *(memchr)(const void *bytes, int value, size_t count)
{
	const uint8_t *at = bytes;

	for (; count; count--, at++)
		if (*at == (uint8_t)value)
			return (void *)at;
	return NULL;
}

size_t strlen(const char *string)
{
	const char *end = string;

	while (*end)
		end++;
	return (size_t)(end - string);
}

size_t strnlen(const char *string, size_t most)
{
	size_t length = 0;

	while (length < most && string[length])
		length++;
	return length;
}

int strncmp(const char *a, const char *b, size_t most)
{
	for (; most; most--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *(strchr)(const char *string, int c)
{
	for (; *string != (char)c; string++)
		if (!*string)
			return NULL;
	return (char *)string;
}

char *(strrchr)(const char *string, int c)
{
	const char *found = NULL;

	for (;; string++) {
		if (*string == (char)c)
			found = string;
		if (!*string)
			return (char *)found;
	}
}

/*
 * Returns the length of the prefix whose characters are all in the set (in), or
 * all not in the set.
 */
static size_t span(const char *string, const char *set, int in)
{
	size_t length = 0;

	while (string[length] && !strchr(set, string[length]) == !in)
		length++;
	return length;
}

size_t strspn(const char *string, const char *set)
{
	return span(string, set, 1);
}

size_t strcspn(const char *string, const char *set)
{
	return span(string, set, 0);
}

char *(strstr)(const char *string, const char *wanted)
{
	const size_t bytes = strlen(wanted);

	for (; strncmp(string, wanted, bytes) != 0; string++)
		if (!*string)
			return NULL;
	return (char *)string;
}

/*
 * Implements Horspool's algorithm: the last byte of the compared window
 * determines how far to advance.
 */
void *memmem(const void *bytes, size_t count, const void *wanted, size_t length)
{
	const uint8_t *at = bytes, *pattern = wanted;
	uint8_t skip[UINT8_MAX + 1];

	if (!length)
		return (void *)bytes;
	memset(skip, length < UINT8_MAX ? (int)length : UINT8_MAX,
	       sizeof(skip));
	for (size_t i = 0; i + 1 < length; i++)
		if (length - 1 - i < skip[pattern[i]])
			skip[pattern[i]] = (uint8_t)(length - 1 - i);
	while (count >= length) {
		const uint8_t last = at[length - 1];

		if (last == pattern[length - 1] && !memcmp(at, pattern, length))
			return (void *)at;
		at += skip[last];
		count -= skip[last];
	}
	return NULL;
}

char *stpcpy(char *restrict to, const char *restrict from)
{
	while ((*to = *from++))
		to++;
	return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t bytes)
{
	const size_t length = strnlen(from, bytes);

	memcpy(to, from, length);
	memset(to + length, 0, bytes - length);
	return to;
}

char *strsep(char **rest, const char *separators)
{
	char *token = *rest;

	if (!token)
		return NULL;
	*rest += strcspn(token, separators);
	if (**rest)
		*(*rest)++ = '\0';
	else
		*rest = NULL;
	return token;
}
