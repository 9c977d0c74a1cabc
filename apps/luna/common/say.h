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
/* An output that cannot be written, with the error of the system. Gives the exit code: that of
 * wrong usage if it is the path's fault, else that of a system that failed. */
int  say_unwritten(const char *path, int e);

#endif
