/* arena.h - memory that is given out piece by piece and freed all at once.
 *
 * The compiler keeps everything in one arena, so its tree has no destructors. An allocation that
 * fails jumps to the handler set with arena_on_fail(): code that builds trees need not check.
 * arena_jump() goes there for another reason.
 *
 * Under the address sanitizer every piece is a malloc of its own, of its exact size, so that
 * whoever leaves it is seen; what arena_grow() has copied must not be read any more. */
#ifndef LUNA_BASE_ARENA_H
#define LUNA_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct arena;
struct buf;

struct arena *arena_new(void);              /* NULL: out of memory */
void          arena_free(struct arena *a);  /* NULL is fine */
void          arena_on_fail(struct arena *a, jmp_buf *where); /* NULL: return NULL instead */
void          arena_fails_like(struct arena *a, const struct arena *other); /* to its handler */

/* What setjmp gives there: memory is out, or the user has been told already what is wrong. Returns
 * if there is no handler. */
enum arena_jump { ARENA_NO_MEMORY = 1, ARENA_TOLD };
void arena_jump(struct arena *a, enum arena_jump why);

void *arena_alloc(struct arena *a, size_t bytes); /* zeroed, aligned for any type */
void *arena_grow(struct arena *a, void *old, size_t old_bytes, size_t bytes); /* copies */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_text(struct arena *a, struct buf *b); /* b's, which it frees; NULL: b has failed */

#define arena_new_of(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))

#endif
