/* ucenv.h - what a ucode in C++ sees of its value and name parameters: the class DF.
 *
 *     extern "C" void add(const InputDF &a, const InputDF &b, OutputDF &sum)
 *     {                                     // import add(value, value, name) as add;
 *         sum = a.get_real() + b.get_real();
 *     }
 *
 * A DF is unset, an int, a real, a string, or bytes (`create` makes room for them, `getData<T>`
 * shows them as items). Copies of a DF share their bytes, so an input must not be written through.
 * What does not fit the value (get_int of a string) ends the run with a message that names the
 * call.
 *
 * All of it is inline over the C functions of luna.h and the class adds nothing to luna_df: a
 * `const InputDF &` is a `const luna_df *`, and no std::string crosses into the runtime, whatever
 * compiler, library and standard (C++11 or later) the ucode is built with. */
#ifndef LUNA_UCENV_H
#define LUNA_UCENV_H

#include "luna.h"

/* Programs of the original use these without including them. They cost a C++ file some 0.6 s. */
#include <algorithm>
#include <atomic>
#include <cassert>
#include <climits>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <queue>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <stdint.h>

typedef luna_df_type ValueType; /* LUNA_DF_UNSET .. LUNA_DF_NAME: 0 to 5 */

#ifdef ADD_DEBUG_INFO
/* DF::NAME, DF::DBG_INFO: the reference as written in the program. They lie over the DF itself,
 * which keeps the text, so a debug build has the same layout as any other. */
struct luna_name_view {
    uint64_t words[LUNA_DF_WORDS];

    const char *c_str() const { return luna_name(reinterpret_cast<const luna_df *>(this)); }
    operator std::string() const { return c_str(); }
    luna_name_view &operator=(const std::string &name)
    {
        luna_set_name(reinterpret_cast<luna_df *>(this), name.c_str());
        return *this;
    }
    friend std::string operator+(const luna_name_view &a, const std::string &b)
    {
        return a.c_str() + b;
    }
    friend std::string operator+(const std::string &a, const luna_name_view &b)
    {
        return a + b.c_str();
    }
    friend bool operator==(const luna_name_view &a, const std::string &b) { return a.c_str() == b; }
    template <typename Stream> friend Stream &operator<<(Stream &s, const luna_name_view &name)
    {
        s << name.c_str();
        return s;
    }
};
#endif

/* Room only: what is in it is the runtime's business. All zeros: unset. */
struct luna_df {
#ifdef ADD_DEBUG_INFO
    union {
        uint64_t words[LUNA_DF_WORDS];
        luna_name_view NAME, DBG_INFO;
    };
#else
    uint64_t words[LUNA_DF_WORDS];
#endif
};

class DF : private luna_df
{
  public:
    /* ---- made unset, or from a value; copies share it ---- */
    DF() { clear(); }
    DF(int value) { clear(), luna_set_int(this, value); }
    DF(double value) { clear(), luna_set_real(this, value); }
    DF(const std::string &value) { clear(), luna_set_text(this, value.data(), value.size()); }
    DF(const void *bytes, size_t size)
    {
        clear();
        if (void *room = luna_create(this, size)) copy_bytes(room, bytes, size);
    }
    DF(const DF &other) : luna_df() { clear(), luna_copy(this, &other); }
    DF(DF &&other) noexcept : luna_df()
    {
        clear(), luna_copy(this, &other), luna_release(&other); /* a name belongs to its DF */
    }
    ~DF() { luna_fini(this); }

    DF &operator=(int value) { return luna_set_int(this, value), *this; }
    DF &operator=(double value) { return luna_set_real(this, value), *this; }
    DF &operator=(const std::string &value)
    {
        return luna_set_text(this, value.data(), value.size()), *this;
    }
    DF &operator=(const DF &other) { return luna_copy(this, &other), *this; }
    void copy(const DF &other) { luna_copy(this, &other); }

    /* ---- the value; its type must be exactly this ---- */
    int get_int() const { return luna_get_int(this); }
    double get_real() const { return luna_get_real(this); }
    std::string get_string() const
    {
        const char *text = luna_get_string(this);
        return std::string(text, luna_size(this) - 1);
    }
    /* int and double alone; a std::string is not kept as one, so no reference can be given. */
    template <typename T> const T &getValue() const
    {
        luna_fail_of(this, "Unsupported type in getValue");
    }
    /* int, double, std::string. */
    template <typename T> void setValue(const T &value)
    {
        DF must_convert(value); /* as ever: what could not become a DF does not compile */
        luna_fail_of(this, "Unsupported type in setValue");
    }
    template <typename T> T get() const { return T(getValue<T>()); }
    template <typename T> void set(const T &value) { setValue(value); }

    /* ---- the value as another type: explicit, so that no sum of DFs becomes ambiguous ---- */
    int cast_int() const { return luna_cast_int(this); }
    double cast_real() const { return luna_cast_real(this); }
    std::string cast_string() const { return text_of(luna_cast_text); }
    explicit operator int() const { return cast_int(); }
    explicit operator double() const { return cast_real(); }
    explicit operator std::string() const { return cast_string(); }

    /* ---- bytes ---- */
    void *create(size_t size) { return luna_create(this, size); }
    template <typename T> T *create(size_t count)
    {
        return static_cast<T *>(luna_create_of(this, count, sizeof(T)));
    }
    template <typename T> T *create(size_t count, const T &init)
    {
        T *items = create<T>(count);
        for (size_t i = 0; i < count; i++) new (items + i) T(init);
        return items;
    }
    void *get_data() { return luna_data(this); }
    const void *get_data() const { return luna_data(this); }
    template <typename T> T *getData()
    {
        return static_cast<T *>(luna_data_of(this, sizeof(T)));
    }
    template <typename T> const T *getData() const
    {
        return static_cast<const T *>(luna_data_of(this, sizeof(T)));
    }
    /* The bytes of an input, to be changed in place: its memory if nobody else needs it, else a
     * copy. The input is unset from then on. */
    void *take(const DF &input) { return luna_take(this, &input); }
    template <typename T> T *take(const DF &input)
    {
        luna_take(this, &input);
        return getData<T>();
    }
    /* Takes the bytes over: they are copied, then freed as malloc's. */
    void grab_buffer(void *bytes, size_t size)
    {
        copy_bytes(luna_create(this, size), bytes, size);
        __builtin_free(bytes);
    }

    /* ---- about it ---- */
    bool is_set() const { return luna_type(this) != LUNA_DF_UNSET; }
    bool is_unset() const { return luna_type(this) == LUNA_DF_UNSET; }
    ValueType get_type() const { return luna_type(this); }
    size_t getSize() const { return luna_size(this); }      /* int 4, real 8, string + 1, bytes */
    size_t get_size() const { return luna_data_size(this); } /* bytes only */
    std::string getName() const { return luna_name(this); }
    void setName(const std::string &name) { luna_set_name(this, name.c_str()); }
    std::string to_string() const { return text_of(luna_describe); }
#ifdef ADD_DEBUG_INFO
    using luna_df::DBG_INFO;
    using luna_df::NAME;
#endif

    size_t get_serialization_size() const { return luna_pack_size(this); }
    size_t serialize(void *out, size_t room) const { return luna_pack(this, out, room); }
    size_t deserialize(const void *bytes, size_t size) { return luna_unpack(this, bytes, size); }

    /* ---- ints and reals as LuNA computes with them. Friends found by their arguments only: they
     * take part in an expression if one of its operands is a DF, and in no other. ---- */
    friend DF operator+(const DF &a, const DF &b) { return of(LUNA_OP_ADD, a, b); }
    friend DF operator-(const DF &a, const DF &b) { return of(LUNA_OP_SUB, a, b); }
    friend DF operator*(const DF &a, const DF &b) { return of(LUNA_OP_MUL, a, b); }
    friend DF operator/(const DF &a, const DF &b) { return of(LUNA_OP_DIV, a, b); }
    friend DF operator%(const DF &a, const DF &b) { return of(LUNA_OP_MOD, a, b); }
    friend DF operator<(const DF &a, const DF &b) { return of(LUNA_OP_LT, a, b); }
    friend DF operator<=(const DF &a, const DF &b) { return of(LUNA_OP_LE, a, b); }
    friend DF operator>(const DF &a, const DF &b) { return of(LUNA_OP_GT, a, b); }
    friend DF operator>=(const DF &a, const DF &b) { return of(LUNA_OP_GE, a, b); }
    friend DF operator==(const DF &a, const DF &b) { return of(LUNA_OP_EQ, a, b); }
    friend DF operator!=(const DF &a, const DF &b) { return of(LUNA_OP_NE, a, b); }
    friend DF operator&&(const DF &a, const DF &b) { return of(LUNA_OP_AND, a, b); }

  private:
    void clear() { words[0] = words[1] = words[2] = words[3] = 0; }

    static void copy_bytes(void *to, const void *from, size_t size)
    {
        if (size) __builtin_memcpy(to, from, size);
    }

    static DF of(luna_op op, const DF &a, const DF &b)
    {
        DF result;
        luna_combine(&result, op, &a, &b);
        return result;
    }

    /* The text that `print` makes, of whatever length; most are short. */
    std::string text_of(size_t (*print)(const luna_df *, char *, size_t)) const
    {
        char few[64];
        size_t size = print(this, few, sizeof few);
        if (size < sizeof few) return std::string(few, size);
        std::string text(size + 1, '\0');
        print(this, &text[0], size + 1);
        text.resize(size);
        return text;
    }
};

template <> inline const int &DF::getValue<int>() const
{
    luna_get_int(this);
    return *static_cast<const int *>(luna_bytes(this));
}

template <> inline const double &DF::getValue<double>() const
{
    luna_get_real(this);
    return *static_cast<const double *>(luna_bytes(this));
}

template <> inline void DF::setValue<int>(const int &value)
{
    *this = value;
}

template <> inline void DF::setValue<double>(const double &value)
{
    *this = value;
}

template <> inline void DF::setValue<std::string>(const std::string &value)
{
    *this = value;
}

template <> inline std::string DF::get<std::string>() const
{
    return get_string();
}

static_assert(sizeof(DF) == 8 * LUNA_DF_WORDS, "a DF is a luna_df and nothing else");

typedef DF InputDF;
typedef DF OutputDF;

/* A list of fragments among the arguments: a `const InputDFs &` is a `const luna_inputs *`.
 *
 *     extern "C" void total(const InputDFs &parts, OutputDF &sum) // import total(value[], name)
 *     {
 *         double all = 0;
 *         for (const InputDF &part : parts) all += part.get_real();
 *         sum = all;
 *     } */
template <typename List, typename Item> class luna_list_of : private List
{
  public:
    class iterator
    {
      public:
        typedef std::forward_iterator_tag iterator_category;
        typedef DF value_type;
        typedef ptrdiff_t difference_type;
        typedef Item *pointer;
        typedef Item &reference;

        explicit iterator(luna_df *const *at) : at_(at) {}
        Item &operator*() const { return *reinterpret_cast<Item *>(*at_); }
        Item *operator->() const { return &**this; }
        iterator &operator++() { return ++at_, *this; }
        iterator operator++(int) { return iterator(at_++); }
        friend bool operator==(iterator a, iterator b) { return a.at_ == b.at_; }
        friend bool operator!=(iterator a, iterator b) { return a.at_ != b.at_; }

      private:
        luna_df *const *at_;
    };
    typedef iterator const_iterator;
    typedef DF value_type;

    size_t size() const { return this->n; }
    bool empty() const { return !this->n; }
    Item &operator[](size_t i) const { return *iterator(first() + i); }
    iterator begin() const { return iterator(first()); }
    iterator end() const { return iterator(first() + this->n); }

  private:
    luna_df *const *first() const { return const_cast<luna_df *const *>(this->df); }
};

typedef luna_list_of<luna_inputs, const InputDF> InputDFs;
typedef luna_list_of<luna_outputs, OutputDF> OutputDFs;

namespace luna
{
namespace ucenv
{
using ::DF;
using ::InputDF;
using ::InputDFs;
using ::OutputDF;
using ::OutputDFs;
using ::ValueType;
} // namespace ucenv
} // namespace luna

#endif
