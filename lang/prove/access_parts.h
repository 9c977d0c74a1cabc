/* access_parts.h - what the files of the walk share: each other's doors.
 *
 *     access.c        the walk: loops, branches, what a site does
 *     access_call.c   calls of structured subs, followed or not
 *     access_touch.c  what a statement touches
 *     access_truth.c  comparisons, as symbols
 *     access_word.c   what words and references stand for
 *
 * Each calls those below it, and access_call.c goes back to the walk for the body of a sub. All of
 * them add to the walk, which says where it is: at which site, in which activation. */
#ifndef LUNA_LANG_PROVE_ACCESS_PARTS_H
#define LUNA_LANG_PROVE_ACCESS_PARTS_H

#include "lang/prove/access.h"

/* ---- access.c ---- */
void access_block(struct walk *w, uint32_t block, const struct nesting *at);

/* ---- access_call.c ---- */
/* The call that is the walk's site. */
void access_expand(struct walk *w, const struct nesting *at);
/* Where requirement `i` of a sub holds, or (not `yes`) does not. */
const struct where *access_required(struct walk *w, const struct plan_sub *sub, uint32_t i,
                                    bool yes);

/* ---- access_touch.c ---- */
/* Of the walk's site, around which is `up`; the caller says the rest of it. */
struct nesting *access_new_step(struct walk *w, const struct nesting *up, enum step_kind kind);
/* NULL: it is of no DF of the sub that is looked at. */
struct access *access_add(struct walk *w, const struct nesting *at, uint32_t ref, struct span span,
                          bool write);
/* By the rule of row `post`; `out` as in struct access. */
void access_add_write(struct walk *w, const struct nesting *at, uint32_t ref, uint32_t post,
                      struct span span, int out);
void access_add_inputs(struct walk *w, const struct nesting *at);
void access_add_rules(struct walk *w, const struct nesting *at);

/* ---- access_truth.c ---- */
/* form.h asks for comparisons; `who` is the walk. */
const struct sums *access_truth_word(void *who, enum op op, const struct expr_node *a,
                                     const struct expr_node *b);

/* ---- access_word.c ---- */
/* Likewise for words: of the frame, of locals, and inputs. */
const struct sums *access_frame_word(void *who, unsigned word);
const struct sums *access_local_word(void *who, unsigned word);
const struct sums *access_input_word(void *who, unsigned number);
/* Its number among those that are fixed; it is within r. */
int access_new_fixed(struct walk *w, struct fixed x, struct interval r);
/* Where the counter of a while ends that begins with `from`. */
struct interval access_end_box(const struct walk *w, const struct sums *from);
/* Of a word of the frame of `s`, in the program's words. */
const char *access_word_name(const struct sub *s, uint32_t word);
/* What a reference stands for here. False: for no DF of the sub. */
bool access_resolve(struct walk *w, uint32_t ref, struct bound *out);
/* What it stands for, if that is one fragment of the whole activation. */
bool access_resolve_lone(struct walk *w, uint32_t ref, struct lone_fragment *out);

#endif
