/* SPDX-License-Identifier: MIT */
/*
 * Variables that actions of probes can record. For each call, the program prints
 * a line with the values that a probe must record there:
 * "LOCATION|EXPRESSION=VALUE|EXPRESSION=VALUE...". The expressions are valid in C
 * and in actions. variables_cxx.cc has those of C++, variables_other.c defines
 * types and variables that are only declared here.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

#define NUMBER(e) printf("|%s=%" PRId64, #e, (int64_t)(e))
#define TEXT(e)   printf("|%s=%s", #e, e)

struct node {
	struct node *left, *right;
	int key;
	unsigned char small;
	struct {
		short in_struct;
		union {
			uint32_t all;
			uint8_t bytes[4];
		};
	};
	const char *name;
	char text[24];
	int grid[3][4];
	unsigned int bits3 : 3;
	int signed5 : 5;
	uint64_t wide : 40;
	enum { RED, GREEN = 7 } color;
	double weight;
};

struct opaque; /* defined in variables_other.c */
struct opaque *opaque_new(int number);

typedef struct request {
	const char *const uri;
	const struct node *volatile tree;
	struct opaque *other;
	long length;
} request_t;

struct pair {
	int first, second;
};

int global_count = 5;
static struct node root, leaf, other_leaf;
struct node *nodes[2] = { &root, &leaf };

ALONE long handle(const request_t *req, int length, unsigned char flag,
		  const char *word);
ALONE long middle(int number, const struct node *node);
ALONE long many(struct pair pair, double scale, long c, long d, long e, long f,
		long g, int seventh, const struct node *eighth);
ALONE struct node *returns(struct node *node);
ALONE void use(const void *pointer);

void use(const void *pointer)
{
	__asm__ volatile("" : : "r"(pointer) : "memory");
}

long handle(const request_t *req, int length, unsigned char flag,
	    const char *word)
{
	use(word);
	use(req);
	return req->tree->key + length + flag;
}

long middle(int number, const struct node *node)
{
	long doubled = 2L * number;
	int list[4] = { number, number + 1, number + 2, number + 3 };
	const struct node *next = node->left;

	use(&doubled);
	use(list);
	use(node); /* the middle */
	printf("middle");
	NUMBER(doubled);
	NUMBER(list[3]);
	NUMBER(list[1] + list[2] * 2);
	TEXT(next->name);
	NUMBER(node->left->left->key);
	NUMBER(*(list + 2));
	NUMBER(&list[3] - list);
	printf("\n");
	return doubled + list[3] + node->key + next->key + number;
}

long many(struct pair pair, double scale, long c, long d, long e, long f,
	  long g, int seventh, const struct node *eighth)
{
	use(eighth);
	return pair.first + pair.second + (long)scale + c + d + e + f + g +
	       seventh + eighth->key;
}

struct node *returns(struct node *node)
{
	use(node);
	return node->left;
}

static void prepare(void)
{
	root = (struct node){
		.left = &leaf,
		.right = &other_leaf,
		.key = -5,
		.small = 200,
		.in_struct = -77,
		.all = 0x04030201,
		.name = "the root",
		.text = "inside",
		.grid = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } },
		.bits3 = 5,
		.signed5 = -9,
		.wide = UINT64_C(0xfedcba9876),
		.color = GREEN,
		.weight = 1.5,
	};
	leaf = (struct node){ .left = &root, .key = 11, .name = "left" };
	other_leaf = (struct node){ .left = &leaf, .key = 22, .name = "right" };
}

static void tell_handle(const request_t *req, int length, unsigned char flag,
			const char *word)
{
	printf("handle");
	TEXT(req->uri);
	TEXT(word);
	NUMBER(length);
	NUMBER(flag);
	NUMBER(req->length);
	NUMBER(req->tree->key);
	NUMBER(req->tree->small);
	NUMBER(req->tree->left->key);
	TEXT(req->tree->left->left->right->name);
	TEXT(req->tree->text);
	NUMBER(req->tree->bits3);
	NUMBER(req->tree->signed5);
	NUMBER(req->tree->wide);
	NUMBER(req->tree->color);
	NUMBER(req->tree->in_struct);
	NUMBER(req->tree->all);
	NUMBER(req->tree->bytes[2]);
	NUMBER(req->tree->grid[1][2]);
	NUMBER((*req->tree).key * 2 + length);
	NUMBER(&req->tree->key == &root.key);
	NUMBER(global_count);
	NUMBER(nodes[1]->key);
	NUMBER((*nodes)->key);
	NUMBER(-req->tree->key % 4);
	NUMBER(!req->tree->right + (req->tree->left == nodes[1]) * 2);
	printf("\n");
}

static long call_many(int i)
{
	const struct pair pair = { i, -i };
	const int seventh = -7 - i;
	const struct node *eighth = &leaf;
	const long c = 3, g = 9;

	printf("many");
	NUMBER(c);
	NUMBER(seventh);
	TEXT(eighth->name);
	NUMBER(g);
	printf("\n");
	return many(pair, 2.5, c, 4, 5, 6, g, seventh, eighth);
}

int main(void)
{
	long sum = 0;

	prepare();
	for (int i = 0; i < 3; i++) {
		const request_t request = { "/index", &root, opaque_new(4242),
					    99 + i };
		struct node *ret;

		global_count += 10;
		root.key--;
		tell_handle(&request, i - 1, (unsigned char)(250 + i),
			    "a word");
		sum += handle(&request, i - 1, (unsigned char)(250 + i),
			      "a word");
		sum += middle(i * 100, &root);
		sum += call_many(i);
		ret = returns(&root);
		printf("returns%%return");
		TEXT(ret->name);
		NUMBER(ret->left->key);
		printf("\n");
		sum += ret->key;
	}
	printf("%ld\n", sum);
	return 0;
}
