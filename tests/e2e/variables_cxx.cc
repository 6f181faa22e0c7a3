// SPDX-License-Identifier: MIT
// Variables of C++ that actions can record; see variables.c.
#include <cstdio>

#define ALONE __attribute__((noinline))

namespace depot
{

enum class Kind : unsigned char { Small, Large = 3 };

struct Base {
	int tag;
	const char *label;
};

struct Second {
	long second;
};

class Item : public Base, public Second
{
      public:
	Item(int number, const char *text);
	ALONE long weigh(const Item &other, int factor) const;
	ALONE static long count(int more);

      private:
	int number_;
	Kind kind_;
	const Item *next_ = nullptr;

	friend ALONE void link(Item &first, const Item *second);
};

int stock = 41;

Item::Item(int number, const char *text)
    : Base{ number * 2, text }, Second{ number * 3L }, number_(number),
      kind_(Kind::Large)
{
}

long Item::weigh(const Item &other, int factor) const
{
	__asm__ volatile("" : : "r"(this), "r"(&other) : "memory");
	return (number_ + other.number_) * factor + tag + second;
}

long Item::count(int more)
{
	__asm__ volatile("" : : "r"(&more) : "memory");
	return stock + more;
}

void link(Item &first, const Item *second)
{
	first.next_ = second;
}

} // namespace depot

int main()
{
	depot::Item a(1, "first"), b(20, "second");

	link(a, &b);
	printf("%ld %ld\n", a.weigh(b, 7), depot::Item::count(1));
	return 0;
}
