/* test_ucenv.cpp - class DF: every member, every way it ends the run, and its shape; guard.cpp. */
#include "ucenv.h"

#include "tests/ucode/dies.h"

#include <exception>
#include <sstream>
#include <stdexcept>
#include <type_traits>

static_assert(std::is_standard_layout<DF>::value, "it is passed where C has a luna_df");
static_assert(sizeof(DF) == sizeof(luna_df) && sizeof(DF) == 32, "it adds nothing");
static_assert(std::is_same<InputDF, OutputDF>::value, "two names of one class");
static_assert(std::is_same<InputDF, luna::ucenv::InputDF>::value, "here and there");
static_assert(std::is_same<DF, luna::ucenv::OutputDF>::value, "here and there");
static_assert(!std::is_convertible<DF, int>::value, "df + 1 has one meaning");
static_assert(!std::is_convertible<DF, std::string>::value, "only when asked");
static_assert(!std::is_constructible<bool, DF>::value, "a comparison of DFs is a DF");
static_assert(std::is_convertible<int, DF>::value && std::is_convertible<double, DF>::value &&
                  std::is_convertible<std::string, DF>::value,
              "implicit, as ever");
static_assert(!std::is_assignable<DF &, size_t>::value && !std::is_assignable<DF &, long>::value,
              "neither int nor real, as ever");

/* As CHECK_STR, for texts that end with their expression. */
#define SAME(have, want) CHECK(std::string(have) == (want), "'%s'", std::string(have).c_str())

static int
int_of(const DF &df)
{
    return df.get_int();
}

TEST(constructors_set_the_type)
{
    CHECK(DF().is_unset() && !DF().is_set() && DF().get_type() == 0, "unset");
    CHECK(DF(5).get_type() == 1 && DF(5).get_int() == 5, "int");
    CHECK(DF(2.5).get_type() == 2 && DF(2.5).get_real() == 2.5, "real");
    CHECK(DF(std::string("hey")).get_type() == 3, "string");
    CHECK(DF(std::string("a\0b", 3)).get_string() == std::string("a\0b", 3), "with a zero in it");
    DF bytes("\1\2\3", 3);
    CHECK(bytes.get_type() == 4 && bytes.get_size() == 3 && bytes.is_set(), "bytes");
    CHECK(static_cast<const char *>(bytes.get_data())[2] == 3, "copied");
    CHECK(DF(nullptr, 0).get_size() == 0, "no bytes");
    CHECK(int_of(7) == 7, "an int where a DF is expected");
}

TEST(assignment_sets_the_type)
{
    DF x;
    x = 5;
    CHECK(x.get_int() == 5, "int");
    x = 2.5;
    CHECK(x.get_real() == 2.5, "real");
    x = "lit";
    CHECK(x.get_string() == "lit", "literal");
    x = std::string("text");
    CHECK(x.get_string() == "text", "string");
    x = 'a';
    CHECK(x.get_int() == 'a', "what promotes to int");
    x = 0.5f;
    CHECK(x.get_real() == 0.5, "what promotes to double");
    DF y(3);
    x = y;
    CHECK(x.get_int() == 3, "another DF");
}

TEST(copies_share_their_bytes)
{
    DF a, b;
    void *data = a.create(1000);
    b.copy(a);
    DF c(a), d;
    d = a;
    CHECK(b.get_data() == data && c.get_data() == data && d.get_data() == data, "one buffer");
    a = 1;
    CHECK(b.get_data() == data, "it outlives the first");
    DF e(std::move(b));
    CHECK(e.get_data() == data && b.is_unset(), "moved");
    std::vector<DF> many(10, e);
    many.insert(many.begin(), DF(1));
    CHECK(many[10].get_data() == data && many[0].get_int() == 1, "in a vector");
    DF &same = e;
    e = same;
    CHECK(e.get_data() == data, "to itself");
}

TEST(exact_types_are_required)
{
    const DF unset, i(5), r(2.5), s(std::string("hey"));
    DIES(r.get_int(), 3, "get_int failed for type real");
    DIES(unset.get_int(), 3, "get_int failed for type (unset)");
    DIES(i.get_real(), 3, "get_real failed for type int");
    DIES(r.get_string(), 3, "get_string failed for type real");
    DIES(s.get_data(), 3, "get_data failed for type string");
    DIES(i.get_data(), 3, "get_data failed for type int");
    DIES(DF(i).get_data(), 3, "get_data failed for type int");
    DIES(i.getData<int>(), 3, "getData failed for type int");
    DIES(DF(r).getData<double>(), 3, "getData failed for type real");
    DIES(s.get_size(), 3, "get_size failed for type string");
    DIES(unset.getSize(), 3, "Cannot getSize(), df is unset");
}

TEST(sizes_are_those_of_the_types)
{
    CHECK(DF(5).getSize() == 4 && DF(2.5).getSize() == 8, "numbers");
    CHECK(DF(std::string("hey")).getSize() == 4, "string");
    CHECK(DF("\0\0", 2).getSize() == 2, "bytes");
}

TEST(get_and_set_value_by_type)
{
    DF x;
    x.setValue(5);
    const int &i = x.getValue<int>();
    CHECK(i == 5, "int");
    x.setValue<double>(5);
    CHECK(x.getValue<double>() == 5.0 && x.get<double>() == 5.0, "real");
    x.setValue(std::string("s"));
    CHECK(x.get_string() == "s" && x.get<std::string>() == "s", "string");
    x.set(-3);
    CHECK(x.get<int>() == -3, "set");
    DIES(x.getValue<double>(), 3, "get_real failed for type int");
    DIES(DF(1.5).getValue<int>(), 3, "get_int failed for type real");
    DIES(x.getValue<std::string>(), 3, "Unsupported type in getValue");
    DIES(x.getValue<float>(), 3, "Unsupported type in getValue");
    DIES(x.setValue(1.5f), 3, "Unsupported type in setValue");
    DIES(x.setValue("lit"), 3, "Unsupported type in setValue");
}

TEST(casts_convert)
{
    const DF i(5), r(-2.5), s(std::string("12")), bad(std::string("12x")), bytes("x", 1);
    CHECK(i.cast_int() == 5 && r.cast_int() == -2 && s.cast_int() == 12, "int");
    CHECK(i.cast_real() == 5 && r.cast_real() == -2.5 && s.cast_real() == 12, "real");
    CHECK(i.cast_string() == "5" && r.cast_string() == "-2.500000", "string");
    std::string longer(1000, 'y');
    CHECK(DF(longer).cast_string() == longer, "of any length");
    CHECK(static_cast<int>(r) == -2 && double(i) == 5.0 && std::string(s) == "12", "explicit");
    DIES(bad.cast_int(), 3, "cast_int failed: '12x' is not an integer");
    DIES(bad.cast_real(), 3, "cast_real failed: '12x' is not a number");
    DIES(bytes.cast_int(), 3, "cast_int failed for type value");
    DIES(bytes.cast_real(), 3, "cast_real failed for type value");
    DIES(bytes.cast_string(), 3, "cast_string failed for type value");
}

struct point {
    float x, y, z;
};

TEST(created_items_are_typed)
{
    DF x;
    double *d = x.create<double>(10);
    d[9] = 1.5;
    CHECK(x.get_size() == 80 && x.getData<double>()[9] == 1.5, "count");
    point *p = x.create(5, point{1, 2, 3});
    CHECK(x.get_size() == 60 && p[4].z == 3, "count and first value");
    const DF &seen = x;
    CHECK(seen.getData<point>() == p && seen.get_data() == p && x.get_data() == p, "one place");
    CHECK(x.create(7) && x.get_size() == 7, "bytes");
    DIES(x.getData<int>(), 3, "getData failed: 7 bytes are no whole items of 4");
    CHECK(x.create<int>(0) && x.get_size() == 0, "none");
}

TEST(a_buffer_is_taken_over)
{
    DF x;
    char *mine = static_cast<char *>(malloc(3));
    memcpy(mine, "abc", 3);
    x.grab_buffer(mine, 3);
    CHECK(x.get_size() == 3 && !memcmp(x.get_data(), "abc", 3), "bytes");
}

TEST(names_and_texts)
{
    DF x(5);
    CHECK(x.getName() == "(df)", "none");
    x.setName("x[1]");
    CHECK(x.getName() == "x[1]" && DF(x).getName() == "(df)", "its own, not its copy's");
    DIES(x.get_real(), 3, "x[1]: get_real failed for type int");
    SAME(x.to_string(), "DF<int>(5)");
    SAME(DF(2.5).to_string(), "DF<real>(2.500000)");
    SAME(DF(std::string("hey")).to_string(), "DF<string>(hey)");
    SAME(DF().to_string(), "DF<unset>");
    SAME(DF("\0\1\2\3\4\5\6\7\x8\x9\xa", 11).to_string(),
              "DF<size=11>(00, 01, 02, 03, 04, 05, 06, 07, 08, 09, ...)");
}

TEST(operators_promote)
{
    const DF a(7), b(2), r(0.5);
    CHECK((a + b).get_int() == 9 && (a - b).get_int() == 5 && (a * b).get_int() == 14, "ints");
    CHECK((a / b).get_int() == 3 && (a % b).get_int() == 1, "ints");
    CHECK((a + r).get_real() == 7.5 && (r - a).get_real() == -6.5, "reals");
    CHECK((r * b).get_real() == 1.0 && (a / r).get_real() == 14.0, "reals");
    CHECK((a < b).get_int() == 0 && (r < a).get_int() == 1 && (a <= a).get_int() == 1, "less");
    CHECK((a > b).get_int() == 1 && (a >= b).get_int() == 1, "more");
    CHECK((a == a).get_int() == 1 && (a != a).get_int() == 0 && (a == r).get_int() == 0, "equal");
    CHECK((a && b).get_int() == 1 && (a && r).get_int() == 0, "0.5 is false");
    CHECK((a + 1).get_int() == 8 && (1 + a).get_int() == 8 && (a * 0.5).get_real() == 3.5,
          "numbers on both sides");
    CHECK((a && 1).get_int() == 1 && (2 == b).get_int() == 1, "numbers on both sides");
    DIES(a % r, 3, "Unsupported operand types: int and real");
    DIES(a + DF(std::string("s")), 3, "Unsupported operand types: int and string");
    DIES(a && DF(), 3, "Unsupported operand types: int and (unset)");
    DIES(a / DF(0), 3, "Division by zero");
}

TEST(serialized_values_come_back)
{
    DF x(std::string("a text of some length")), y;
    std::vector<char> bytes(x.get_serialization_size());
    CHECK(x.serialize(bytes.data(), bytes.size()) == bytes.size(), "all of it");
    CHECK(y.deserialize(bytes.data(), bytes.size()) == bytes.size(), "all of it");
    CHECK(y.get_string() == x.get_string(), "the value");
    DIES(y.deserialize(bytes.data(), 3), 3, "deserialize: these bytes are no value");
    DIES(x.serialize(bytes.data(), 3), 3, "serialize: 3 bytes are too few");
}

/* ---- guard.cpp ---- */

extern "C" int luna_guard(void (*fn)(void *), void *who, char *text, size_t size);

namespace app
{
struct broken : std::runtime_error {
    broken() : std::runtime_error("the mesh has a hole") {}
};
} // namespace app

static void
throws(void *which)
{
    switch (*static_cast<int *>(which)) {
    case 1: throw app::broken();
    case 2: throw "plain words";
    case 3: throw std::string("words of a string");
    case 4: throw 42;
    default: *static_cast<int *>(which) = -1;
    }
}

static std::string
guarded(int which, size_t room = 256)
{
    char text[256] = "untouched";
    int was = which;
    int caught = luna_guard(throws, &which, text, room);
    return caught == (was > 0) && (caught || which == -1) ? text : "wrong result";
}

TEST(an_exception_becomes_a_text)
{
    SAME(guarded(0), "untouched");
    SAME(guarded(1), "app::broken: the mesh has a hole");
    SAME(guarded(2), "char const*: plain words");
    SAME(guarded(3), "std::string: words of a string");
    SAME(guarded(4), "int");
    SAME(guarded(1, 6), "app::");
}

#ifdef ADD_DEBUG_INFO
TEST(names_can_be_read_in_debug_builds)
{
    DF x;
    x.setName("x[1]");
    std::ostringstream out;
    out << x.NAME << '+' << x.DBG_INFO;
    SAME(out.str(), "x[1]+x[1]");
    x.NAME = "y";
    std::string name = x.DBG_INFO;
    CHECK(name == "y" && x.NAME == "y" && "<" + x.NAME + ">" == "<y>", "as strings");
    SAME(x.NAME.c_str(), "y");
}
#define DEBUG_TESTS , T(names_can_be_read_in_debug_builds)
#else
#define DEBUG_TESTS
#endif

TEST_MAIN(T(constructors_set_the_type), T(assignment_sets_the_type), T(copies_share_their_bytes),
          T(exact_types_are_required), T(sizes_are_those_of_the_types),
          T(get_and_set_value_by_type), T(casts_convert), T(created_items_are_typed),
          T(a_buffer_is_taken_over), T(names_and_texts), T(operators_promote),
          T(serialized_values_come_back), T(an_exception_becomes_a_text) DEBUG_TESTS)
