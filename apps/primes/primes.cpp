/* primes.cpp - the sieve of Eratosthenes, range by range. */
#include <ucenv.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

/* All primes up to the root of `limit`: they are enough to sieve any range below it. */
extern "C" void
small_primes(int limit, OutputDF &primes)
{
    int root = static_cast<int>(std::sqrt(static_cast<double>(limit))) + 1;
    std::vector<bool> composite(root + 1);
    std::vector<int> found;
    for (int n = 2; n <= root; n++) {
        if (composite[n]) continue;
        found.push_back(n);
        for (long k = static_cast<long>(n) * n; k <= root; k += n) composite[k] = true;
    }
    int *out = primes.create<int>(found.size());
    for (size_t i = 0; i < found.size(); i++) out[i] = found[i];
}

/* Counts the primes of range p of `parts`, first <= n < end, and finds the last; 0: none. */
extern "C" void
sieve(int limit, int parts, int p, const InputDF &small, OutputDF &count, OutputDF &largest)
{
    if (limit < 2 || parts < 1) throw std::invalid_argument("LIMIT or PARTS is too small");
    long first = static_cast<long>(limit) * p / parts;
    long end = static_cast<long>(limit) * (p + 1) / parts;
    std::vector<char> composite(end - first);
    const int *prime = small.getData<int>();
    for (size_t i = 0; i < small.get_size() / sizeof *prime; i++) {
        long n = prime[i];
        for (long k = std::max(n * n, (first + n - 1) / n * n); k < end; k += n)
            composite[k - first] = 1;
    }
    int found = 0, last = 0;
    for (long n = std::max(first, 2L); n < end; n++) {
        if (composite[n - first]) continue;
        found++;
        last = static_cast<int>(n);
    }
    count = found;
    largest = last;
}
