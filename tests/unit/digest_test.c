/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest/digest_links.h"

/* ---- BLAKE2b ---- */

struct digest_vector {
	size_t bytes; /* of the bytes 0, 1, 2 ... 250, 0, 1 ... */
	const char *digest;
};

/* Computed by Python's hashlib.blake2b(digest_size=32). */
static const struct digest_vector vectors[] = {
	{ 0,
	  "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8" },
	{ 1,
	  "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314" },
	{ 127,
	  "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72" },
	{ 128,
	  "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1" },
	{ 129,
	  "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9" },
	{ 256,
	  "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24" },
	{ 257,
	  "227e15ed64ee8e93eb7bc53828f76eed974f2c4ab1408c3d08f212b7f8d69904" },
	{ 1000,
	  "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331" },
};

static void digest_in_pieces(const uint8_t *bytes, size_t count, size_t piece,
			     char text[2 * DIGEST_BYTES + 1])
{
	uint8_t digest[DIGEST_BYTES];
	struct blake2b hash;

	blake2b_begin(&hash);
	for (size_t at = 0; at < count; at += piece)
		blake2b_add(&hash, bytes + at,
			    piece < count - at ? piece : count - at);
	blake2b_end(&hash, digest);
	digest_text(digest, sizeof(digest), text);
}

static void digests_are_those_of_other_implementations(void **state)
{
	static const size_t pieces[] = { 1, 7, 127, 128, 129, 1000 };
	char text[2 * DIGEST_BYTES + 1];
	uint8_t bytes[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i % 251);
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		for (size_t j = 0; j < sizeof(pieces) / sizeof(*pieces); j++) {
			digest_in_pieces(bytes, vectors[i].bytes, pieces[j],
					 text);
			assert_string_equal(text, vectors[i].digest);
		}
}

static void digest_of_abc_is_known(void **state)
{
	char text[2 * DIGEST_BYTES + 1];

	(void)state;
	digest_in_pieces((const uint8_t *)"abc", 3, 3, text);
	assert_string_equal(text, "bddd813c634239723171ef3fee98579b94964e3bb1cb"
				  "3e427262c8c068d52319");
}

/* ---- Links ---- */

struct fixture {
	char folder[32];
	struct file_stamp stamp;
};

static const uint8_t some_digest[DIGEST_BYTES] = { 0xd1, 0x9e };

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/clew-digest-XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	f->stamp = (struct file_stamp){
		.device = 1,
		.inode = 2,
		.bytes = 3,
		.changed_s = 4,
		.attributed_s = 5,
		.owner = geteuid(),
		.mode = 0100644,
		.is_settled = 1,
		.is_of_this_machine = 1,
	};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char command[64];
	int err;

	snprintf(command, sizeof(command), "rm -r %s", f->folder);
	err = system(command);
	free(f);
	return err;
}

static int is_found(const struct fixture *f)
{
	uint8_t digest[DIGEST_BYTES];

	return digest_link_find(f->folder, &f->stamp, digest) == 0 &&
	       !memcmp(digest, some_digest, sizeof(digest));
}

static void a_digest_is_found_for_the_same_stamp(void **state)
{
	struct fixture *f = *state;

	assert_false(is_found(f));
	digest_link_keep(f->folder, &f->stamp, some_digest);
	assert_true(is_found(f));
}

static void each_number_of_a_stamp_matters(void **state)
{
	struct fixture *f = *state;
	const struct file_stamp before = f->stamp;

	digest_link_keep(f->folder, &f->stamp, some_digest);
#define OTHER(field)                                                           \
	do {                                                                   \
		f->stamp.field++;                                              \
		assert_false(is_found(f));                                     \
		f->stamp = before;                                             \
	} while (0)
	OTHER(device);
	OTHER(inode);
	OTHER(bytes);
	OTHER(changed_s);
	OTHER(changed_ns);
	OTHER(attributed_s);
	OTHER(attributed_ns);
	assert_true(is_found(f));
}

static void files_that_others_can_change_have_no_link(void **state)
{
	struct fixture *f = *state;
	const struct file_stamp before = f->stamp;

	digest_link_keep(f->folder, &f->stamp, some_digest);
#define NOT_FOUND(field, value)                                                \
	do {                                                                   \
		f->stamp.field = (value);                                      \
		digest_link_keep(f->folder, &f->stamp, some_digest);           \
		assert_false(is_found(f));                                     \
		f->stamp = before;                                             \
	} while (0)
	NOT_FOUND(owner, geteuid() + 1);
	NOT_FOUND(mode, 0100664);
	NOT_FOUND(mode, 0100646);
	NOT_FOUND(is_settled, 0);
	NOT_FOUND(is_of_this_machine, 0);
	assert_true(is_found(f));
}

static void a_folder_that_others_can_write_to_is_ignored(void **state)
{
	struct fixture *f = *state;

	digest_link_keep(f->folder, &f->stamp, some_digest);
	assert_int_equal(chmod(f->folder, 0770), 0);
	assert_false(is_found(f));
	assert_int_equal(chmod(f->folder, 0707), 0);
	assert_false(is_found(f));
	assert_int_equal(chmod(f->folder, 0755), 0);
	assert_true(is_found(f));
	if (geteuid() == 0) {
		assert_int_equal(chown(f->folder, 1, 1), 0);
		assert_false(is_found(f));
	}
}

/* The clock may tick in between, so the test tries several times. */
static void a_file_just_written_is_not_settled(void **state)
{
	struct fixture *f = *state;
	struct file_stamp stamp;
	char path[64];
	int fd, tries = 0;

	snprintf(path, sizeof(path), "%s/file", f->folder);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	do {
		assert_int_equal(pwrite(fd, "x", 1, 0), 1);
		assert_int_equal(file_stamp_of(fd, &stamp), 0);
	} while (stamp.is_settled && ++tries < 1000);
	assert_false(stamp.is_settled);
	while (!stamp.is_settled)
		assert_int_equal(file_stamp_of(fd, &stamp), 0);
	close(fd);
}

#define LINK_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_those_of_other_implementations),
		cmocka_unit_test(digest_of_abc_is_known),
		LINK_TEST(a_digest_is_found_for_the_same_stamp),
		LINK_TEST(each_number_of_a_stamp_matters),
		LINK_TEST(files_that_others_can_change_have_no_link),
		LINK_TEST(a_folder_that_others_can_write_to_is_ignored),
		LINK_TEST(a_file_just_written_is_not_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
