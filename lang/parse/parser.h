/* parser.h - what the parts of the parser share: lex.l, tokens.c, parse.y, expect.c, slips.c.
 *
 *     plain text --lex.l--> raw tokens --tokens.c--> tokens --parse.y--> tree
 *
 * Bison resynchronises by throwing tokens away until one fits; it does not know that braces come in
 * pairs. So the grammar has one way to go on after an error, `error SYNC` (or `error { lines }`),
 * and tokens.c, which knows brackets, makes the SYNC: behind the next `;`, before the `}` that
 * closes the block, before the next sub. Thus one error costs one statement, and none cascades. */
#ifndef LUNA_LANG_PARSE_PARSER_H
#define LUNA_LANG_PARSE_PARSER_H

#include "lang/prep/prep.h"
#include "lang/tree/ast.h"
#include "lang/tree/names.h"

enum { NESTING_MAX = 256, AGAIN_MAX = 4 };

struct token {
    int kind;
    struct span span;
};

struct parser {
    struct arena *arena;
    struct diag *diag;
    const struct prep *prep;
    struct names *names;
    const char *text; /* the plain text */
    size_t size;
    struct ast *tree;
    struct sub **subs_end;
    struct symbol **consts_end;
    struct foreign_head **heads_end;

    /* lex.l */
    void *scanner;
    uint32_t at; /* offset behind the last raw token */

    /* tokens.c */
    struct token last, before; /* last given to Bison, and the one before */
    bool skipping;             /* Bison is throwing away: make a SYNC */
    bool dead;                 /* nested too deeply: nothing but the end from here on */
    bool extra;                /* `last` is a closing bracket that closes nothing */
    int rules;                 /* braces that are open, with the one of @ {; 0: we are in none */
    int braces, brackets;      /* open {, open ( and [ since the last statement began */
    int over;                  /* brackets that are open where a list stands; 0: it has ended */
    bool ranged;               /* the '..' of the last `for` has come, and no `by` */
    bool by_is_sub;            /* a sub of the program is called `by` */
    struct span open[NESTING_MAX + 1]; /* the braces that are open */
    int unclosed;              /* brackets that the last broken statement left open */
    int closers;               /* '}' to be given before anything else ... */
    struct token again[AGAIN_MAX];   /* ... and tokens to be given once more */
    int nagain;
    struct token header;       /* keyword of the header `last` ends or stands in, K_NAME: reduce;
                                * kind 0: none */

    /* expect.c */
    int mute;        /* say nothing while so many braces are open: it is C in plain braces; 0: no */
    int quiet;       /* so many tokens more belong to an error already told */
    uint32_t bad_at; /* offset behind an invalid symbol: an error right there is told already */
    bool stray;      /* outside of any sub, behind an error: until the next one all is part of it */
    bool rule_lost;  /* a rule was left out */
    int assumed;     /* '}' told to be missing, which may come yet */
    uint64_t told;   /* reserved words used as names so far, by token kind */
};

static inline bool
parser_muted(const struct parser *p)
{
    return p->dead || (p->mute && p->braces >= p->mute);
}

/* Is this a word of the language that stands where a name would, in front of one of ) ] , ; ? */
bool token_is_alone(const struct parser *p, struct token t);
/* Whether a sub or an import of the program, wherever it stands, has this name. */
bool token_names_sub(const struct parser *p, const char *word);
/* Points the lexer at p->text. */
void lex_begin(struct parser *p);
/* A syntax error at the last token; `expected` are the grammar's token names. */
void expect_report(struct parser *p, const char *const *expected, int n);
/* `word` stands where the declaration of a name belongs. */
void expect_reserved(struct parser *p, struct token word);

#endif
