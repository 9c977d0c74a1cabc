# Functions in C++11, as the original compiled them: what later standards forbid, or call otherwise.
. "${0%/*}/lib.sh"

cat >u.cpp <<'E'
#include <ucenv.h>
#include <iostream>
using namespace std;
typedef unsigned char byte;
const int size = 10;
byte first(const byte *x) throw() { return x[0]; }
extern "C" void put(int k, OutputDF &x) { byte b[1] = {(byte)k}; x = size + first(b); }
E
cat >p.fa <<'E'
import put(int, name) as put;
C++ head ${{
#include <algorithm>
using namespace std;
static const int size = 3;
$}}
C++ sub say(int k) ${{ printf("%d\n", k + size); $}}
sub main() { df x; put(2, x); say(x); }
E
for k in 1 2; do
    run luna run -q p.fa
    code 0
    out <<E
15
E
    err </dev/null
done

# What is wrong in both is told by the fewer errors.
sed -i 's/return x\[0\]/return x[0] + nothing/' u.cpp
run luna check p.fa
code 1
err_has "u.cpp:6:"
err_has "'nothing' was not declared in this scope"
err_lacks "ambiguous"
# Who says which one gets that.
sed -i 's/ + nothing//' u.cpp
run env CXX_FLAGS=-std=c++17 "$LUNA" check p.fa
code 1
err_has "is ambiguous"
run env CXX_FLAGS=-std=c++11 "$LUNA" run -q p.fa
code 0

# What a later one has got is taken as that.
cat >u.cpp <<'E'
#include <ucenv.h>
#include <optional>
extern "C" void put(int k, OutputDF &x) { std::optional<int> o = k; x = *o; }
E
run luna run -q p.fa
code 0
out <<'E'
5
E

# An import is compared all the same.
cat >u.cpp <<'E'
#include <ucenv.h>
#include <string>
using namespace std;
const int size = 10;
extern "C" void put(double k, OutputDF &x) { x = size + (int)k; }
E
run luna check p.fa
code 1
err_has "p.fa:1:8: error[SYN12]: parameter 1 of 'put' is imported as an integer, but the function takes a double"
err_lacks "ambiguous"
finish
