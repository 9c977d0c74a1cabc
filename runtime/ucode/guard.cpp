/* guard.cpp - stops a C++ exception before it reaches the runtime, which is C.
 *
 * It is compiled into the object of a program that has C++ functions, so that the runtime itself
 * needs no C++ library. The runtime calls ucodes through luna_guard when there is one. */
#include <cxxabi.h>
#include <exception>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <typeinfo>

/* The type of the exception being handled, as people write it; `text` is freed by the caller. */
static char *
current_type()
{
    const std::type_info *type = abi::__cxa_current_exception_type();
    return type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr) : nullptr;
}

static void
describe(const char *what, char *text, size_t size)
{
    char *type = current_type();
    snprintf(text, size, "%s%s%s", type ? type : "unknown exception", what ? ": " : "",
             what ? what : "");
    free(type);
}

/* Calls fn(who); 1 if an exception left it, which is then described in `text`. */
extern "C" int
luna_guard(void (*fn)(void *who), void *who, char *text, size_t size)
{
    try {
        fn(who);
        return 0;
    } catch (abi::__forced_unwind &) {
        throw; /* the thread is being cancelled: glibc aborts the process if this ends here */
    } catch (const std::exception &e) {
        describe(e.what(), text, size);
    } catch (const std::string &message) {
        snprintf(text, size, "std::string: %s", message.c_str()); /* its full name fills a line */
    } catch (const char *message) {
        describe(message, text, size);
    } catch (...) {
        describe(nullptr, text, size);
    }
    return 1;
}
