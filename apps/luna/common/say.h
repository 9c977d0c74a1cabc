/* say.h - what the command itself has to say, on stderr: one line of error, one of advice.
 *
 *     luna: error: no such file: 'helo.fa'
 *     hint: did you mean 'hello.fa'?
 *
 * Faults of the user's program are diagnostics (lang/report/diag.h), not this. */
#ifndef LUNA_APPS_SAY_H
#define LUNA_APPS_SAY_H

void say_name(const char *name); /* what stands in front: luna, or the name of a built program */
void say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* --verbose */

#endif
