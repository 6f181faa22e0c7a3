/* SPDX-License-Identifier: MIT */
/*
 * Each step, over a word w of 8 bytes, is a bijection of the state:
 *
 *	state = (rotl(state, 29) ^ w) * odd constant
 *
 * so that no change of a single word goes unseen, and the rotation takes the
 * highest bits, which multiplication leaves alone, to the others. Two states
 * side by side take no longer than one: 5 cycles a word, most of them waiting.
 */
#include "image/content.h"

#include <string.h>

#define FIRST_FACTOR  UINT64_C(0xd1342543de82ef95)
#define SECOND_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static uint64_t rotate(uint64_t word)
{
	return word << 29 | word >> 35;
}

static void add_word(struct content *content, uint64_t word)
{
	uint64_t *state = content->words;

	state[0] = (rotate(state[0]) ^ word) * FIRST_FACTOR;
	state[1] = (rotate(state[1]) ^ word) * SECOND_FACTOR;
}

/* The number of bytes says where one range ends and the next one begins. */
static void add_range(struct content *content, const void *bytes, size_t count)
{
	struct content c = *content; /* in registers */
	const uint8_t *at = bytes;
	uint64_t word;

	add_word(&c, count);
	for (; count >= sizeof(word); count -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		add_word(&c, word);
		at += sizeof(word);
	}
	word = 0;
	memcpy(&word, at, count);
	add_word(&c, word);
	*content = c;
}

static void add_segments(struct content *content, const struct image *image)
{
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];
		const uint64_t left = segment->p_offset < image->size
					      ? image->size - segment->p_offset
					      : 0;

		if (segment->p_type == PT_LOAD)
			add_range(content, image->bytes + image->size - left,
				  segment->p_filesz < left ? segment->p_filesz
							   : left);
	}
}

/* Symbols and names, which need not be loaded. */
static void add_sections(struct content *content, const struct image *image)
{
	for (uint16_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr *section = &image->sections[i];
		const void *bytes;

		if (section->sh_type != SHT_SYMTAB &&
		    section->sh_type != SHT_STRTAB)
			continue;
		bytes = image_section_bytes(image, section);
		if (bytes)
			add_range(content, bytes, section->sh_size);
	}
}

/* As MurmurHash3 ends: each bit changes half of the others. */
static uint64_t finish(uint64_t state)
{
	state = (state ^ state >> 33) * UINT64_C(0xff51afd7ed558ccd);
	state = (state ^ state >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return state ^ state >> 33;
}

struct content content_of(const struct image *image)
{
	struct content content = { { 1, 2 } };

	add_range(&content, image->bytes, sizeof(Elf64_Ehdr));
	add_range(&content, image->segments,
		  image->segment_count * sizeof(*image->segments));
	add_range(&content, image->sections,
		  image->section_count * sizeof(*image->sections));
	add_segments(&content, image);
	add_sections(&content, image);
	content.words[0] = finish(content.words[0]);
	content.words[1] = finish(content.words[1]) | 1;
	return content;
}
