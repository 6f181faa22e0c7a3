/* SPDX-License-Identifier: MIT */
/*
 * Calls work() and punned() a thousand times before and after it changes the
 * text of work(), which is a separate page.
 *
 *	dontneed, syscall	releases the page, since the file has its bytes
 *	all			releases all mapped text
 *	executable		releases all executable memory
 *	remap			maps the file over it
 *	moved			maps memory over it, and copies the bytes
 *	rewrite			writes the bytes of the file
 *	patch			writes a return instruction there, so that calls
 *				do nothing, in a way that clew does not see;
 *				then has clew's hooks removed and set
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define RWX        (PROT_READ | PROT_WRITE | PROT_EXEC)
#define RX         (PROT_READ | PROT_EXEC)

static volatile unsigned long sink;
static char copy[PAGE_BYTES];

/* After all of .text. */
__attribute__((section("own_text"), noinline, aligned(PAGE_BYTES))) void work(
	void)
{
	sink++;
}

/*
 * Three bytes of a jump can be used, as in tests/golden/punned.s, and no
 * location for another jump is within the reach of a 2-byte jump.
 */
void punned(long a, long b);
__asm__(".macro function name\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	".cfi_startproc\n"
	".endm\n"
	".macro end name\n"
	".rept 40\n"
	"	add $1, %rax\n"
	".endr\n"
	"	ret\n"
	".cfi_endproc\n"
	".size \\name, . - \\name\n"
	".endm\n"
	".text\n"
	"function in_front\n"
	"end in_front\n"
	"function punned\n"
	"	mov %rdi, %rax\n"
	"inner:	nopl (%rax)\n"
	"	add %rsi, %rax\n"
	"	btr $3, %eax\n"
	"	jc inner\n"
	"end punned\n"
	"function behind\n"
	"	mov $3, %ecx\n"
	"again:	dec %ecx\n"
	"	jnz again\n"
	"end behind\n");

static __attribute__((noinline)) void calls(int times)
{
	while (times--) {
		work();
		punned(0, 0);
	}
}

/*
 * Calls `look` for each executable mapping, of files or all. Returns the offset
 * of work() in its file.
 */
static off_t look_at_texts(int (*look)(char *start, size_t bytes), int in_files)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096 + 128], kind[8];
	unsigned long start, end, offset, found = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %lx", &start, &end, kind,
			   &offset) != 4 ||
		    strcmp(kind, "r-xp") != 0 ||
		    (in_files && !strchr(line, '/')) || strstr(line, "[v"))
			continue;
		if ((unsigned long)work >= start && (unsigned long)work < end)
			found = (unsigned long)work - start + offset;
		if (look)
			look((char *)start, end - start);
	}
	if (maps)
		fclose(maps);
	return (off_t)found;
}

static int give_up(char *start, size_t bytes)
{
	return madvise(start, bytes, MADV_DONTNEED);
}

static int remap(char *text)
{
	const off_t offset = look_at_texts(NULL, 1);
	int fd = open("/proc/self/exe", O_RDONLY);

	return mmap(text, PAGE_BYTES, RX, MAP_PRIVATE | MAP_FIXED, fd,
		    offset) != text;
}

static int move(char *text)
{
	memcpy(copy, text, PAGE_BYTES);
	if (mmap(text, PAGE_BYTES, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != text)
		return 1;
	memcpy(text, copy, PAGE_BYTES);
	return mprotect(text, PAGE_BYTES, RX);
}

static int rewrite(char *text)
{
	const off_t offset = look_at_texts(NULL, 1);
	int fd = open("/proc/self/exe", O_RDONLY);

	if (pread(fd, copy, PAGE_BYTES, offset) != PAGE_BYTES ||
	    mprotect(text, PAGE_BYTES, RWX))
		return 1;
	memcpy(text, copy, PAGE_BYTES);
	return mprotect(text, PAGE_BYTES, RX);
}

static void change_hooks(const char *how)
{
	int (*change)(void);

	*(void **)&change = dlsym(RTLD_DEFAULT, how);
	if (change && change())
		_exit(2);
}

static int patch(char *text)
{
	static const unsigned char ret = 0xc3;
	const unsigned long done = sink;
	const int fd = open("/proc/self/mem", O_RDWR);

	if (pwrite(fd, &ret, 1, (off_t)text) != 1)
		return 1;
	close(fd);
	change_hooks("clew_unhook");
	calls(1000);
	change_hooks("clew_hook");
	calls(1000);
	return sink != done;
}

static int act(const char *way, char *text)
{
	if (!strcmp(way, "dontneed"))
		return give_up(text, PAGE_BYTES);
	if (!strcmp(way, "syscall"))
		return (int)syscall(SYS_madvise, text, PAGE_BYTES,
				    MADV_DONTNEED);
	if (!strcmp(way, "all"))
		return look_at_texts(give_up, 1) == 0;
	if (!strcmp(way, "executable"))
		return look_at_texts(give_up, 0) == 0;
	if (!strcmp(way, "remap"))
		return remap(text);
	if (!strcmp(way, "moved"))
		return move(text);
	if (!strcmp(way, "patch"))
		return patch(text);
	return strcmp(way, "rewrite") != 0 || rewrite(text);
}

int main(int argc, char **argv)
{
	calls(1000);
	if (argc < 2 || act(argv[1], (char *)work))
		return 1;
	calls(1000);
	return 0;
}
