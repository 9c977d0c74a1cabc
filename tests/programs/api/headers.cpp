// What programs of the original use without including it.
#include <ucenv.h>

extern "C" void
cpp_headers(const InputDF &a, OutputDF &b)
{
    assert(a.get_int() == 3);
    char text[16];
    strcpy(text, "abc");
    memset(text, 'x', strlen(text));
    std::set<int> s;
    std::list<double> l(3, sqrt(16.0));
    std::unordered_map<std::string, int> m;
    std::ostringstream out;
    std::thread t([&] { m["x"] = (int)std::count(text, text + 3, 'x'); });
    t.join();
    s.insert(1);
    out << std::setw(3) << m["x"] << fabs(-1.5) << l.size() << s.size() << abs(-2);
    std::cout << out.str() + "\n";
    b = out.str();
}
