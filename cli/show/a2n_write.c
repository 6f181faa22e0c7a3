/* SPDX-License-Identifier: MIT */
/* See a2n_write.h. */
#include "cli/show/a2n_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"

enum { BUFFER_BYTES = 256 * 1024, NUMBER_BYTES = 24 };

void a2n_writer_init(struct a2n_writer *writer)
{
	*writer = (struct a2n_writer){
		.buffer = memory_zeroed(1, BUFFER_BYTES),
	};
}

static void write_out(struct a2n_writer *writer, const char *bytes,
		      size_t count)
{
	while (count > 0 && !writer->failed) {
		ssize_t written = write(STDOUT_FILENO, bytes, count);

		if (written < 0) {
			if (errno != EINTR)
				writer->failed = errno;
			continue;
		}
		bytes += written;
		count -= (size_t)written;
	}
}

int a2n_writer_flush(struct a2n_writer *writer)
{
	write_out(writer, writer->buffer, writer->used);
	writer->used = 0;
	return -writer->failed;
}

int a2n_writer_fini(struct a2n_writer *writer)
{
	int err = a2n_writer_flush(writer);

	free(writer->buffer);
	return err;
}

static void put(struct a2n_writer *writer, const char *text, size_t length)
{
	if (length > BUFFER_BYTES - writer->used) {
		a2n_writer_flush(writer);
		if (length > BUFFER_BYTES) {
			write_out(writer, text, length);
			return;
		}
	}
	memcpy(writer->buffer + writer->used, text, length);
	writer->used += length;
}

static void put_text(struct a2n_writer *writer, const char *text)
{
	put(writer, text, strlen(text));
}

static void put_number(struct a2n_writer *writer, uint64_t number,
		       unsigned int base, unsigned int digits)
{
	char text[NUMBER_BYTES];
	char *at = text + sizeof(text);

	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number || (size_t)(text + sizeof(text) - at) < digits);
	put(writer, at, (size_t)(text + sizeof(text) - at));
}

/* ---- Text ---- */

/*
 * Returns whether a text is ASCII. Such a text was made printable when it was
 * read; other texts may still have to be.
 */
static int is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] >= 0x80)
			return 0;
	return 1;
}

/*
 * Writes text with "?" for each byte of control characters and of characters
 * that reorder text.
 */
static void put_printable(struct a2n_writer *writer, const char *text,
			  size_t length)
{
	char *copy;

	if (is_ascii(text, length)) {
		put(writer, text, length);
		return;
	}
	copy = text_printable(memory_string(text, length));
	put(writer, copy, length);
	free(copy);
}

static void put_name(struct a2n_writer *writer, const struct a2n_frame *frame)
{
	if (!frame->name)
		put_text(writer, "??");
	else if (writer->demangles)
		put_printable(writer, frame->name, frame->name_length);
	else
		put_printable(writer, frame->symbol, frame->symbol_length);
}

static void put_file(struct a2n_writer *writer, const struct a2n_frame *frame)
{
	const char *file = frame->file;
	size_t length = frame->file_length;
	const char *slash;

	if (!file) {
		put_text(writer, "??");
		return;
	}
	slash = writer->only_basenames ? memrchr(file, '/', length) : NULL;
	if (slash) {
		length -= (size_t)(slash + 1 - file);
		file = slash + 1;
	}
	put_printable(writer, file, length);
}

/*
 * Writes the file and line of a frame. addr2line writes "file:?" for an unknown
 * line and "??:0" for an unknown file, llvm-symbolizer "??:0:0".
 */
static void put_place(struct a2n_writer *writer, const struct a2n_frame *frame)
{
	put_file(writer, frame);
	put_text(writer, ":");
	if (writer->style == STYLE_LLVM) {
		put_number(writer, frame->line, 10, 1);
		put_text(writer, ":");
		put_number(writer, frame->column, 10, 1);
	} else if (frame->line == 0 && frame->file) {
		put_text(writer, "?");
	} else {
		put_number(writer, frame->line, 10, 1);
	}
	if (writer->style == STYLE_ADDR2LINE && frame->discriminator) {
		put_text(writer, " (discriminator ");
		put_number(writer, frame->discriminator, 10, 1);
		put_text(writer, ")");
	}
	put_text(writer, "\n");
}

static void put_address(struct a2n_writer *writer, uint64_t address)
{
	put_text(writer, "0x");
	put_number(writer, address, 16,
		   writer->style == STYLE_ADDR2LINE ? 16 : 1);
}

static void put_frame(struct a2n_writer *writer, const struct a2n_frame *frame)
{
	if (writer->shows_functions) {
		put_name(writer, frame);
		put_text(writer, writer->is_pretty ? " at " : "\n");
	}
	put_place(writer, frame);
}

static void write_text(struct a2n_writer *writer, uint64_t address,
		       const struct a2n_frame *frames, size_t count)
{
	static const struct a2n_frame unknown;

	if (writer->shows_addresses) {
		put_address(writer, address);
		put_text(writer, writer->is_pretty ? ": " : "\n");
	}
	if (count == 0)
		put_frame(writer, &unknown);
	else if (!writer->shows_inlined)
		put_frame(writer, &frames[0]);
	for (size_t i = 0; writer->shows_inlined && i < count; i++) {
		if (writer->is_pretty && i > 0)
			put_text(writer, " (inlined by) ");
		put_frame(writer, &frames[i]);
	}
	if (writer->style == STYLE_LLVM)
		put_text(writer, "\n");
}

/* ---- JSON ---- */

static void put_json_string(struct a2n_writer *writer, const char *text,
			    size_t length)
{
	size_t from = 0;

	put_text(writer, "\"");
	for (size_t i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (c >= ' ' && c != '"' && c != '\\')
			continue;
		put(writer, text + from, i - from);
		from = c < ' ' ? i + 1 : i;
		put_text(writer, c < ' ' ? "\\u" : "\\");
		if (c < ' ')
			put_number(writer, c, 16, 4);
	}
	put(writer, text + from, length - from);
	put_text(writer, "\"");
}

static void put_json_number(struct a2n_writer *writer, const char *key,
			    uint64_t number)
{
	if (number == 0)
		return;
	put_text(writer, key);
	put_number(writer, number, 10, 1);
}

static void put_json_frame(struct a2n_writer *writer,
			   const struct a2n_frame *frame)
{
	put_text(writer, "{\"function\":");
	if (frame->name)
		put_json_string(writer, frame->name, frame->name_length);
	else
		put_text(writer, "null");
	if (frame->symbol && frame->symbol != frame->name) {
		put_text(writer, ",\"symbol\":");
		put_json_string(writer, frame->symbol, frame->symbol_length);
	}
	if (frame->file) {
		put_text(writer, ",\"file\":");
		put_json_string(writer, frame->file, frame->file_length);
	}
	put_json_number(writer, ",\"line\":", frame->line);
	put_json_number(writer, ",\"column\":", frame->column);
	put_json_number(writer, ",\"discriminator\":", frame->discriminator);
	put_text(writer, frame->is_inlined ? ",\"inlined\":true}" : "}");
}

static void put_json_address(struct a2n_writer *writer, const char *key,
			     uint64_t address)
{
	put_text(writer, key);
	put_text(writer, "\"0x");
	put_number(writer, address, 16, 1);
	put_text(writer, "\"");
}

static void put_json_frames(struct a2n_writer *writer,
			    const struct a2n_frame *frames, size_t count)
{
	put_text(writer, ",\"frames\":[");
	for (size_t i = 0; i < count; i++) {
		put_text(writer, i > 0 ? "," : "");
		put_json_frame(writer, &frames[i]);
	}
	put_text(writer, "]}\n");
}

/* ---- Public functions ---- */

void a2n_write(struct a2n_writer *writer, uint64_t address,
	       const struct a2n_frame *frames, size_t count)
{
	if (writer->style != STYLE_JSON) {
		write_text(writer, address, frames, count);
		return;
	}
	put_json_address(writer, "{\"address\":", address);
	put_json_frames(writer, frames, count);
}

void a2n_write_range(struct a2n_writer *writer, const struct a2n_range *range,
		     const struct a2n_frame *frames, size_t count)
{
	if (writer->style == STYLE_JSON) {
		put_json_address(writer, "{\"start\":", range->start);
		put_json_address(writer, ",\"end\":", range->end);
		put_json_frames(writer, frames, count);
		return;
	}
	put_number(writer, range->start, 16, 16);
	put_text(writer, " ");
	put_number(writer, range->end, 16, 16);
	for (size_t i = 0; i < count; i++) {
		put_text(writer, i > 0 ? " <- " : " ");
		put_name(writer, &frames[i]);
		if (!frames[i].file)
			continue;
		put_text(writer, " ");
		put_file(writer, &frames[i]);
		put_text(writer, ":");
		put_number(writer, frames[i].line, 10, 1);
	}
	put_text(writer, "\n");
}

void a2n_write_junk(struct a2n_writer *writer, const char *text)
{
	switch (writer->style) {
	case STYLE_ADDR2LINE:
		a2n_write(writer, 0, NULL, 0);
		return;
	case STYLE_LLVM:
		put_text(writer, text);
		put_text(writer, "\n");
		return;
	case STYLE_JSON:
		put_text(writer, "{\"input\":");
		put_json_string(writer, text, strlen(text));
		put_json_frames(writer, NULL, 0);
		return;
	}
}
