#include <ucenv.h>

#include <stdexcept>

struct no_such_point : std::runtime_error {
    no_such_point() : std::runtime_error("point 7") {}
};

extern "C" void
cpp_fault(int which, const InputDF &x, OutputDF &y)
{
    switch (which) {
    case 11: x.getData<double>(); break;
    case 12: y.setValue("lit"); break;
    case 13: y = x % x; break;
    case 14: throw no_such_point();
    case 15: y = std::vector<int>().at(1); break;
    case 16: throw 42;
    case 17: x.getValue<int>(); break;
    }
    y = 1;
}
