/* SPDX-License-Identifier: MIT */
/*
 * .eh_frame and .eh_frame_hdr, as in the Linux Standard Base, "Exception
 * Frames". Each record is reached by its own address, so that a length or a
 * pointer can lie only about its own record; and each costs a bounded number
 * of steps, so that the whole takes time linear in the file, whatever it says.
 */
#include "image/eh_frame.h"

#include <errno.h>

#define PE_OMIT 0xff

enum {
	PE_FORMAT = 0x0f,
	PE_ABSPTR = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_BASE = 0x70,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_INDIRECT = 0x80,
};

/* A cursor that knows where it is. */
struct reader {
	struct bytes bytes;
	const uint8_t *start;
	uint64_t vaddr;      /* of start */
	uint64_t data_vaddr; /* what DATAREL counts from */
};

struct cie {
	uint64_t vaddr; /* 0: none */
	struct cfi_rules rules;
	struct bytes program;
	uint8_t encoding; /* of pointers in its FDEs */
	uint8_t has_augmentation;
	uint8_t is_signal_frame;
};

struct walk {
	const struct image *image;
	struct cie cie; /* the last one; mostly the next FDE's too */
	fde_visit visit;
	void *context;
};

static struct reader reader_at(const struct image *image, uint64_t vaddr)
{
	struct bytes bytes = image_bytes_at(image, vaddr);

	return (struct reader){ bytes, bytes.at, vaddr, 0 };
}

static uint64_t reader_vaddr(const struct reader *r)
{
	return r->vaddr + (uint64_t)(r->bytes.at - r->start);
}

/* Bytes of a fixed-size encoding; 0 for those that no linker writes here. */
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

static uint64_t read_number(struct reader *r, uint8_t encoding)
{
	size_t bytes = format_bytes(encoding);

	if (bytes == 0)
		r->bytes.failed = 1;
	if ((encoding & PE_FORMAT) >= PE_SDATA2)
		return (uint64_t)bytes_signed(&r->bytes, bytes ? bytes : 1);
	return bytes_unsigned(&r->bytes, bytes);
}

static uint64_t read_pointer(struct reader *r, uint8_t encoding)
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
 * Cut the reader to the record it stands at and step over the length.
 * *wide is set for the 64-bit form. 0 at the terminator.
 */
static int enter_record(struct reader *r, int *wide)
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

/* The augmentation string's letters say what its data hold. */
static void read_augmentation(struct reader *r, const char *letters,
			      struct cie *cie)
{
	uint64_t bytes = bytes_uleb(&r->bytes);
	struct reader data = *r;

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
			bytes_u8(&data.bytes);
			break;
		case 'P': /* where it points does not matter here */
			read_number(&data, bytes_u8(&data.bytes));
			break;
		case 'S':
			cie->is_signal_frame = 1;
			break;
		default: /* unknown: what follows it cannot be read */
			r->bytes.failed = 1;
			return;
		}
	}
	r->bytes.failed |= data.bytes.failed;
}

/* The letters, or NULL where the record ends within them. */
static const char *read_letters(struct reader *r)
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
	struct reader r = reader_at(image, vaddr);
	struct cie cie = { .vaddr = vaddr };
	const char *letters;
	uint8_t version;
	int wide;

	if (!enter_record(&r, &wide))
		return -EBADMSG;
	if (bytes_unsigned(&r.bytes, wide ? 8 : 4) != 0)
		return -EBADMSG; /* not a CIE */
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

static int find_cie(struct walk *walk, uint64_t vaddr)
{
	if (walk->cie.vaddr == vaddr && vaddr != 0)
		return 0;
	return read_cie(walk->image, vaddr, &walk->cie);
}

/* The reader stands behind the CIE pointer. */
static int read_fde(struct reader *r, const struct cie *cie, struct fde *out)
{
	struct fde fde = { .is_signal_frame = cie->is_signal_frame };
	int entry;

	fde.vaddr = read_pointer(r, cie->encoding);
	fde.size = read_number(r, cie->encoding);
	if (cie->has_augmentation)
		bytes_skip(&r->bytes, bytes_uleb(&r->bytes));
	if (r->bytes.failed)
		return -EBADMSG;
	entry = cfi_entry_of(&cie->rules, cie->program, r->bytes);
	if (entry < 0)
		return entry;
	fde.entry = (enum cfi_entry)entry;
	*out = fde;
	return 0;
}

/*
 * Visit the record at vaddr if it is an FDE. *next: where the one after it
 * begins, or 0 behind the terminator.
 */
static int visit_record(struct walk *walk, uint64_t vaddr, uint64_t *next)
{
	struct reader r = reader_at(walk->image, vaddr);
	uint64_t field_vaddr;
	uint64_t back;
	struct fde fde;
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
		return 0; /* a CIE */
	err = find_cie(walk, field_vaddr - back);
	if (!err)
		err = read_fde(&r, &walk->cie, &fde);
	return err ? err : walk->visit(walk->context, &fde);
}

static int walk_records(struct walk *walk, uint64_t vaddr, uint64_t end)
{
	while (vaddr != 0 && vaddr < end) {
		int err = visit_record(walk, vaddr, &vaddr);

		if (err)
			return err;
	}
	return 0;
}

static int walk_section(struct walk *walk)
{
	const Elf64_Shdr *section = image_section(walk->image, ".eh_frame");

	if (!section || section->sh_type == SHT_NOBITS)
		return 0;
	return walk_records(walk, section->sh_addr,
			    section->sh_addr + section->sh_size);
}

/* Pairs of (first byte, FDE), in the order of the first. */
static int walk_table(struct walk *walk, struct reader *r, uint64_t count,
		      uint8_t encoding)
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

static int walk_header(struct walk *walk, const Elf64_Phdr *segment)
{
	struct reader r = reader_at(walk->image, segment->p_vaddr);
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
	struct walk walk = {
		.image = image,
		.visit = visit,
		.context = context,
	};
	const Elf64_Phdr *segment = image_segment(image, PT_GNU_EH_FRAME);

	return segment ? walk_header(&walk, segment) : walk_section(&walk);
}
