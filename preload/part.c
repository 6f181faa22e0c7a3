/* SPDX-License-Identifier: MIT */
#include "preload/part.h"

#include "preload/text.h"

#define ROUND_UP(n)                                                            \
	(((n) + WIRE_PAGE_BYTES - 1) & ~(uint64_t)(WIRE_PAGE_BYTES - 1))

static struct wire_header nowhere; /* see part_create_nowhere() */

/* High up, where no program expects the descriptors it is about to open. */
static int move_fd_up(int fd)
{
	struct rlimit limit;
	long at = -1;

	if (!sys_call(SYS_getrlimit, RLIMIT_NOFILE, (long)&limit, 0, 0, 0, 0))
		at = limit.rlim_cur > 1024 ? 1000 : (long)limit.rlim_cur - 24;
	if (at > fd)
		at = sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, at, 0, 0, 0);
	if (at < 0)
		return fd;
	sys_close(fd);
	return (int)at;
}

static int is_our_file(const struct part *part, int fd)
{
	struct stat st;

	return fd >= 0 && !sys_fstat(fd, &st) && st.st_dev == part->dev &&
	       st.st_ino == part->ino;
}

/*
 * The descriptor of the file, even if the program has closed ours (daemons
 * close all they find) or opened something else in its place.
 */
static int part_fd(struct part *part)
{
	int fd;

	if (is_our_file(part, part->fd))
		return part->fd;
	fd = sys_open(part->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	if (!is_our_file(part, fd)) {
		sys_close(fd);
		return -ESTALE;
	}
	part->fd = move_fd_up(fd);
	return part->fd;
}

/* Real zeroed blocks for [offset, offset + bytes), the file growing to it. */
static int reserve_blocks(int fd, uint64_t offset, uint64_t bytes)
{
	static const char zeros[WIRE_PAGE_BYTES];
	int err = sys_fallocate(fd, 0, (off_t)offset, (off_t)bytes);

	if (err != -EOPNOTSUPP && err != -ENOSYS)
		return err;
	for (uint64_t at = 0; at < bytes; at += sizeof(zeros)) {
		long n = sys_pwrite(fd, zeros, sizeof(zeros),
				    (off_t)(offset + at));

		if (n != sizeof(zeros))
			return n < 0 ? (int)n : -ENOSPC;
	}
	return 0;
}

/* The program may change it at any time. */
static uint64_t file_size_limit(void)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };

	sys_call(SYS_getrlimit, RLIMIT_FSIZE, (long)&limit, 0, 0, 0, 0);
	return limit.rlim_cur;
}

/* Map [offset, offset + bytes) of the part, making it exist. */
static int map_new(struct part *part, uint64_t offset, uint64_t bytes,
		   void **out)
{
	void *address;
	int err, fd;

	if (part->header == &nowhere)
		return -ENOSPC;
	if (part->is_private) {
		address = sys_map_private(bytes);
		goto check;
	}
	if (offset + bytes > file_size_limit())
		return -EFBIG; /* the kernel would send SIGXFSZ */
	fd = part_fd(part);
	if (fd < 0)
		return fd;
	err = reserve_blocks(fd, offset, bytes);
	if (err)
		return err;
	address = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   (off_t)offset);
check:
	if (sys_failed(address))
		return (int)(long)address;
	*out = address;
	return 0;
}

/* In an order that a fork in another thread may come in between of. */
static void replace_mapped(struct part *part, struct chunk *grown,
			   uint32_t room)
{
	struct chunk *old = part->mapped;
	uint32_t old_room = part->mapped_room;

	__atomic_store_n(&part->mapped, grown, __ATOMIC_RELEASE);
	__atomic_store_n(&part->mapped_room, room, __ATOMIC_RELEASE);
	if (old)
		sys_munmap(old, old_room * sizeof(*old));
}

static int remember_mapping(struct part *part, const struct chunk *chunk)
{
	uint32_t room = part->mapped_room ? part->mapped_room * 2 : 256;
	struct chunk *grown;

	if (part->mapped_count == part->mapped_room) {
		grown = sys_map_private(room * sizeof(*grown));
		if (sys_failed(grown))
			return -ENOMEM;
		copy_bytes(grown, part->mapped,
			   part->mapped_count * sizeof(*grown));
		replace_mapped(part, grown, room);
	}
	part->mapped[part->mapped_count] = *chunk;
	__atomic_store_n(&part->mapped_count, part->mapped_count + 1,
			 __ATOMIC_RELEASE);
	return 0;
}

/*
 * Take back blocks that part_free() gave to the file system: the first `bytes`
 * of the chunk, and a page for what may follow.
 */
static int revive_blocks(struct part *part, const struct chunk *chunk,
			 uint64_t bytes)
{
	int err, fd;

	if (part->is_private)
		return 0;
	fd = part_fd(part);
	if (fd < 0)
		return fd;
	if (chunk->bytes > bytes)
		bytes += WIRE_PAGE_BYTES;
	err = sys_fallocate(fd, 0, (off_t)chunk->offset, (off_t)bytes);
	/* Where that is not supported no hole could be punched either. */
	return err == -EOPNOTSUPP || err == -ENOSYS ? 0 : err;
}

/*
 * Leave the first `bytes` of a free chunk as one and make another of the rest.
 * A reader that comes between the stores sees the one or the other.
 */
static void split_chunk(struct chunk *chunk, uint64_t bytes, struct chunk *rest)
{
	struct wire_chunk *head =
		(struct wire_chunk *)((unsigned char *)chunk->head + bytes);

	*rest = (struct chunk){ .head = head,
				.offset = chunk->offset + bytes,
				.bytes = chunk->bytes - bytes };
	head->bytes = rest->bytes;
	chunk->bytes = bytes;
	__atomic_store_n(&chunk->head->bytes, bytes, __ATOMIC_RELEASE);
}

/* The first unused chunk that is large enough, cut to size. */
static int take_unused(struct part *part, uint64_t bytes, struct chunk *out)
{
	for (uint32_t i = 0; i < part->unused_count; i++) {
		struct chunk *unused = &part->unused[i];
		struct chunk whole = *unused;

		if (whole.bytes < bytes || revive_blocks(part, &whole, bytes))
			continue;
		if (whole.bytes > bytes)
			split_chunk(&whole, bytes, unused);
		else
			*unused = part->unused[--part->unused_count];
		*out = whole;
		return 1;
	}
	return 0;
}

static int append_chunk(struct part *part, uint64_t bytes, struct chunk *out)
{
	uint64_t end = part->header->end;
	void *address;
	int err = map_new(part, end, bytes, &address);

	if (err)
		return err;
	*out = (struct chunk){ .head = address, .offset = end, .bytes = bytes };
	err = remember_mapping(part, out);
	if (err)
		sys_munmap(address, bytes);
	return err;
}

int part_alloc(struct part *part, enum wire_chunk_kind kind, uint32_t owner,
	       uint64_t bytes, struct chunk *out)
{
	uint64_t signals, end;
	int err = 0;

	bytes = ROUND_UP(bytes + sizeof(struct wire_chunk));
	lock_acquire(&part->lock, &signals);
	if (!take_unused(part, bytes, out))
		err = append_chunk(part, bytes, out);
	if (!err) {
		out->head->owner = owner;
		out->head->bytes = out->bytes;
		atomic_store_explicit(&out->head->kind, kind,
				      memory_order_release);
		end = out->offset + out->bytes;
		if (end > part->header->end) /* pairs with the reader's load */
			atomic_store_explicit(&part->header->end, end,
					      memory_order_release);
	}
	lock_release(&part->lock, &signals);
	return err;
}

/* Zero a chunk behind its head, giving the blocks back where that is known. */
static void zero_payload(struct part *part, const struct chunk *chunk)
{
	unsigned char *at = (unsigned char *)chunk->head;
	uint64_t first = WIRE_PAGE_BYTES - sizeof(*chunk->head);
	int fd = part->is_private ? -1 : part_fd(part);

	fill_zero(chunk->head + 1, first);
	if (fd >= 0 &&
	    !sys_fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			   (off_t)(chunk->offset + WIRE_PAGE_BYTES),
			   (off_t)(chunk->bytes - WIRE_PAGE_BYTES)))
		return;
	fill_zero(at + WIRE_PAGE_BYTES, chunk->bytes - WIRE_PAGE_BYTES);
}

static void clear(struct part *part, const struct chunk *chunk)
{
	atomic_store(&chunk->head->kind, WIRE_FREE);
	zero_payload(part, chunk);
}

void part_free(struct part *part, const struct chunk *chunk)
{
	uint64_t signals;

	lock_acquire(&part->lock, &signals);
	clear(part, chunk);
	if (part->unused_count < PART_FREE_MAX)
		part->unused[part->unused_count++] = *chunk;
	lock_release(&part->lock, &signals);
}

void part_retire(struct part *part, const struct chunk *chunk)
{
	uint64_t signals;

	lock_acquire(&part->lock, &signals);
	clear(part, chunk);
	lock_release(&part->lock, &signals);
}

/* Create the file under the first free sequence number. */
static int create_file(struct part *part, const char *dir, uint32_t pid,
		       uint32_t *seq)
{
	for (*seq = 0; *seq < 1000000; ++*seq) {
		struct text text = text_in(part->path, sizeof(part->path));
		int fd;

		text_string(&text, dir);
		text_string(&text, "/");
		text_number(&text, pid);
		text_string(&text, ".");
		text_number(&text, *seq);
		text_string(&text, WIRE_PART_SUFFIX);
		if (text_was_cut(&text))
			return -ENAMETOOLONG;
		fd = sys_open(part->path,
			      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC |
				      O_NOFOLLOW,
			      0600);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

static int open_file(struct part *part, const char *dir, uint32_t pid,
		     uint32_t *seq)
{
	struct stat st;
	int err, fd = create_file(part, dir, pid, seq);

	if (fd < 0)
		return fd;
	err = sys_fstat(fd, &st);
	if (err) {
		sys_close(fd);
		return err;
	}
	part->dev = st.st_dev;
	part->ino = st.st_ino;
	part->fd = move_fd_up(fd);
	return 0;
}

static void begin_header(struct part *part, struct wire_header *header,
			 uint32_t pid, uint32_t seq)
{
	header->version = WIRE_VERSION;
	header->header_bytes = WIRE_HEADER_BYTES;
	header->end = WIRE_HEADER_BYTES;
	header->state = WIRE_STARTING;
	header->origin = seq ? WIRE_FROM_EXEC : WIRE_FROM_START;
	header->pid = pid;
	header->seq = seq;
	header->ppid = (uint32_t)sys_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
	header->start_ns = sys_clock_ns(CLOCK_REALTIME);
	copy_bytes(header->magic, WIRE_MAGIC, sizeof(header->magic));
	part->header = header;
}

int part_create(struct part *part, const char *dir)
{
	uint32_t pid = (uint32_t)sys_getpid(), seq = 0;
	void *address;
	int err;

	part->fd = -1;
	part->is_private = !dir;
	if (dir) {
		err = open_file(part, dir, pid, &seq);
		if (err)
			return err;
	}
	err = map_new(part, 0, WIRE_HEADER_BYTES, &address);
	if (err) {
		if (part->fd >= 0)
			sys_close(part->fd);
		return err;
	}
	begin_header(part, address, pid, seq);
	return 0;
}

void part_create_nowhere(struct part *part)
{
	part->fd = -1;
	part->is_private = 1;
	fill_zero(&nowhere, sizeof(nowhere));
	begin_header(part, &nowhere, (uint32_t)sys_getpid(), 0);
}

void part_disable(struct part *part, const char *why)
{
	struct text text =
		text_in(part->header->why, sizeof(part->header->why));

	text_string(&text, why);
	atomic_store(&part->header->state, WIRE_DISABLED);
}

void part_abandon(struct part *part, int needs_header)
{
	for (uint32_t i = 0; i < part->mapped_count; i++)
		sys_munmap(part->mapped[i].head, part->mapped[i].bytes);
	sys_munmap(part->mapped, part->mapped_room * sizeof(*part->mapped));
	if (part->header != &nowhere && !needs_header)
		sys_munmap(part->header, WIRE_HEADER_BYTES);
	if (!part->is_private && is_our_file(part, part->fd))
		sys_close(part->fd);
	fill_zero(part, sizeof(*part));
}
