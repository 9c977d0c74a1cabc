/* program.h - the contract between emitted C and the runtime: a program is tables of numbers.
 *
 * The compiler prints one `struct luna_program` whose rows name each other by row numbers; only
 * expressions that are not affine become functions. The runtime walks the tables. Whatever this
 * file holds is part of LUNA_ABI; an object made for another number is refused.
 *
 * Emitted C defines LUNA_EMITTED: then there are short names, too, for what expressions see and for
 * rows of the larger tables, each below its struct.
 *
 * How a name is found at run time
 *
 *     frame   words of one activation of a sub: its parameters, then its nfparams. Shared by all
 *             statements of the activation.
 *     local   words of the loops around a statement, outermost first: the counter of each for and
 *             while; behind it, if the body of that loop declares DFs, the identity of this
 *             iteration.
 *     in      the values of the DFs the statement waited for, in the order of its table.
 *
 * A DF is (identity, declaration, indices): the identity is that of the activation (frame->id), or
 * of the innermost loop iteration around the declaration that declares any DF.
 *
 * Why tables, and not code: docs/decisions/0001. */
#ifndef LUNA_PROGRAM_H
#define LUNA_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUNA_ABI 19u
#define LUNA_NONE 0xffffffffu /* no row */

enum luna_type { LUNA_UNSET, LUNA_INT, LUNA_REAL, LUNA_STRING, LUNA_BYTES, LUNA_NAME };

/* A value: int (32 bits in i), real (d), or a counted block (string, bytes). */
typedef union luna_word {
    int64_t i;
    double d;
    void *p; /* struct block of the runtime; in frames also struct name_ref */
} luna_word;

typedef struct luna_value {
    luna_word w;
    uint32_t type;  /* enum luna_type */
    uint32_t chain; /* of a traced run: what it comes from (data/chain.h); else 0 */
} luna_value;

/* How a name parameter begins. */
struct luna_named {
    uint64_t id;
    uint32_t df; /* row of program.dfs */
};

struct luna_df;

/* What an expression function sees. */
typedef struct luna_env {
    const luna_word *frame;
    const luna_word *local;
    const luna_value *in;
    const int32_t *ix;            /* the indices of the mention, in locator expressions */
    const struct luna_site *site; /* for messages */
    void *temps; /* the runtime's: values made on the way, freed after the statement */
    uint32_t arg; /* the runtime's: of the site, plus one, while it is evaluated; 0: none is */
    uint32_t about; /* the runtime's: LUNA_ABOUT or LUNA_ABOUT_LOCATOR while that is evaluated;
                     * 0: it is the site's own */
    const struct luna_df *out; /* by argument: what the call has set, for its counts (LUNA_F_OWN) */
} luna_env;

#ifdef LUNA_EMITTED
#define NONE LUNA_NONE
/* What expressions see: counters and ints of the frame, which DF a name parameter stands for,
 * reals, other values of the frame, inputs, and the indices of a mention. */
#define L(n) ((int32_t)e->local[n].i)
#define F(n) ((int32_t)e->frame[n].i)
#define DF(n) (((const struct luna_named *)e->frame[n].p)->df)
#define FR(n) (e->frame[n].d)
#define FV(n) luna_v_of_word(e, n)
#define IN(n) (e->in[n])
#define OUT(n) luna_v_out(e, n)
#define IX(n) (e->ix[n])
/* A number of readers; -1: there is no limit. */
static inline int32_t
luna_uses(int64_t n)
{
    return n > INT32_MAX ? -1 : (int32_t)n;
}
/* a / b, cut downwards; b > 0. */
static inline int64_t
luna_floor(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}
#endif

/* Sums of such ints do not wrap around in what is proved. */
#define LUNA_SMALL(n) ((n) >= -(INT64_C(1) << 24) && (n) < INT64_C(1) << 24)

/* ---- expressions ---- */
enum luna_expr_kind {
    LUNA_E_INT,      /* k */
    LUNA_E_REAL,     /* u.real */
    LUNA_E_STRING,   /* u.string */
    LUNA_E_LOCAL,    /* local[a].i + k */
    LUNA_E_FRAME,    /* frame[a].i + k: int parameters, nfparams */
    LUNA_E_IX,       /* ix[a] + k */
    LUNA_E_IN,       /* in[a], whatever its type */
    LUNA_E_FREAL,    /* frame[a].d */
    LUNA_E_FVALUE,   /* frame[a]: string or value parameter, as a value */
    LUNA_E_AFFINE,   /* k + sum of terms[u.terms .. +a) */
    LUNA_E_QUOTIENT, /* exprs[u.terms] / k, cut towards 0; that one is a sum or a word, k > 1 */
    LUNA_E_MODULO,   /* exprs[u.terms] modulo k, never negative; likewise */
    LUNA_E_SCALED,   /* v * a / n if n > a, else v; v: exprs[u.terms], n: exprs[k] */
    LUNA_E_SIDE,     /* exprs[u.terms], but at least 1 and at most a */
    LUNA_E_INT_FN,   /* functions: int, real, any value */
    LUNA_E_REAL_FN,
    LUNA_E_VALUE_FN
};

struct luna_term { /* coefficient times local[word] or frame[word] */
    int32_t coefficient;
    uint16_t word;
    uint16_t in_frame; /* 0: local, 1: frame */
};

struct luna_expr {
    uint8_t kind;
    uint8_t blind; /* of a function: it looks at no inputs */
    uint16_t a;
    int32_t k;
    union {
        double real;
        const char *string;
        uint64_t terms;
        int32_t (*int_fn)(const luna_env *);
        double (*real_fn)(const luna_env *);
        luna_value (*value_fn)(const luna_env *);
    } u;
};

#ifdef LUNA_EMITTED
#define E_INT(n) {.kind = LUNA_E_INT, .k = n}
#define E_REAL(r) {.kind = LUNA_E_REAL, .u.real = r}
#define E_STRING(s) {.kind = LUNA_E_STRING, .u.string = s}
#define E_LOCAL(word, n) {.kind = LUNA_E_LOCAL, .a = word, .k = n}
#define E_FRAME(word, n) {.kind = LUNA_E_FRAME, .a = word, .k = n}
#define E_IX(i, n) {.kind = LUNA_E_IX, .a = i, .k = n}
#define E_IN(i) {.kind = LUNA_E_IN, .a = i}
#define E_FREAL(word) {.kind = LUNA_E_FREAL, .a = word}
#define E_FVALUE(word) {.kind = LUNA_E_FVALUE, .a = word}
#define E_AFFINE(count, n, first) {.kind = LUNA_E_AFFINE, .a = count, .k = n, .u.terms = first}
#define E_QUOTIENT(expr, n) {.kind = LUNA_E_QUOTIENT, .k = n, .u.terms = expr}
#define E_MODULO(expr, n) {.kind = LUNA_E_MODULO, .k = n, .u.terms = expr}
#define E_SCALED(expr, most, n) {.kind = LUNA_E_SCALED, .a = most, .k = n, .u.terms = expr}
#define E_SIDE(expr, most) {.kind = LUNA_E_SIDE, .a = most, .u.terms = expr}
#define E_INT_FN(f, b) {.kind = LUNA_E_INT_FN, .blind = b, .u.int_fn = f}
#define E_REAL_FN(f, b) {.kind = LUNA_E_REAL_FN, .blind = b, .u.real_fn = f}
#define E_VALUE_FN(f, b) {.kind = LUNA_E_VALUE_FN, .blind = b, .u.value_fn = f}
#endif

/* ---- references to DFs ---- */
enum luna_base { LUNA_B_FRAME_ID, LUNA_B_LOCAL_ID, LUNA_B_PARAM };

/* Proved: what it names is within its shape; SMALL: for ints of main that are LUNA_SMALL. */
enum luna_inside { LUNA_INSIDE_NOT, LUNA_INSIDE_SMALL, LUNA_INSIDE_ALWAYS };

struct luna_ref {
    uint8_t base : 4, inside : 4; /* enum luna_base, luna_inside */
    uint8_t nindices; /* as written here; a parameter brings its own in front */
    uint16_t word;    /* LOCAL_ID: which local; PARAM: which frame word */
    uint32_t df;      /* declaration; LUNA_NONE with PARAM */
    uint32_t index;   /* exprs[index .. index + nindices) */
    uint32_t home;    /* locators[], where its home is as seen from here; LUNA_NONE: node 0 */
};

enum luna_locator_kind { LUNA_L_CYCLIC, LUNA_L_REPLICATE_ALL, LUNA_L_REPLICATE_STEP };

struct luna_locator {
    uint32_t kind;
    uint32_t expr;  /* sees ix = the indices written at the mention */
    uint32_t place; /* where it is written, if it can fail; LUNA_NONE: it cannot */
};

/* ---- inputs ---- */
enum luna_in_kind {
    LUNA_IN_NODE,    /* preliminary: needed to know where the statement runs */
    LUNA_IN_REQUEST, /* asked for at the DF's home */
    LUNA_IN_WAIT     /* comes by afterpush, never asked for */
};

struct luna_in {
    uint32_t ref;
    uint8_t kind;
    uint8_t again; /* enum luna_again: loops around the statement read the same in each turn, */
    uint16_t round; /* rounds follow each other; within one, order does not matter */
    uint32_t part;  /* only so much of it: parts[part - 1]; 0: the whole value */
    uint32_t turns; /* of these loops, exprs[turns - 1]; 0: who knows */
};

/* SPREAD: turns may run on other nodes. */
enum luna_again { LUNA_AGAIN_NOT, LUNA_AGAIN_HERE, LUNA_AGAIN_SPREAD };
/* A value of so many bytes stays on a node that reads it again. */
enum { LUNA_COPY_MIN = 4096 };

/* Numbers are counted from 0, each so many bytes; BYTES: so many from there. */
enum luna_part_kind {
    LUNA_PART_INT, LUNA_PART_REAL, LUNA_PART_INT64, LUNA_PART_FLOAT, LUNA_PART_BYTES
};

struct luna_part {
    uint32_t kind;
    uint32_t from, count; /* exprs[]; count: of BYTES, else LUNA_NONE */
};

/* ---- arguments ---- */
enum luna_arg_kind {
    LUNA_A_INT,    /* expr, converted to int */
    LUNA_A_REAL,
    LUNA_A_STRING,
    LUNA_A_VALUE,  /* expr, as it is: for value parameters */
    LUNA_A_NAME,   /* ref: an output of a call, or a reference handed to a sub */
    LUNA_A_LIST    /* any number of inputs or outputs: the row-th LIST of the call's body */
};

struct luna_arg {
    uint32_t kind;
    uint32_t row;  /* exprs[] or refs[] */
    uint32_t post;  /* A_NAME of an atomic call: posts[] that rules its value; LUNA_NONE: it is kept
                     * for ever */
    uint32_t place; /* where it is written, if it can fail; LUNA_NONE: it cannot */
};

/* What becomes of an output: dropped, or kept for `count` requests (LUNA_NONE: for ever). PROVED:
 * the compiler counted, for ints of main that are LUNA_SMALL; else the value is kept for ever. */
enum luna_post_kind { LUNA_P_KEEP, LUNA_P_COUNT, LUNA_P_DROP, LUNA_P_PROVED };

struct luna_post {
    uint32_t kind;
    uint32_t count; /* exprs[] */
};

struct luna_push { /* afterpush ref => label[index..] */
    uint32_t ref;
    uint32_t label; /* labels[] */
};

struct luna_label { /* a cf label as written: at the statement itself, or as the target of a push */
    uint32_t name; /* declaration number of the label, a row of dfs[] */
    uint32_t index;
    uint32_t nindices;
    uint32_t home; /* locators[], LUNA_NONE: node 0 */
};

/* ---- statements ---- */
enum luna_site_kind {
    LUNA_S_CALL,   /* of an atomic function: callee = functions[]; body: its LISTs, or LUNA_NONE */
    LUNA_S_EXPAND, /* of a structured sub: callee = subs[] */
    LUNA_S_FOR,    /* a, b: exprs of the bounds; body; step */
    LUNA_S_WHILE,  /* a: expr of the start; body: a block of the one LUNA_S_TEST */
    LUNA_S_TEST,   /* its counter is its last local; a: condition; body; its one argument (A_NAME):
                    * the DF that gets the counter when the condition fails */
    LUNA_S_IF,     /* a: condition; body; b: the block behind else, LUNA_NONE: there is none */
    LUNA_S_REDUCE, /* a: enum luna_operation; b: how many counters it has; callee: functions[] of
                    * LUNA_R_SUB; body: a block of one LUNA_S_TERM, with more counters in
                    * LUNA_S_FORs around it. Its arguments: the DF of the result (A_NAME); the
                    * bounds of each counter; ints that indices of the elements use. Behind its own
                    * locals the body sees all these ints, and behind them the counters */
    LUNA_S_TERM,   /* one element: input number a or, where a list is assigned, its one argument;
                    * callee: sites[] of its LUNA_S_REDUCE or LUNA_S_LIST */
    LUNA_S_LIST    /* no statement, but a row behind its call, callee: sites[]. As a REDUCE, but
                    * its first argument is a number, that of the call's argument; a: it is
                    * assigned, not read */
};

/* What a reduction combines two values by. */
enum luna_operation {
    LUNA_R_ADD, LUNA_R_MUL, LUNA_R_MIN, LUNA_R_MAX, LUNA_R_AND, LUNA_R_OR, LUNA_R_SUB
};

enum luna_site_flags {
    LUNA_F_STEALABLE = 1,
    LUNA_F_FRESH = 2,   /* FOR, TEST: each iteration gets an identity, behind the counter */
    LUNA_F_CARRIED = 4, /* FOR: iterations may feed each other; do not split it for thieves */
    LUNA_F_INTS = 8,    /* REDUCE: elements are taken as ints, bytes as 32-bit ints */
    LUNA_F_REALS = 16,  /* REDUCE: elements are taken as reals, bytes as doubles */
    LUNA_F_OWN = 32,    /* CALL: a count reads an output of the call itself */
    LUNA_F_INT64 = 64,  /* REDUCE: elements are arrays of 64-bit ints, */
    LUNA_F_FLOAT = 128, /* or of floats, */
    LUNA_F_COMPLEX = LUNA_F_INT64 | LUNA_F_FLOAT /* or of complex doubles */
};

struct luna_rules { /* the rarer parts of a statement; sites without any have rules = LUNA_NONE */
    uint32_t label;          /* labels[] */
    uint32_t node;           /* locators[]: where it runs, LUNA_NONE: on node 0; but */
    uint32_t near, nnear;    /* refs[]: the first of these that has a cell */
    uint32_t weight, priority; /* exprs[]; LUNA_NONE: 1, and as it comes */
    uint32_t set, nset;      /* refs[]: >> */
    uint32_t kill, nkill;    /* refs[]: -->, delete */
    uint32_t push, npush;    /* pushes[] */
    uint32_t nfparam, nnfparam; /* nfargs[]: (word of the callee's frame, expr) */
    uint32_t set_post;       /* posts[set_post .. + nset): what becomes of the values of >>;
                              * LUNA_NONE: they are kept */
};

struct luna_nfarg {
    uint32_t word, expr, real; /* real: as one, and not NaN */
};

struct luna_site {
    uint8_t kind;
    uint8_t flags;
    uint16_t nlocal; /* words of local it sees */
    uint16_t nin;
    uint16_t nargs;
    uint32_t in;     /* ins[in .. in + nin) */
    uint32_t arg;    /* args[arg .. arg + nargs) */
    union {
        uint32_t callee;
        int32_t step; /* FOR: from one iteration to the next, not 0 */
    };
    uint32_t body;   /* blocks[] */
    uint32_t a, b;   /* exprs[], or what the kind says */
    uint32_t rules;  /* rules[] */
    uint32_t place;  /* places[] */
    uint32_t sub;    /* subs[]: in which it is written */
};

#ifdef LUNA_EMITTED
/* What a kind has no use for is NONE. */
#define S_CALL(flags_, nlocal_, nin_, in_, nargs_, arg_, callee_, rules_, place_, sub_)            \
    {.kind = LUNA_S_CALL, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,              \
     .nargs = nargs_, .arg = arg_, .callee = callee_, .body = NONE, .a = NONE, .b = NONE,          \
     .rules = rules_, .place = place_, .sub = sub_}
#define S_EXPAND(flags_, nlocal_, nin_, in_, nargs_, arg_, callee_, rules_, place_, sub_)          \
    {.kind = LUNA_S_EXPAND, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,            \
     .nargs = nargs_, .arg = arg_, .callee = callee_, .body = NONE, .a = NONE, .b = NONE,          \
     .rules = rules_, .place = place_, .sub = sub_}
#define S_FOR(flags_, nlocal_, nin_, in_, lo, hi, body_, step_, rules_, place_, sub_)              \
    {.kind = LUNA_S_FOR, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,               \
     .step = step_, .body = body_, .a = lo, .b = hi, .rules = rules_, .place = place_,             \
     .sub = sub_}
#define S_WHILE(flags_, nlocal_, nin_, in_, start, body_, rules_, place_, sub_)                    \
    {.kind = LUNA_S_WHILE, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,             \
     .callee = NONE, .body = body_, .a = start, .b = NONE, .rules = rules_, .place = place_,       \
     .sub = sub_}
#define S_TEST(flags_, nlocal_, nin_, in_, nargs_, arg_, condition, body_, rules_, place_, sub_)   \
    {.kind = LUNA_S_TEST, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,              \
     .nargs = nargs_, .arg = arg_, .callee = NONE, .body = body_, .a = condition, .b = NONE,       \
     .rules = rules_, .place = place_, .sub = sub_}
#define S_IF(flags_, nlocal_, nin_, in_, condition, body_, other, rules_, place_, sub_)            \
    {.kind = LUNA_S_IF, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,                \
     .callee = NONE, .body = body_, .a = condition, .b = other, .rules = rules_, .place = place_,  \
     .sub = sub_}
#define S_REDUCE(flags_, nlocal_, nin_, in_, nargs_, arg_, callee_, body_, operation, counters,    \
                 rules_, place_, sub_)                                                             \
    {.kind = LUNA_S_REDUCE, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,            \
     .nargs = nargs_, .arg = arg_, .callee = callee_, .body = body_, .a = operation,               \
     .b = counters, .rules = rules_, .place = place_, .sub = sub_}
#define S_TERM(flags_, nlocal_, nin_, in_, callee_, input, rules_, place_, sub_)                   \
    {.kind = LUNA_S_TERM, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,              \
     .callee = callee_, .body = NONE, .a = input, .b = NONE, .rules = rules_, .place = place_,     \
     .sub = sub_}
/* A call with lists, a list, an element that is assigned. */
#define S_LISTS(flags_, nlocal_, nin_, in_, nargs_, arg_, callee_, body_, rules_, place_, sub_)    \
    {.kind = LUNA_S_CALL, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,              \
     .nargs = nargs_, .arg = arg_, .callee = callee_, .body = body_, .a = NONE, .b = NONE,         \
     .rules = rules_, .place = place_, .sub = sub_}
#define S_LIST(flags_, nlocal_, nin_, in_, nargs_, arg_, callee_, body_, assigned, counters,       \
               rules_, place_, sub_)                                                               \
    {.kind = LUNA_S_LIST, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,              \
     .nargs = nargs_, .arg = arg_, .callee = callee_, .body = body_, .a = assigned, .b = counters, \
     .rules = rules_, .place = place_, .sub = sub_}
#define S_ELEMENT(flags_, nlocal_, nin_, in_, nargs_, arg_, callee_, rules_, place_, sub_)         \
    {.kind = LUNA_S_TERM, .flags = flags_, .nlocal = nlocal_, .nin = nin_, .in = in_,              \
     .nargs = nargs_, .arg = arg_, .callee = callee_, .body = NONE, .a = NONE, .b = NONE,          \
     .rules = rules_, .place = place_, .sub = sub_}
#endif

struct luna_block { /* statements that are spawned together: sites[site .. site + nsites) */
    uint32_t site, nsites;
};

/* ---- what is called ---- */
struct luna_list { /* luna_inputs and luna_outputs of luna.h */
    struct luna_df *const *df;
    size_t n;
};

typedef union luna_actual {
    int32_t i;
    double d;
    const char *s;
    const struct luna_df *in;
    struct luna_df *out;
    const struct luna_list *list;
} luna_actual;

struct luna_function { /* an atomic sub */
    const char *name;
    void (*call)(const luna_actual *); /* emitted: passes them with their C types */
    const char *params;                /* a letter each: i r s v n; lists: V N */
    uint32_t place;
    uint32_t spare;
};

struct luna_sub { /* a structured sub */
    const char *name;
    const char *params; /* a letter each, as above */
    uint32_t nwords;    /* of its frame: parameters, then nfparams and what else locators use */
    uint32_t body;      /* blocks[] */
    uint32_t place;
    uint32_t nlocal_max; /* most locals any of its statements sees */
    uint32_t require, nrequire; /* requires[]: what its frame must fulfil */
};

struct luna_require { /* an expression of the frame that is not 0 */
    uint32_t expr;
    uint32_t place;
    const char *text;
};

struct luna_decl { /* a DF or a label: its name in messages is sub.name */
    const char *name;
    uint32_t sub;
    uint32_t place;
    uint32_t about; /* abouts[]; LUNA_NONE: nothing is said of its fragments */
};

/* ---- what is said of a declaration: where its fragments are on the program's lattice, how large
 * they are, which there are ----
 *
 * The expressions see the whole index vector as ix. What they use of the block that declares the
 * DF, counters and parameters, is fixed when that block runs: these words are captured, travel
 * with the name when it is handed to a sub, and are the frame of the expressions. Rules that the
 * compiler found also capture indices of names that the sub was given. */
struct luna_about {
    uint32_t nindices; /* of a fragment of which it is said */
    uint32_t cell;     /* exprs[cell .. cell + program.nextents); LUNA_NONE: it is bound to none */
    uint32_t bytes;    /* exprs[]: how large it is; LUNA_NONE: nobody says */
    uint32_t shape;    /* exprs[shape .. + 2 * nindices): the ends of each index;
                        * LUNA_NONE: it may have any */
    uint32_t outside;  /* exprs[]: what is read beyond its shape; LUNA_NONE: nothing may be */
    uint32_t counted;  /* indices, by bit, whose second end is the first beyond, not the last */
    uint32_t capture;  /* captures[capture .. capture + ncaptures) */
    uint32_t ncaptures;
    uint32_t place[3]; /* of these rules, by luna_about_part; a shape has that of the declaration */
};

enum luna_about_part { LUNA_ABOUT_CELL, LUNA_ABOUT_BYTES, LUNA_ABOUT_OUTSIDE, LUNA_ABOUT_SHAPE };
/* A part of what is said of a declaration, by its row in dfs[]. */
#define LUNA_ABOUT(df, part) (4 * (df) + (part) + 1)
/* A row of locators[] that has a place. */
#define LUNA_ABOUT_LOCATOR(row) (0x80000000u + (row))

enum { ABOUT_CAPTURES_MAX = 16 };

enum luna_capture_from {
    LUNA_C_LOCAL,
    LUNA_C_FRAME,
    LUNA_C_INDEX /* this index of the name in that word of the frame; 0: it has no such */
};
struct luna_capture {
    uint16_t word;
    uint8_t from, index;
};

struct luna_place { /* 1-based; end_col is one past, on the same line */
    uint32_t file, line;
    uint16_t col, end_col;
};

/* ---- place: rules that the compiler found ----
 *
 * They are in force if the user wants so, there is more than one node, and its functions do not
 * keep the program on one: by variables that all calls share, or standard input. */
enum luna_stays { /* why they are not, and another thing that only the linker knows: */
    LUNA_STAYS_NOT,
    LUNA_STAYS_VARIABLE,
    LUNA_STAYS_STDIN,
    LUNA_STAYS_WHY = 255,
    LUNA_SETS_FLOATING = 256 /* functions change how floating-point arithmetic rounds, or traps */
};
struct luna_placed { /* dfs[row].about, or sites[row].rules, is `now` */
    uint32_t row, now;
};

/* With arguments of main for which the expression of its frame is not 0 no run ends well. */
struct luna_refusal {
    uint32_t expr;
    const char *text; /* FILE:LINE:COL: error[CODE]: why */
};

struct luna_program {
    uint32_t abi;
    uint32_t main; /* subs[] */
    const char *version; /* of the compiler that made it */
    const char *name;    /* of the .fa file */
    uint64_t hash;       /* of the source and all it includes, for the check that all ranks agree */
    const struct luna_sub *subs;
    const struct luna_function *functions;
    const struct luna_decl *dfs;
    const struct luna_site *sites;
    const struct luna_block *blocks;
    const struct luna_expr *exprs;
    const struct luna_term *terms;
    const struct luna_ref *refs;
    const struct luna_in *ins;
    const struct luna_part *parts;
    const struct luna_arg *args;
    const struct luna_post *posts;
    const struct luna_rules *rules;
    const struct luna_locator *locators;
    const struct luna_label *labels;
    const struct luna_push *pushes;
    const struct luna_nfarg *nfargs;
    const struct luna_about *abouts;
    const struct luna_capture *captures;
    const struct luna_place *places;
    const struct luna_require *requires;
    const struct luna_refusal *refusals;
    const struct luna_placed *placed_dfs, *placed_sites;
    const char *const *files;
    uint32_t nsubs, nfunctions, ndfs, nsites, nblocks, nexprs, nterms, nrefs, nins, nparts, nargs,
        nposts, nrules, nlocators, nlabels, npushes, nnfargs, nabouts, ncaptures, nplaces,
        nrequires, nrefusals, nplaced_dfs, nplaced_sites, nfiles;
    uint32_t extent, nextents; /* exprs[]: sides of the lattice of cells; 0: there is none; */
    uint32_t lattice_sub;      /* in this sub's frame. Not main's: they come when it is called */
    uint32_t placed_extent, nplaced_extents; /* likewise, of place */
    uint32_t wanders;   /* with these the work goes through the cells: triangles, wavefronts */
    uint32_t is_placed; /* the runtime's: what place found is in force */
    uint32_t stays;     /* the loader's: enum luna_stays; an object has a symbol of this value */
    uint32_t asks_owners;      /* an expression calls luna_node_of */
    uint32_t shaped;           /* some abouts[] have a shape */
    /* Runs fn(who) so that a C++ exception that leaves it becomes a text; NULL: there is no C++. */
    int (*guard)(void (*fn)(void *who), void *who, char *text, size_t size);
    const char *main_params; /* letters of main's parameters */
    const char *const *main_param_names;
};

/* The one symbol of an emitted object. */
extern const struct luna_program luna_program;

/* ---- what expression functions may call ----
 *
 * All report faults at env->site, and do not return then. */
#pragma GCC visibility push(default) /* emitted C finds them in the program that opens it */
luna_value luna_v_add(const luna_env *e, luna_value a, luna_value b); /* strings: joined */
luna_value luna_v_sub(const luna_env *e, luna_value a, luna_value b);
luna_value luna_v_mul(const luna_env *e, luna_value a, luna_value b);
luna_value luna_v_div(const luna_env *e, luna_value a, luna_value b);
luna_value luna_v_mod(const luna_env *e, luna_value a, luna_value b);
luna_value luna_v_neg(const luna_env *e, luna_value a);
int32_t luna_v_lt(const luna_env *e, luna_value a, luna_value b); /* comparisons: 0 or 1 */
int32_t luna_v_le(const luna_env *e, luna_value a, luna_value b);
int32_t luna_v_eq(const luna_env *e, luna_value a, luna_value b); /* also two strings */
luna_value luna_v_cat(const luna_env *e, luna_value a, luna_value b); /* as strings, joined */
int32_t luna_v_int(const luna_env *e, luna_value a); /* real: truncated; others are a fault */
double luna_v_real(const luna_env *e, luna_value a);
luna_value luna_v_string(const luna_env *e, luna_value a);
int32_t luna_v_true(const luna_env *e, luna_value a); /* real: not 0 when cut */
luna_value luna_v_of_string(const luna_env *e, const char *text);
luna_value luna_v_of_word(const luna_env *e, uint32_t frame_word); /* string or value parameter */
luna_value luna_v_out(const luna_env *e, uint32_t arg); /* an output of this call */
int32_t luna_i_add(const luna_env *e, int32_t a, int32_t b); /* under -g: these tell of wrapping */
int32_t luna_i_sub(const luna_env *e, int32_t a, int32_t b);
int32_t luna_i_mul(const luna_env *e, int32_t a, int32_t b);
int32_t luna_i_div(const luna_env *e, int32_t a, int32_t b); /* wraps around; reports b = 0 */
int32_t luna_i_mod(const luna_env *e, int32_t a, int32_t b);
int32_t luna_r_int(const luna_env *e, double a); /* truncates; reports what does not fit */
int32_t luna_nodes(const luna_env *e); /* of the run */
/* The node that owned this cell at the start; reports one outside the lattice. Coordinates of
 * dimensions that the lattice does not have are 0. */
int32_t luna_node_of(const luna_env *e, int32_t i, int32_t j, int32_t k);
#pragma GCC visibility pop

/* By what is mostly divided no call is needed. */
static inline int32_t
luna_q_div(const luna_env *e, int32_t a, int32_t b)
{
    return b > 0 ? a / b : luna_i_div(e, a, b);
}

static inline int32_t
luna_q_mod(const luna_env *e, int32_t a, int32_t b)
{
    return b > 0 ? a % b : luna_i_mod(e, a, b);
}

static inline luna_value
luna_v_of_int(int32_t i)
{
    luna_value v;
    v.w.i = i;
    v.type = LUNA_INT;
    v.chain = 0;
    return v;
}

static inline luna_value
luna_v_of_real(double d)
{
    luna_value v;
    v.w.d = d;
    v.type = LUNA_REAL;
    v.chain = 0;
    return v;
}

/* ?: is real if the value of either branch is. The branch that is not taken is not computed: its
 * type follows from those of what it is made of. */
static inline luna_value
luna_v_beside(luna_value taken, uint32_t other)
{
    return taken.type == LUNA_INT && other == LUNA_REAL ? luna_v_of_real((double)taken.w.i) : taken;
}

static inline uint32_t
luna_t_either(uint32_t a, uint32_t b) /* of arithmetic, and of ?: again */
{
    return a == LUNA_REAL ? a : b == LUNA_REAL ? b : a;
}

static inline uint32_t
luna_t_add(uint32_t a, uint32_t b)
{
    return a == LUNA_STRING ? a : b == LUNA_STRING ? b : luna_t_either(a, b);
}

#ifdef __cplusplus
}
#endif

#endif
