/* SPDX-License-Identifier: MIT */
/*
 * Functions that libc calls: of sorting, of trees and folders, of streams and
 * formats, and the one of pthread_once(). Where libc holds a lock or a
 * resource meanwhile, nothing jumps or throws past it.
 */
#ifndef CLEW_TESTS_RANDOM_LIBC_H
#define CLEW_TESTS_RANDOM_LIBC_H

#include <dirent.h>
#include <ftw.h>
#include <printf.h>
#include <search.h>

static PLAYED int libc_compare(const void *key, const void *element)
{
	ENTER(libc_compare);
	if (!is_over())
		(*(const function *)key)(7);
	LEAVE();
	return 0;
}

/* The array has one element, so the callback runs once. */
TRUTH_INLINE long move_callback(function body, long n)
{
	char element = 0;

	bsearch(&body, &element, 1, 1, libc_compare);
	return n;
}

/* Calls the function play.pending with surroundings of its own. */
TRUTH_INLINE long libc_call(long n)
{
	struct surroundings outer = play.now;
	function body = play.pending;
	long result = 0;

	be_apart();
	play.now.depth++;
	if (body && !is_over())
		result = body(n);
	play.now = outer;
	play.pending = body;
	return result;
}

/* Calls play.pending where jumps and exceptions may pass libc's frames. */
TRUTH_INLINE long libc_pass(long n)
{
	function body = play.pending;
	long result = 0;

	if (!is_over())
		result = body(n);
	play.pending = body;
	return result;
}

static PLAYED int libc_order(const void *left, const void *right)
{
	int order = *(const int *)left - *(const int *)right;

	ENTER(libc_order);
	libc_pass(order);
	LEAVE();
	return order;
}

TRUTH_INLINE long move_sort(function body, long n)
{
	int elements[4] = { 3, (int)n, 1, 2 };

	play.pending = body;
	qsort(elements, 4, sizeof(elements[0]), libc_order);
	return elements[0] + 2 * elements[3];
}

static PLAYED void libc_visit(const void *node, VISIT visit, int depth)
{
	ENTER(libc_visit);
	if (visit == postorder || visit == leaf)
		libc_call(depth);
	(void)node;
	LEAVE();
}

static PLAYED int libc_key_order(const void *left, const void *right)
{
	ENTER(libc_key_order);
	LEAVE();
	return left < right ? -1 : left > right;
}

static PLAYED void libc_free(void *key)
{
	ENTER(libc_free);
	(void)key;
	LEAVE();
}

TRUTH_INLINE long move_tree(function body, long n)
{
	static const char keys[3] = { 0 };
	void *root = NULL;

	play.pending = body;
	for (int i = 0; i < 3; i++)
		tsearch(&keys[i], &root, libc_key_order);
	twalk(root, libc_visit);
	tdestroy(root, libc_free);
	return n;
}

static PLAYED int libc_file(const char *path, const struct stat *status,
			    int type, struct FTW *place)
{
	ENTER(libc_file);
	libc_call(type + place->level);
	(void)path;
	(void)status;
	LEAVE();
	return 0;
}

static PLAYED int libc_filter(const struct dirent *entry)
{
	ENTER(libc_filter);
	libc_call(entry->d_name[0] == '.');
	LEAVE();
	return 0;
}

TRUTH_INLINE long move_folder(function body, long n)
{
	struct dirent **names = NULL;

	play.pending = body;
	nftw(PLAY_FOLDER, libc_file, 3, FTW_PHYS);
	n += scandir(PLAY_FOLDER, &names, libc_filter, NULL);
	free(names);
	return n;
}

static PLAYED ssize_t libc_write(void *cookie, const char *bytes, size_t size)
{
	ENTER(libc_write);
	libc_call((long)size);
	(void)cookie;
	(void)bytes;
	LEAVE();
	return (ssize_t)size;
}

TRUTH_INLINE long move_stream(function body, long n)
{
	const cookie_io_functions_t functions = { NULL, libc_write, NULL,
						  NULL };
	FILE *file = fopencookie(NULL, "w", functions);

	play.pending = body;
	fprintf(file, "%ld", n);
	fclose(file);
	return n;
}

static PLAYED int libc_print(FILE *file, const struct printf_info *info,
			     const void *const *arguments)
{
	int bytes;

	ENTER(libc_print);
	bytes = fprintf(file, "%ld", libc_call(info->width));
	(void)arguments;
	LEAVE();
	return bytes;
}

static PLAYED int libc_print_size(const struct printf_info *info, size_t count,
				  int *types, int *sizes)
{
	ENTER(libc_print_size);
	if (count > 0) {
		types[0] = PA_INT;
		sizes[0] = sizeof(int);
	}
	(void)info;
	LEAVE();
	return 1;
}

TRUTH_INLINE long move_format(function body, long n)
{
	char text[64];

	play.pending = NULL;
	register_printf_specifier('Y', libc_print, libc_print_size);
	play.pending = body;
	snprintf(text, sizeof(text), "%5Y", (int)n);
	return text[0];
}

static PLAYED void libc_once(void)
{
	ENTER(libc_once);
	libc_pass(1);
	LEAVE();
}

TRUTH_INLINE long move_once(function body, long n)
{
	pthread_once_t once = PTHREAD_ONCE_INIT;

	play.pending = body;
	pthread_once(&once, libc_once);
	return n;
}

#endif
