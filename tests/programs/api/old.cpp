// As older programs are written.
#include <ucenv/ucenv.h>

using luna::ucenv::InputDF;
using luna::ucenv::OutputDF;

extern "C" void
cpp_old(const luna::ucenv::InputDF &a, luna::ucenv::OutputDF &b)
{
    std::vector<int> v(3, a.getValue<int>());
    b.setName("anything");
    b.setValue<int>(v[0] + v[1] + v[2]);
}
