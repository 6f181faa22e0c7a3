/* SPDX-License-Identifier: MIT */
/* See prelinked_file.h. */
#include "preload/stubs/prelinked_file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "digest/file_stamp.h"
#include "preload/sys/enlarge.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

#define VERSION   2

#define FILE_MODE 0400
/*
 * Each write takes four system calls (enlarge.h), at which a tracer stops the
 * thread eight times.
 */
#define BUFFER_BYTES (UINT64_C(1) << 18)

#define BOOT_NS      UINT64_C(1000000000)

/* Module files with more debug information than this are not copied. */
#define BYTES_BESIDE (UINT64_C(64) << 20)

static const char magics[][9] = {
	[PRELINKED_STUBS] = "clewpre\n",
	[PRELINKED_TEXT] = "clewtxt\n",
	[PRELINKED_TABLE] = "clewtab\n",
	[PRELINKED_LEARNT] = "clewlea\n",
};

uint64_t prelinked_sum(uint64_t sum, const void *words, uint64_t bytes)
{
	for (uint64_t at = 0; at + 8 <= bytes; at += 8) {
		uint64_t word;

		memcpy(&word, (const uint8_t *)words + at, 8);
		sum = (sum ^ word) * UINT64_C(0x100000001b3);
	}
	return sum;
}

static uint64_t sum_of(const struct prelinked_head *head)
{
	return prelinked_sum(PRELINKED_SUM_OF_NOTHING, head,
			     offsetof(struct prelinked_head, checksum));
}

static int open_at(const struct prelinked_folder *folder, const char *name,
		   int flags)
{
	return (int)sys_call(SYS_openat, folder->fd, (long)name,
			     flags | O_NOFOLLOW | O_CLOEXEC, 0600, 0, 0);
}

static uint32_t user(void)
{
	return (uint32_t)sys_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

/* ---- Folder ---- */

static int is_own_folder(int fd)
{
	struct stat st;

	return !sys_fstat(fd, &st) && st.st_uid == user() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/*
 * The file is read again after BOOT_NS, because a process can be frozen and
 * continued after another boot. Each module opens a folder, and reads it.
 */
static int read_boot(char boot[PRELINKED_BOOT_BYTES])
{
	static char known[PRELINKED_BOOT_BYTES];
	static uint64_t read_ns;
	const uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	const uint64_t then_ns = __atomic_load_n(&read_ns, __ATOMIC_ACQUIRE);
	long bytes;
	int fd;

	memset(boot, 0, PRELINKED_BOOT_BYTES);
	if (!then_ns || now_ns - then_ns > BOOT_NS) {
		fd = sys_open("/proc/sys/kernel/random/boot_id",
			      O_RDONLY | O_CLOEXEC, 0);
		if (fd < 0)
			return fd;
		bytes = sys_read(fd, boot, PRELINKED_BOOT_BYTES - 1);
		sys_close(fd);
		if (bytes <= 0)
			return -EIO;
		memcpy(known, boot, sizeof(known));
		__atomic_store_n(&read_ns, now_ns, __ATOMIC_RELEASE);
	}
	memcpy(boot, known, sizeof(known));
	return 0;
}

/*
 * Replaces the open folder by the one in it that is named by the number of the
 * user, if there is one.
 */
static void enter_folder_of_user(struct prelinked_folder *folder)
{
	char number[16];
	struct text name = text_in(number, sizeof(number));
	int fd;

	text_number(&name, user());
	fd = open_at(folder, number, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return;
	sys_close(folder->fd);
	folder->fd = fd;
}

int prelinked_folder_open(struct prelinked_folder *folder, const char *path)
{
	int err;

	folder->fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (folder->fd < 0)
		return folder->fd;
	if (!is_own_folder(folder->fd))
		enter_folder_of_user(folder);
	err = is_own_folder(folder->fd) && file_stamp_is_local(folder->fd)
		      ? read_boot(folder->boot)
		      : -EPERM;
	if (err)
		sys_close(folder->fd);
	folder->is_open = !err;
	return err;
}

void prelinked_folder_close(struct prelinked_folder *folder)
{
	if (folder->is_open)
		sys_close(folder->fd);
	folder->is_open = 0;
}

int prelinked_folder_may_have_code(const struct prelinked_folder *folder)
{
	struct statfs status;

	return !sys_call(SYS_fstatfs, folder->fd, (long)&status, 0, 0, 0, 0) &&
	       !(status.f_flags & ST_NOEXEC);
}

/* ---- Reading ---- */

static int is_nobody_elses(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == user();
}

/*
 * Returns whether the number of the file's hard links is acceptable. perf adds
 * one to an ELF file that is mapped.
 */
static int may_have_names(const struct stat *st, enum prelinked_kind kind)
{
	return st->st_nlink == 1 || kind == PRELINKED_TEXT;
}

static int is_sealed(const struct stat *st, const struct prelinked_head *head)
{
	return st->st_mtim.tv_sec == head->seal_s &&
	       st->st_mtim.tv_nsec == head->seal_ns;
}

static int read_head(int fd, enum prelinked_kind kind,
		     struct prelinked_head *head)
{
	struct stat st;

	if (sys_fstat(fd, &st) || st.st_size < 2 * PRELINKED_HEAD_PAGE)
		return 0;
	return sys_call(SYS_pread64, fd, (long)head, sizeof(*head),
			(long)prelinked_head_at(kind, (uint64_t)st.st_size), 0,
			0) == (long)sizeof(*head);
}

static int check(const struct prelinked_folder *folder, int fd,
		 enum prelinked_kind kind, struct prelinked_head *head)
{
	struct stat st;

	if (!read_head(fd, kind, head) ||
	    memcmp(head->magic, magics[kind], sizeof(head->magic)) != 0 ||
	    head->version != VERSION || head->checksum != sum_of(head))
		return -EBADMSG;
	/*
	 * fstat() follows the read, so that a write before the read is noticed.
	 */
	if (sys_fstat(fd, &st))
		return -EBADMSG;
	if (!is_nobody_elses(&st) || !may_have_names(&st, kind) ||
	    (st.st_mode & 07777) != FILE_MODE || st.st_ino != head->inode ||
	    (kind != PRELINKED_LEARNT &&
	     memcmp(head->boot, folder->boot, sizeof(head->boot)) != 0))
		return -EPERM;
	return is_sealed(&st, head) && (uint64_t)st.st_size == head->bytes
		       ? 0
		       : -EBADMSG;
}

int prelinked_file_open(const struct prelinked_folder *folder, const char *name,
			enum prelinked_kind kind, struct prelinked_head *head)
{
	int fd = open_at(folder, name, O_RDONLY | O_NONBLOCK), err;

	if (fd < 0)
		return fd;
	err = check(folder, fd, kind, head);
	if (!err)
		return fd;
	sys_close(fd);
	return err;
}

/* ---- Writing ---- */

static int draw_seal(struct prelinked_head *head)
{
	uint32_t random[2];

	if (sys_call(SYS_getrandom, (long)random, sizeof(random),
		     1 /* GRND_NONBLOCK */, 0, 0, 0) != sizeof(random))
		return -EAGAIN;
	head->seal_s = random[0] >> 2; /* at most 2004 */
	head->seal_ns = random[1] % 1000000000;
	return 0;
}

static int set_seal(const struct prelinked_writing *writing)
{
	const struct timespec times[2] = {
		{ .tv_nsec = UTIME_NOW },
		{ writing->head.seal_s, writing->head.seal_ns },
	};

	return (int)sys_call(SYS_utimensat, writing->fd, 0, (long)times, 0, 0,
			     0);
}

/*
 * Returns whether the name still refers to this file. The process that held the
 * lock before may have renamed it.
 */
static int is_named(const struct prelinked_writing *writing,
		    const struct stat *st)
{
	struct stat named;

	return !sys_call(SYS_newfstatat, writing->folder->fd,
			 (long)writing->temporary, (long)&named,
			 AT_SYMLINK_NOFOLLOW, 0, 0) &&
	       named.st_ino == st->st_ino && named.st_dev == st->st_dev;
}

/*
 * Locks the file, which is open under its temporary name. Only the process that
 * holds the lock may write the file. The kernel releases the lock when the
 * process ends. Returns 0, -EBUSY if another process holds the lock or has
 * renamed the file, or -EPERM if the file is not safe to use.
 */
static int lock_file(struct prelinked_writing *writing)
{
	struct stat st;

	if (sys_call(SYS_flock, writing->fd, LOCK_EX | LOCK_NB, 0, 0, 0, 0))
		return -EBUSY;
	if (sys_fstat(writing->fd, &st) || !is_named(writing, &st))
		return -EBUSY;
	if (!is_nobody_elses(&st) || st.st_nlink != 1 ||
	    st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	writing->head.inode = st.st_ino;
	return 0;
}

/*
 * Allocates all disk space at once, so that a full disk is noticed before any
 * work is done.
 */
static int reserve(const struct prelinked_writing *writing)
{
	int err = enlarge_file(writing->fd, 0);

	if (!err)
		err = enlarge_file(writing->fd, writing->head.bytes);
	if (!err)
		err = (int)sys_call(SYS_fallocate, writing->fd, 0, 0,
				    (long)writing->head.bytes, 0, 0);
	return err == -EOPNOTSUPP ? 0 : err;
}

static int keeps_times(const struct prelinked_writing *writing)
{
	struct stat st;

	return !set_seal(writing) && !sys_fstat(writing->fd, &st) &&
	       is_sealed(&st, &writing->head);
}

static void begin_head(struct prelinked_writing *writing, uint64_t bytes)
{
	struct prelinked_head *head = &writing->head;

	*head = (struct prelinked_head){ .version = VERSION, .bytes = bytes };
	memcpy(head->magic, magics[writing->kind], sizeof(head->magic));
	memcpy(head->boot, writing->folder->boot, sizeof(head->boot));
}

int prelinked_file_begin(struct prelinked_writing *writing,
			 const struct prelinked_folder *folder,
			 const char *name, enum prelinked_kind kind,
			 uint64_t bytes)
{
	struct text temporary =
		text_in(writing->temporary, sizeof(writing->temporary));
	int err;

	text_string(&temporary, name);
	text_string(&temporary, ".new");
	if (text_was_cut(&temporary))
		return -ENAMETOOLONG;
	writing->folder = folder;
	writing->name = name;
	writing->kind = kind;
	begin_head(writing, bytes);
	writing->fd = open_at(folder, writing->temporary, O_RDWR | O_CREAT);
	if (writing->fd < 0)
		return writing->fd;
	err = lock_file(writing);
	if (err) {
		sys_close(writing->fd);
		return err;
	}
	err = draw_seal(&writing->head);
	if (!err && !keeps_times(writing))
		err = -ENOTSUP;
	if (!err)
		err = reserve(writing);
	if (err)
		prelinked_file_revert(writing);
	return err;
}

int prelinked_file_write(const struct prelinked_writing *writing,
			 const void *bytes, uint64_t count, uint64_t at)
{
	const uint8_t *from = bytes;

	while (count) {
		long done = enlarge_by_pwrite(writing->fd, from, count, at);

		if (done <= 0)
			return done ? (int)done : -EIO;
		from += done;
		at += (uint64_t)done;
		count -= (uint64_t)done;
	}
	return 0;
}

static int copy(const struct prelinked_writing *writing, int from,
		uint64_t bytes, uint8_t *buffer)
{
	for (uint64_t at = 0; at < bytes;) {
		const long got = sys_call(SYS_pread64, from, (long)buffer,
					  BUFFER_BYTES, (long)at, 0, 0);
		int err;

		if (got <= 0)
			return got ? (int)got : -ESTALE;
		err = prelinked_file_write(writing, buffer, (uint64_t)got, at);
		if (err)
			return err;
		at += (uint64_t)got;
	}
	return 0;
}

int prelinked_file_copy(const struct prelinked_writing *writing, int from,
			uint64_t bytes)
{
	uint8_t *buffer = sys_map_private(BUFFER_BYTES);
	int err;

	if (sys_failed(buffer))
		return -ENOMEM;
	err = copy(writing, from, bytes, buffer);
	sys_munmap(buffer, BUFFER_BYTES);
	return err;
}

int prelinked_file_is_worth_copying(uint64_t bytes, uint64_t loaded)
{
	return bytes / 2 <= loaded || bytes - 2 * loaded <= BYTES_BESIDE;
}

static int seal(struct prelinked_writing *writing)
{
	struct prelinked_head *head = &writing->head;
	int err;

	head->checksum = sum_of(head);
	err = prelinked_file_write(
		writing, head, sizeof(*head),
		prelinked_head_at(writing->kind, head->bytes));
	if (!err)
		err = (int)sys_call(SYS_fchmod, writing->fd, FILE_MODE, 0, 0, 0,
				    0);
	return err ? err : set_seal(writing);
}

int prelinked_file_commit(struct prelinked_writing *writing)
{
	const int fd = writing->folder->fd;
	int err = seal(writing);

	if (!err)
		err = (int)sys_call(SYS_renameat, fd, (long)writing->temporary,
				    fd, (long)writing->name, 0, 0);
	if (err)
		prelinked_file_revert(writing);
	else
		sys_close(writing->fd);
	return err;
}

void prelinked_file_revert(struct prelinked_writing *writing)
{
	sys_call(SYS_unlinkat, writing->folder->fd, (long)writing->temporary, 0,
		 0, 0, 0);
	sys_close(writing->fd);
}

static int make(const struct prelinked_folder *folder, const char *name,
		enum prelinked_kind kind, uint64_t bytes,
		prelinked_filling fill, const void *context)
{
	struct prelinked_writing writing;
	int err = prelinked_file_begin(&writing, folder, name, kind, bytes);

	if (err)
		return err;
	err = fill(&writing, context);
	if (!err)
		return prelinked_file_commit(&writing);
	prelinked_file_revert(&writing);
	return err;
}

int prelinked_file_open_or_make(const struct prelinked_folder *folder,
				const char *name, enum prelinked_kind kind,
				uint64_t bytes, prelinked_filling fill,
				const void *context)
{
	struct prelinked_head head;
	int fd = prelinked_file_open(folder, name, kind, &head);

	if (fd == -ENOENT && !make(folder, name, kind, bytes, fill, context))
		fd = prelinked_file_open(folder, name, kind, &head);
	if (fd >= 0 && head.bytes != bytes) {
		sys_close(fd);
		return -EBADMSG;
	}
	return fd;
}
