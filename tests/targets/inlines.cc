// SPDX-License-Identifier: MIT
// Inlined calls of every kind as input of `clew a2n`: templates, lambdas, local
// classes with code of their own, C names, unrolled loops, cold parts, and two
// files in one line table.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "inlines.h"

namespace shapes {

template <typename T> struct Box {
	std::vector<T> items;

	void put(const T &item)
	{
		if (items.size() > 100000)
			std::abort();
		items.push_back(item);
	}
	T sum() const
	{
		return std::accumulate(items.begin(), items.end(), T());
	}
};

static inline int twice(int x)
{
	return header_step(x) * 2;
}

int apply(int x)
{
	struct Local {
		int base;
		__attribute__((noinline)) int deep(int y) const
		{
			return twice(y) + base;
		}
	} local = { x };
	auto add = [&](int y) { return local.deep(y) + twice(y); };

	return add(x) + add(x + 1);
}

template <int N> int unrolled(const int *from)
{
	int sum = 0;

	for (int i = 0; i < N; i++)
		sum += twice(from[i]);
	return sum;
}

} // namespace shapes

extern "C" __attribute__((noinline)) int inlines_plain(int x)
{
	return header_step(x) + shapes::twice(x);
}

int main(int argc, char **argv)
{
	shapes::Box<long> numbers;
	shapes::Box<std::string> words;
	std::map<std::string, int> counts;
	int eight[8] = { argc, 2, 3, 4, 5, 6, 7, 8 };

	for (int i = 0; i < 20; i++) {
		numbers.put(i * argc);
		words.put(std::string(static_cast<size_t>(i), 'x'));
		counts[words.items.back()]++;
	}
	std::sort(numbers.items.begin(), numbers.items.end(),
		  [](long a, long b) { return a > b; });
	std::printf("%ld %zu %zu %d %d %d %s\n", numbers.sum(),
		    words.sum().size(), counts.size(), shapes::apply(argc),
		    shapes::unrolled<8>(eight), inlines_plain(argc), argv[0]);
	return 0;
}
