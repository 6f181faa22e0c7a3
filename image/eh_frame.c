/* SPDX-License-Identifier: MIT */
/*
 * See eh_frame.h. .eh_frame and .eh_frame_hdr, as in the Linux Standard Base,
 * "Exception Frames". Each record is read at its own address, so a wrong length
 * or pointer affects only that record. Each record takes a bounded number of
 * steps, so the total time is linear in the file's size, whatever it contains.
 */
#include "image/eh_frame.h"

#include <errno.h>

#define PE_OMIT 0xff

enum {
	PE_FORMAT = 0x0f,
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_BASE = 0x70,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_INDIRECT = 0x80,
};

/* A cursor in unwind information that knows its own address. */
struct eh_frame_reader {
	struct bytes bytes;
	const uint8_t *start;
	uint64_t vaddr;      /* virtual address of the byte at start */
	uint64_t data_vaddr; /* base of pointers with the encoding DATAREL */
};

struct fde_walk {
	struct eh_frame frames;
	fde_visit visit;
	void *context;
};

static struct eh_frame_reader reader_at(const struct image *image,
					uint64_t vaddr)
{
	struct bytes bytes = image_bytes_at(image, vaddr);

	return (struct eh_frame_reader){ bytes, bytes.at, vaddr, 0 };
}

static uint64_t reader_vaddr(const struct eh_frame_reader *r)
{
	return r->vaddr + (uint64_t)(r->bytes.at - r->start);
}

/*
 * Returns the size of a fixed-size encoding; 0 for encodings that linkers do
 * not use here.
 */
static uint8_t format_bytes(uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_UDATA2:
	case PE_SDATA2:
		return 2;
	case PE_UDATA4:
	case PE_SDATA4:
		return 4;
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t read_number(struct eh_frame_reader *r, uint8_t encoding)
{
	size_t bytes = format_bytes(encoding);

	if ((encoding & PE_FORMAT) == PE_ULEB128)
		return bytes_uleb(&r->bytes);
	if ((encoding & PE_FORMAT) == PE_SLEB128)
		return (uint64_t)bytes_sleb(&r->bytes);
	if (bytes == 0)
		r->bytes.failed = 1;
	if ((encoding & PE_FORMAT) >= PE_SDATA2)
		return (uint64_t)bytes_signed(&r->bytes, bytes ? bytes : 1);
	return bytes_unsigned(&r->bytes, bytes);
}

static uint64_t read_pointer(struct eh_frame_reader *r, uint8_t encoding)
{
	uint64_t field_vaddr = reader_vaddr(r);
	uint64_t value = read_number(r, encoding);

	if (encoding & PE_INDIRECT)
		r->bytes.failed = 1;
	switch (encoding & PE_BASE) {
	case PE_ABSPTR:
		return value;
	case PE_PCREL:
		return value + field_vaddr;
	case PE_DATAREL:
		return value + r->data_vaddr;
	default:
		r->bytes.failed = 1;
		return 0;
	}
}

/*
 * Limits the reader to the record at its position and skips the length. Sets
 * *wide for the 64-bit form. Returns 0 at the terminator.
 */
static int enter_record(struct eh_frame_reader *r, int *wide)
{
	uint64_t length = bytes_unsigned(&r->bytes, 4);

	*wide = length == UINT32_MAX;
	if (*wide)
		length = bytes_unsigned(&r->bytes, 8);
	if (length > bytes_left(&r->bytes))
		r->bytes.failed = 1;
	else
		r->bytes.end = r->bytes.at + length;
	return length != 0 && !r->bytes.failed;
}

/*
 * Reads the augmentation data of a CIE. The letters of the augmentation string
 * determine its contents.
 */
static void read_augmentation(struct eh_frame_reader *r, const char *letters,
			      struct cie *cie)
{
	uint64_t bytes = bytes_uleb(&r->bytes);
	struct eh_frame_reader data = *r;

	bytes_skip(&r->bytes, bytes);
	if (r->bytes.failed)
		return;
	data.bytes.end = r->bytes.at;
	cie->has_augmentation = 1;
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = bytes_u8(&data.bytes);
			break;
		case 'L':
			cie->lsda_encoding = bytes_u8(&data.bytes);
			break;
		case 'P': /* the personality routine is not needed */
			read_number(&data, bytes_u8(&data.bytes));
			break;
		case 'S':
			cie->is_signal_frame = 1;
			break;
		default: /* the letter is unknown, so the rest cannot be read */
			r->bytes.failed = 1;
			return;
		}
	}
	r->bytes.failed |= data.bytes.failed;
}

/* Returns the letters, or NULL if the record ends within them. */
static const char *read_letters(struct eh_frame_reader *r)
{
	const char *letters = (const char *)r->bytes.at;
	size_t room = bytes_left(&r->bytes);
	size_t length = strnlen(letters, room < 8 ? room : 8);

	bytes_skip(&r->bytes, length + 1);
	if (length == 8)
		r->bytes.failed = 1;
	return r->bytes.failed ? NULL : letters;
}

static int read_cie(const struct image *image, uint64_t vaddr, struct cie *out)
{
	struct eh_frame_reader r = reader_at(image, vaddr);
	struct cie cie = { .vaddr = vaddr, .lsda_encoding = PE_OMIT };
	const char *letters;
	uint8_t version;
	int wide;

	if (!enter_record(&r, &wide))
		return -EBADMSG;
	if (bytes_unsigned(&r.bytes, wide ? 8 : 4) != 0)
		return -EBADMSG; /* the record is no CIE */
	version = bytes_u8(&r.bytes);
	letters = read_letters(&r);
	if (!letters || (version != 1 && version != 3))
		return -EBADMSG;
	cie.rules.code_alignment = bytes_uleb(&r.bytes);
	cie.rules.data_alignment = bytes_sleb(&r.bytes);
	cie.rules.return_column =
		version == 1 ? bytes_u8(&r.bytes) : bytes_uleb(&r.bytes);
	if (*letters == 'z')
		read_augmentation(&r, letters, &cie);
	else if (*letters)
		return -EBADMSG;
	cie.rules.pointer_bytes = format_bytes(cie.encoding);
	cie.program = r.bytes;
	if (r.bytes.failed)
		return -EBADMSG;
	*out = cie;
	return 0;
}

static int find_cie(struct eh_frame *frames, uint64_t vaddr)
{
	if (frames->cie.vaddr == vaddr && vaddr != 0)
		return 0;
	return read_cie(frames->image, vaddr, &frames->cie);
}

/*
 * Returns the address of the function's exception table, or 0. No other part of
 * the augmentation is used.
 */
static uint64_t read_lsda(struct eh_frame_reader *r, const struct cie *cie)
{
	struct eh_frame_reader raw = *r;

	if (cie->lsda_encoding == PE_OMIT ||
	    read_number(&raw, cie->lsda_encoding) == 0)
		return 0;
	return read_pointer(r, cie->lsda_encoding);
}

/* Reads an FDE; the reader is after the CIE pointer. */
static int read_fde(struct eh_frame_reader *r, const struct cie *cie,
		    struct fde *out)
{
	struct fde fde = {
		.record_vaddr = r->vaddr,
		.is_signal_frame = cie->is_signal_frame,
		.rules = &cie->rules,
		.cie_program = cie->program,
	};
	struct eh_frame_reader augmentation;
	int entry;

	fde.vaddr = read_pointer(r, cie->encoding);
	fde.size = read_number(r, cie->encoding);
	if (cie->has_augmentation) {
		uint64_t bytes = bytes_uleb(&r->bytes);

		augmentation = *r;
		bytes_skip(&r->bytes, bytes);
		augmentation.bytes.end = r->bytes.at;
		fde.lsda_vaddr = read_lsda(&augmentation, cie);
	}
	if (r->bytes.failed)
		return -EBADMSG;
	fde.fde_program = r->bytes;
	entry = cfi_entry_of(&cie->rules, cie->program, r->bytes);
	if (entry < 0)
		return entry;
	fde.entry = (enum cfi_entry)entry;
	*out = fde;
	return 0;
}

/*
 * Reads the record at vaddr. Returns 1 for an FDE, 0 otherwise, or -EBADMSG.
 * *next is the start of the next record, or 0 after the terminator.
 */
static int read_record(struct eh_frame *frames, uint64_t vaddr, uint64_t *next,
		       struct fde *out)
{
	struct eh_frame_reader r = reader_at(frames->image, vaddr);
	uint64_t field_vaddr;
	uint64_t back;
	int wide;
	int err;

	*next = 0;
	if (!enter_record(&r, &wide))
		return r.bytes.failed ? -EBADMSG : 0;
	*next = vaddr + (uint64_t)(r.bytes.end - r.start);
	field_vaddr = reader_vaddr(&r);
	back = bytes_unsigned(&r.bytes, wide ? 8 : 4);
	if (r.bytes.failed)
		return -EBADMSG;
	if (back == 0)
		return 0; /* the record is a CIE */
	err = find_cie(frames, field_vaddr - back);
	if (!err)
		err = read_fde(&r, &frames->cie, out);
	return err ? err : 1;
}

static int visit_record(struct fde_walk *walk, uint64_t vaddr, uint64_t *next)
{
	struct fde fde;
	int found = read_record(&walk->frames, vaddr, next, &fde);

	return found == 1 ? walk->visit(walk->context, &fde) : found;
}

static int walk_records(struct fde_walk *walk, uint64_t vaddr, uint64_t end)
{
	while (vaddr != 0 && vaddr < end) {
		int err = visit_record(walk, vaddr, &vaddr);

		if (err)
			return err;
	}
	return 0;
}

static int walk_section(struct fde_walk *walk)
{
	const Elf64_Shdr *section =
		image_section(walk->frames.image, ".eh_frame");

	if (!section || section->sh_type == SHT_NOBITS)
		return 0;
	return walk_records(walk, section->sh_addr,
			    section->sh_addr + section->sh_size);
}

/* Reads pairs of (first byte, FDE), in order of the first byte. */
static int walk_table(struct fde_walk *walk, struct eh_frame_reader *r,
		      uint64_t count, uint8_t encoding)
{
	size_t pair_bytes = 2 * (size_t)format_bytes(encoding);

	if (pair_bytes == 0 || count > bytes_left(&r->bytes) / pair_bytes)
		return -EBADMSG;
	while (count-- > 0) {
		uint64_t next;
		uint64_t vaddr;
		int err;

		read_pointer(r, encoding);
		vaddr = read_pointer(r, encoding);
		if (r->bytes.failed)
			return -EBADMSG;
		err = visit_record(walk, vaddr, &next);
		if (err)
			return err;
	}
	return 0;
}

static int walk_header(struct fde_walk *walk, const Elf64_Phdr *segment)
{
	struct eh_frame_reader r =
		reader_at(walk->frames.image, segment->p_vaddr);
	uint8_t version = bytes_u8(&r.bytes);
	uint8_t frame_encoding = bytes_u8(&r.bytes);
	uint8_t count_encoding = bytes_u8(&r.bytes);
	uint8_t table_encoding = bytes_u8(&r.bytes);
	uint64_t frame_vaddr;

	r.data_vaddr = segment->p_vaddr;
	frame_vaddr = read_pointer(&r, frame_encoding);
	if (r.bytes.failed || version != 1)
		return -EBADMSG;
	if (count_encoding == PE_OMIT || table_encoding == PE_OMIT)
		return walk_records(walk, frame_vaddr, UINT64_MAX);
	return walk_table(walk, &r, read_pointer(&r, count_encoding),
			  table_encoding);
}

int eh_frame_walk(const struct image *image, fde_visit visit, void *context)
{
	struct fde_walk walk = {
		.frames = { .image = image },
		.visit = visit,
		.context = context,
	};
	const Elf64_Phdr *segment = image_segment(image, PT_GNU_EH_FRAME);

	return segment ? walk_header(&walk, segment) : walk_section(&walk);
}

int eh_frame_read(struct eh_frame *frames, uint64_t record_vaddr,
		  struct fde *out)
{
	uint64_t next;
	int found = read_record(frames, record_vaddr, &next, out);

	if (found == 0)
		return -EBADMSG;
	return found < 0 ? found : 0;
}

/*
 * Reads the table's head: the base of the landing pads, their encoding, and the
 * size of the entries that follow.
 */
static uint8_t read_lsda_head(struct eh_frame_reader *r,
			      uint64_t *landing_start)
{
	uint8_t encoding = bytes_u8(&r->bytes);
	uint64_t bytes;

	if (encoding != PE_OMIT)
		*landing_start = read_pointer(r, encoding);
	/* The byte is the encoding of the types. */
	if (bytes_u8(&r->bytes) != PE_OMIT)
		bytes_uleb(&r->bytes); /* the end of the types is not needed */
	encoding = bytes_u8(&r->bytes);
	bytes = bytes_uleb(&r->bytes);
	if (bytes > bytes_left(&r->bytes))
		r->bytes.failed = 1;
	else
		r->bytes.end = r->bytes.at + bytes;
	return encoding;
}

/*
 * Visits the landing pads in a function's table. A table has at most as many
 * entries as its function has bytes, so the time is linear.
 */
int eh_frame_walk_landings(const struct image *image, const struct fde *fde,
			   landing_visit visit, void *context)
{
	struct eh_frame_reader r = reader_at(image, fde->lsda_vaddr);
	uint64_t landing_start = fde->vaddr;
	uint8_t encoding = read_lsda_head(&r, &landing_start);
	uint64_t entries = fde->size;

	while (bytes_left(&r.bytes) > 0 && !r.bytes.failed && entries-- > 0) {
		uint64_t landing;
		int err;

		/* skips the start of the range of calls */
		read_number(&r, encoding);
		read_number(&r, encoding); /* skips the size of that range */
		landing = read_number(&r, encoding);
		bytes_uleb(&r.bytes); /* skips the action */
		if (r.bytes.failed || landing == 0)
			continue;
		err = visit(context, landing_start + landing);
		if (err)
			return err;
	}
	return r.bytes.failed ? -EBADMSG : 0;
}
