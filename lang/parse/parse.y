/* parse.y - the grammar of .fa, as the language description has it; build.c makes the tree.
 *
 * Errors: `error SYNC` or `error body` drops what is broken; tokens.c places the SYNC (parser.h).
 * A missing ';' is the most common slip: where only it can follow, `error` alone stands for it. */
%code requires {
#include "lang/parse/build.h"
}

%code {
#include "lang/parse/parse.h"
#include "lang/report/diag.h"
#include "parse.tab.h"
#include "runtime/base/mem.h"

#include <string.h>

#define YYLLOC_DEFAULT(now, rhs, n)                                                                \
    ((now).lo = (n) ? YYRHSLOC(rhs, 1).lo : YYRHSLOC(rhs, 0).hi,                                   \
     (now).hi = (n) ? YYRHSLOC(rhs, n).hi : YYRHSLOC(rhs, 0).hi)

/* The stack is small at first, as that of the process may be. It grows once, in the arena, which is
 * freed whatever ends the parse, and has a bound. */
#define YYMAXDEPTH 4000
#define YYINITDEPTH 200
#define yyoverflow(words, s, ns, v, nv, l, nl, size)                                               \
    do {                                                                                           \
        if (*(size) >= YYMAXDEPTH) YYNOMEM;                                                        \
        *(s) = stack_moved(p, *(s), ns, sizeof **(s));                                             \
        *(v) = stack_moved(p, *(v), nv, sizeof **(v));                                             \
        *(l) = stack_moved(p, *(l), nl, sizeof **(l));                                             \
        *(size) = YYMAXDEPTH;                                                                      \
    } while (0)
#define YYMALLOC mem_alloc
#define YYFREE mem_free

int  falex(FASTYPE *lval, FALTYPE *lloc, struct parser *p);
static void faerror(const FALTYPE *at, struct parser *p, const char *words);

static bool same_line(const struct parser *p);
static void *stack_moved(struct parser *p, const void *from, size_t used, size_t item);

/* A ';' is missing, nothing else: the token that told us so is the next statement's. */
#define GO_ON (p->skipping = false, p->quiet = 2, yyerrok)

/* A name that is a word only in this place; `...`: what belongs here. */
#define WORD(name, word, ...)                                                                      \
    do {                                                                                           \
        static const char *const wanted[] = {__VA_ARGS__};                                         \
        if (!strcmp((name).text, word)) break;                                                     \
        expect_report(p, wanted, sizeof wanted / sizeof *wanted);                                  \
        YYERROR;                                                                                   \
    } while (0)
}

%require "3.7"
%define api.pure full
%define api.prefix {fa}
%define api.token.prefix {K_}
%define api.location.type {struct span}
%define parse.lac full
%define parse.error custom
%locations
%param { struct parser *p }
%expect 0

%union {
    struct name name;
    struct symbol_text string;
    int64_t ival;
    double rval;
    const struct foreign *foreign;
    enum type type;
    enum items items;
    struct token token;
    struct expr *expr;
    struct expr_list exprs;
    struct ref *ref;
    struct ref_list refs;
    struct rule *rule;
    struct rule_list rules;
    struct range_list ranges;
    struct symbol *symbol;
    struct symbol_list symbols;
    struct pragma *pragma;
    struct stmt *stmt;
    struct lines lines;
    struct code_block *block;
    struct sub *sub;
}

%token END 0 "end of file"
%token SYNC "(sync)"
%token AS "'as'" CF "'cf'" DF "'df'" IMPORT "'import'" FOR "'for'" IF "'if'" ELSE "'else'"
%token LET "'let'" IN "'in'" OUT "'out'" SIZE "'SIZE'" SUB "'sub'" WHILE "'while'"
%token INT_TYPE "'int'" REAL_TYPE "'real'" STRING_TYPE "'string'" NAME_TYPE "'name'"
%token VALUE_TYPE "'value'" RUSH "'rush'" STATIC "'static'" STATIC_FOR "'static_for'"
%token UNROLLING "'unrolling'" CUDA "'CUDA'" NOCPU "'NOCPU'" BLOCK "'__block'" CPP "'C++'"
%token CONST "'const'" NODE_OF "'node'" OVER "'over'" BY "'by'" NEXT "', NAME ='"
%token <name> NAME "a name"
%token <name> ITEMS_OF "'int64' or 'float'"
%token <ival> INT "an integer"
%token <rval> REAL "a real number"
%token <string> STRING "a string"
%token <foreign> FOREIGN "a foreign block"
%token DOTS "'..'" MAPS "'=>'" KILLS "'-->'" SHL "'<<'" SETS "'>>'"
%token EQ "'=='" NE "'!='" LE "'<='" GE "'>='" AND "'&&'" OR "'||'"

/* A '}' that is followed by an error is done: see braced. */
%precedence BLOCK_END
%precedence error

/* An `else` belongs to the nearest `if`. */
%precedence IF_END
%precedence ELSE

%left '?' ':'
%left OR
%left AND
%left '<' LE EQ NE '>' GE
%left '+' '-'
%left '*' '/' '%'

%type <name>    decl_name reduce_word reduce_op callee
%type <token>   reserved pragma_word
%type <type>    type cast_type number_type
%type <items>   item_word
%type <expr>    base expr by_opt
%type <expr>    actual
%type <exprs>   args exprs outs actuals actual_list
%type <ref>     ref
%type <rule>    rule
%type <rules>   rules behaviour behaviour_opt
%type <refs>    flags
%type <ranges>  range ranges list_ranges
%type <symbol>  param ptype list_param
%type <symbols> params param_list ptypes ptype_list df_names lets
%type <pragma>  pragma pragma_opt
%type <stmt>    statement call call_labelled call_set call_kill call_ruled call_done reduction
%type <lines>   lines
%type <block>   block braced
%type <sub>     import_func import_as import_cuda cpp_sub

%%

program:
    %empty {
        /* If not, it could not be read: that is told. */
        if (!diag_errors(p->diag)) diag(p->diag, SEV_ERROR, D_PAR1, @$, "the program is empty");
        p->tree->lost = true;
    }
  | items
  ;

items: item | items item ;

item:
    good_item           { p->stray = false; }
  | error SYNC          { p->tree->lost = p->stray = true; yyerrok; }
  | error braced        { p->tree->lost = p->stray = true; }
  ;

good_item: sub | cpp_sub | head | import | constant
  ;

sub:
    SUB pragma_opt decl_name params block {
        struct sub *s = build_sub(p, SUB_STRUCT, $3, $4, (struct span){@1.lo, @4.hi});
        s->pragma = $2;
        s->body = $5;
        build_add_sub(p, s);
    }
  ;

cpp_sub:
    CPP SUB decl_name params FOREIGN {
        $$ = build_sub(p, SUB_INLINE, $3, $4, (struct span){@1.lo, @4.hi});
        $$->lang = LANG_CPP;
        $$->foreign = $5;
        build_add_sub(p, $$);
    }
  | c_word SUB decl_name params FOREIGN {
        $$ = build_sub(p, SUB_INLINE, $3, $4, (struct span){@1.lo, @4.hi});
        $$->lang = LANG_C;
        $$->foreign = $5;
        build_add_sub(p, $$);
    }
  ;

head:
    CPP head_word FOREIGN       { build_add_head(p, LANG_CPP, $3, @$); }
  | c_word head_word FOREIGN    { build_add_head(p, LANG_C, $3, @$); }
  ;

c_word:     NAME { WORD($1, "C", "'sub'", "'import'", "'C sub'", "'C++ sub'"); } ;
head_word:  NAME { WORD($1, "head", "'sub'", "'head'"); } ;

import:
    import_func ';'     { build_add_sub(p, $1); }
  | import_func error   { build_add_sub(p, $1); GO_ON; }
  | import_as ';'       { build_add_sub(p, $1); }
  | import_as error     { build_add_sub(p, $1); GO_ON; }
  | import_cuda ';'     { build_add_sub(p, $1); }
  | import_cuda error   { build_add_sub(p, $1); GO_ON; }
  ;

import_func:
    IMPORT NAME '(' ptypes ')' {
        $$ = build_sub(p, SUB_IMPORT, $2, $4, @$);
        $$->func = $2;
    }
  ;

import_as:
    import_func AS decl_name { $$ = $1; $$->name = $3; $$->span.hi = @3.hi; }
  ;

import_cuda:
    import_func ':' CUDA            { $$ = $1; $$->cuda = true; }
  | import_as ':' CUDA              { $$ = $1; $$->cuda = true; }
  | import_cuda ',' NOCPU           { $$ = $1; $$->nocpu = true; }
  ;

/* `const` is a word only among items: tokens.c. */
constant:
    CONST NAME '=' expr ';'     { build_add_const(p, $2, $4); }
  | CONST NAME '=' expr error   { build_add_const(p, $2, $4); GO_ON; }
  ;

ptypes: %empty { $$ = (struct symbol_list){0}; } | ptype_list ;

ptype_list:
    ptype               { $$ = (struct symbol_list){$1, $1, 1}; }
  | ptype_list ',' ptype { $$ = $1; $3->number = $$.n++; LIST_ADD($$, $3); }
  ;

ptype:
    type                { $$ = build_symbol(p, SYM_PARAM, (struct name){"", @1}); $$->type = $1; }
  | type decl_name      { $$ = build_symbol(p, SYM_PARAM, $2); $$->type = $1; }
  | type '[' ']' {
        $$ = build_symbol(p, SYM_PARAM, (struct name){"", @$});
        $$->type = $1;
        $$->list = true;
    }
  | list_param
  ;

params:
    '(' ')'             { $$ = (struct symbol_list){0}; }
  | '(' param_list ')'  { $$ = $2; }
  ;

param_list:
    param               { $$ = (struct symbol_list){$1, $1, 1}; }
  | param_list ',' param { $$ = $1; $3->number = $$.n++; LIST_ADD($$, $3); }
  ;

param:
    type decl_name      { $$ = build_symbol(p, SYM_PARAM, $2); $$->type = $1; }
  | list_param
  ;

list_param:
    type decl_name '[' ']' {
        $$ = build_symbol(p, SYM_PARAM, $2);
        $$->type = $1;
        $$->list = true;
    }
  ;

type:
    cast_type
  | NAME_TYPE           { $$ = T_NAME; }
  | VALUE_TYPE          { $$ = T_VALUE; }
  | VALUE_TYPE '&'      { $$ = T_VALUE; }
  ;

cast_type:
    INT_TYPE            { $$ = T_INT; }
  | REAL_TYPE           { $$ = T_REAL; }
  | STRING_TYPE         { $$ = T_STRING; }
  ;

decl_name:
    NAME
  | reserved            { $$ = build_reserved(p, $1); }
  ;

/* Not those that begin a statement or a sub: there a name is more likely to be missing. */
reserved:
    AS                  { $$ = (struct token){K_AS, @$}; }
  | IN                  { $$ = (struct token){K_IN, @$}; }
  | OUT                 { $$ = (struct token){K_OUT, @$}; }
  | SIZE                { $$ = (struct token){K_SIZE, @$}; }
  | INT_TYPE            { $$ = (struct token){K_INT_TYPE, @$}; }
  | REAL_TYPE           { $$ = (struct token){K_REAL_TYPE, @$}; }
  | STRING_TYPE         { $$ = (struct token){K_STRING_TYPE, @$}; }
  | NAME_TYPE           { $$ = (struct token){K_NAME_TYPE, @$}; }
  | VALUE_TYPE          { $$ = (struct token){K_VALUE_TYPE, @$}; }
  | RUSH                { $$ = (struct token){K_RUSH, @$}; }
  | STATIC              { $$ = (struct token){K_STATIC, @$}; }
  | STATIC_FOR          { $$ = (struct token){K_STATIC_FOR, @$}; }
  | UNROLLING           { $$ = (struct token){K_UNROLLING, @$}; }
  | CUDA                { $$ = (struct token){K_CUDA, @$}; }
  | NOCPU               { $$ = (struct token){K_NOCPU, @$}; }
  | BLOCK               { $$ = (struct token){K_BLOCK, @$}; }
  ;

/* ---- blocks ---- */

block:
    statement {
        $$ = arena_new_of(p->arena, struct code_block);
        $$->span = @1;
        $$->stmts = $1;
    }
  | braced
  ;

braced:
    lbrace lines '}' behaviour_opt {
        $$ = build_block(p, $2, (struct span){@1.lo, @3.hi});
        $$->rules = $4.first;
        if (p->rule_lost) p->tree->lost = true; /* it may have been an nfparam */
        p->rule_lost = false;
    }
  /* No error behind the brace may reach back into the block. */
  | lbrace lines '}' error {
        $$ = build_block(p, $2, (struct span){@1.lo, @3.hi});
        GO_ON;
    }
  ;

lbrace: '{'             { p->skipping = false; yyerrok; } ;

lines:
    %empty {
        $$.block = arena_new_of(p->arena, struct code_block);
        $$.block->braced = true;
        $$.last = NULL;
        $$.last_df = NULL;
        $$.broken = false;
    }
  | lines statement {
        $$ = $1;
        if ($$.last) $$.last->next = $2;
        else $$.block->stmts = $2;
        $$.last = $2;
    }
  | lines DF df_names ';'   { $$ = $1; build_df(p, &$$, $3, (struct span){@2.lo, @4.hi}); }
  | lines DF df_names error {
        $$ = $1;
        build_df(p, &$$, $3, (struct span){@2.lo, @3.hi});
        if (same_line(p)) p->tree->lost = true; /* df a b; */
        GO_ON;
    }
  | lines DF error SYNC {
        $$ = $1;
        build_df(p, &$$, (struct symbol_list){0}, @2);
        p->tree->lost = true;
        yyerrok;
    }
  | lines DF error braced   { $$ = $1; p->tree->lost = true; }
  | lines error SYNC        { $$ = $1; $$.broken = true; yyerrok; }
  | lines error braced      { $$ = $1; $$.broken = true; p->tree->lost = true; }
  ;

/* A shape belongs to the last name. */
df_names:
    decl_name {
        $$.first = $$.last = build_symbol(p, SYM_DF, $1);
        $$.n = 1;
    }
  | df_names ',' decl_name {
        $$ = $1;
        struct symbol *s = build_symbol(p, SYM_DF, $3);
        LIST_ADD($$, s);
    }
  | df_names '[' expr ']' {
        $$ = $1;
        build_shape(p, $$.last, NULL, $3, (struct span){@2.lo, @4.hi});
    }
  | df_names '[' expr DOTS expr ']' {
        $$ = $1;
        build_shape(p, $$.last, $3, $5, (struct span){@2.lo, @6.hi});
    }
  ;

/* ---- statements ---- */

statement:
    call_done
  | LET lets block {
        $$ = build_stmt(p, S_LET, (struct span){@1.lo, @2.hi});
        $$->lets = $2.first;
        $$->body = $3;
    }
  | FOR pragma_opt decl_name '=' expr DOTS expr by_opt block {
        $$ = build_stmt(p, S_FOR, (struct span){@1.lo, $8 ? @8.hi : @7.hi});
        $$->pragma = $2;
        $$->counter = build_symbol(p, SYM_FOR, $3);
        $$->lo = $5;
        $$->hi = $7;
        $$->by = $8;
        $$->body = $9;
    }
  | WHILE pragma_opt expr ',' decl_name '=' expr DOTS OUT ref block {
        $$ = build_stmt(p, S_WHILE, (struct span){@1.lo, @10.hi});
        $$->pragma = $2;
        $$->cond = $3;
        $$->counter = build_symbol(p, SYM_WHILE, $5);
        $$->lo = $7;
        $$->out = $10;
        $$->body = $11;
    }
  | IF expr block %prec IF_END {
        $$ = build_if(p, $2, $3, NULL, (struct span){@1.lo, @2.hi});
    }
  | IF expr block ELSE block {
        $$ = build_if(p, $2, $3, $5, (struct span){@1.lo, @2.hi});
    }
  ;

/* `by` is a word only here: tokens.c. */
by_opt: %empty { $$ = NULL; } | BY expr { $$ = $2; } ;

lets:
    decl_name '=' expr {
        $$.first = $$.last = build_symbol(p, SYM_LET, $1);
        $$.n = 1;
        $$.first->let_value = $3;
    }
  | lets ',' decl_name '=' expr {
        $$ = $1;
        struct symbol *s = build_symbol(p, SYM_LET, $3);
        s->let_value = $5;
        s->number = $$.n++;
        LIST_ADD($$, s);
    }
  ;

/* Each stage in which a ';' may follow is a symbol of its own, so that `error` can stand for it. */
call_done:
    call_labelled ';'
  | call_set ';'
  | call_kill ';'
  | call_ruled ';'
  | reduction ';'
  | call_labelled error { $$ = $1; GO_ON; }
  | call_set error      { $$ = $1; GO_ON; }
  | call_kill error     { $$ = $1; GO_ON; }
  | call_ruled error    { $$ = $1; GO_ON; }
  | reduction error     { $$ = $1; GO_ON; }
  ;

call_ruled:
    call_labelled behaviour { $$ = $1; $$->rules = $2.first; p->rule_lost = false; }
  | call_set behaviour  { $$ = $1; $$->rules = $2.first; p->rule_lost = false; }
  | call_kill behaviour { $$ = $1; $$->rules = $2.first; p->rule_lost = false; }
  | reduction behaviour { $$ = $1; $$->rules = $2.first; p->rule_lost = false; }
  ;

call_kill:
    call_labelled KILLS '(' args ')'  { $$ = $1; $$->kills = $4.first; }
  | call_set KILLS '(' args ')'       { $$ = $1; $$->kills = $4.first; }
  ;

call_set: call_labelled SETS '(' args ')' { $$ = $1; $$->sets = $4.first; } ;

call_labelled:
    call
  | CF ref ':' call     { $$ = $4; $$->label = $2; $$->span.lo = @1.lo; }
  ;

call:
    callee '(' actuals ')' { $$ = build_call(p, $1, $3, @$); }
  | outs '=' callee '(' actuals ')' {
        $$ = build_call(p, $3, $5, @$);
        $$->outs = $1.first;
    }
  ;

/* A sub may be called float. */
callee: NAME | ITEMS_OF ;

outs:
    ref                 { $$.first = $$.last = build_ref_expr(p, $1); }
  | outs ',' ref {
        $$ = $1;
        struct expr *e = build_ref_expr(p, $3);
        LIST_ADD($$, e);
    }
  ;

reduction:
    reduce_word ref over_word ranges MAPS ref {
        $$ = build_reduce(p, $1, $2, $4.first, $6, @$);
    }
  | reduce_word number_type '(' ref ')' over_word ranges MAPS ref {
        $$ = build_reduce(p, $1, $4, $7.first, $9, @$);
        $$->elem_as = $2;
    }
  | reduce_word item_word '(' ref ')' over_word ranges MAPS ref {
        $$ = build_reduce(p, $1, $4, $7.first, $9, @$);
        $$->elem_items = $2;
    }
  ;

/* Words only here, as `reduce` and `over`. */
item_word: callee { $$ = build_items(p, $1); } ;

number_type: INT_TYPE { $$ = T_INT; } | REAL_TYPE { $$ = T_REAL; } ;

/* `reduce` and `over` are words only here. */
reduce_word: NAME reduce_op { WORD($1, "reduce", "'('"); $$ = $2; } ;
over_word:  NAME { WORD($1, "over", "'over'"); } ;

reduce_op:
    NAME
  | '+'                 { $$ = build_name(p, "+", @1); }
  | '*'                 { $$ = build_name(p, "*", @1); }
  | AND                 { $$ = build_name(p, "&&", @1); }
  | OR                  { $$ = build_name(p, "||", @1); }
  ;

range:
    decl_name '=' expr DOTS expr {
        struct reduce_range *r = arena_new_of(p->arena, struct reduce_range);
        r->counter = build_symbol(p, SYM_FOR, $1);
        r->lo = $3;
        r->hi = $5;
        $$ = (struct range_list){r, r};
    }
  ;

ranges:
    range
  | ranges ',' range    { $$ = $1; LIST_ADD($$, $3.first); }
  ;

/* NEXT is the ',' in front of NAME = (tokens.c): another one begins the next argument. */
list_ranges:
    range
  | list_ranges NEXT range { $$ = $1; LIST_ADD($$, $3.first); }
  ;

pragma_opt: %empty { $$ = NULL; } | pragma ;

pragma:
    SHL pragma_word SETS { $$ = build_pragma(p, $2, (struct expr_list){0}, @$); }
  | SHL pragma_word ',' exprs SETS { $$ = build_pragma(p, $2, $4, @$); }
  ;

pragma_word:
    RUSH                { $$ = (struct token){K_RUSH, @$}; }
  | STATIC              { $$ = (struct token){K_STATIC, @$}; }
  | STATIC_FOR          { $$ = (struct token){K_STATIC_FOR, @$}; }
  | UNROLLING           { $$ = (struct token){K_UNROLLING, @$}; }
  ;

/* ---- rules ---- */

behaviour_opt: %empty %prec BLOCK_END { $$ = (struct rule_list){0}; } | behaviour ;

behaviour:
    '@' lbrace rules '}' { $$ = $3; }
  | '@' lbrace '}' {
        diag(p->diag, SEV_ERROR, D_PAR1, @$, "there is no rule in '@ { }'");
        $$ = (struct rule_list){0};
    }
  ;

rules:
    rule                { $$ = (struct rule_list){$1, $1}; }
  | rules rule          { $$ = $1; if ($2) LIST_ADD($$, $2); }
  ;

rule:
    NAME ref '=' expr ';' {
        $$ = build_rule(p, R_ASSIGN, $1, @$);
        $$->refs = $2;
        $$->exprs = $4;
    }
  | NAME ref MAPS exprs ';' { $$ = build_rule_map(p, $1, $2, $4, @$); }
  | NAME exprs ';'      { $$ = build_rule_list(p, $1, $2, @$); }
  | NAME ':' expr ';' {
        $$ = build_rule(p, R_EXPR, $1, @$);
        $$->exprs = $3;
    }
  | NAME ';' {
        $$ = build_rule(p, R_FLAGS, $1, @$);
        $$->refs = build_ref(p, $1);
    }
  | flags ';' {
        $$ = build_rule(p, R_FLAGS, $1.first->name, @$);
        $$->refs = $1.first;
    }
  | error SYNC          { $$ = NULL; p->rule_lost = true; yyerrok; }
  | error braced        { $$ = NULL; p->rule_lost = true; }
  ;

flags:
    NAME ',' NAME {
        $$.first = build_ref(p, $1);
        $$.first->next = $$.last = build_ref(p, $3);
    }
  | flags ',' NAME {
        $$ = $1;
        struct ref *r = build_ref(p, $3);
        LIST_ADD($$, r);
    }
  ;

/* ---- expressions ---- */

/* Of a call: an argument, or a list of fragments. */
actuals: %empty { $$ = (struct expr_list){0}; } | actual_list ;

actual_list:
    actual              { $$ = (struct expr_list){$1, $1, 1}; }
  | actual_list ',' actual { $$ = $1; $$.n++; LIST_ADD($$, $3); }
  ;

actual:
    expr
  | ref OVER list_ranges {
        $$ = build_ref_expr(p, $1);
        $$->span = @$;
        $$->over = $3.first;
    }
  ;

args: %empty { $$ = (struct expr_list){0}; } | exprs ;

exprs:
    expr                { $$ = (struct expr_list){$1, $1, 1}; }
  | exprs ',' expr      { $$ = $1; $$.n++; LIST_ADD($$, $3); }
  ;

ref:
    NAME                { $$ = build_ref(p, $1); }
  | ref '[' expr ']'    { $$ = build_index(p, $1, $3, @$); }
  ;

base:
    INT                 { $$ = build_expr(p, E_INT, @$); $$->ival = $1; }
  | REAL                { $$ = build_expr(p, E_REALNUM, @$); $$->rval = $1; }
  | STRING              { $$ = build_expr(p, E_STR, @$); $$->str = $1.s; $$->str_size = $1.size; }
  | ref                 { $$ = build_ref_expr(p, $1); }
  | '(' expr ')'        { $$ = $2; $$->paren = true; $$->span = @$; }
  | cast_type '(' exprs ')' { $$ = build_typed(p, $1, $3, @$); }
  | VALUE_TYPE '(' exprs ')' { $$ = build_typed(p, T_VALUE, $3, @$); }
  | ITEMS_OF '(' exprs ')' { $$ = build_item(p, $1, $3, @$); }
  | NODE_OF '(' args ')' { $$ = build_node(p, $3, @$); }
  | '-' base            { $$ = build_unary(p, E_NEG, $2, @$); }
  | '!' base            { $$ = build_unary(p, E_NOT, $2, @$); }
  ;

expr:
    base
  | expr OR expr        { $$ = build_bin(p, OP_OR, $1, @2, $3); }
  | expr AND expr       { $$ = build_bin(p, OP_AND, $1, @2, $3); }
  | expr '<' expr       { $$ = build_bin(p, OP_LT, $1, @2, $3); }
  | expr LE expr        { $$ = build_bin(p, OP_LE, $1, @2, $3); }
  | expr EQ expr        { $$ = build_bin(p, OP_EQ, $1, @2, $3); }
  | expr NE expr        { $$ = build_bin(p, OP_NE, $1, @2, $3); }
  | expr '>' expr       { $$ = build_bin(p, OP_GT, $1, @2, $3); }
  | expr GE expr        { $$ = build_bin(p, OP_GE, $1, @2, $3); }
  | expr '+' expr       { $$ = build_bin(p, OP_ADD, $1, @2, $3); }
  | expr '-' expr       { $$ = build_bin(p, OP_SUB, $1, @2, $3); }
  | expr '*' expr       { $$ = build_bin(p, OP_MUL, $1, @2, $3); }
  | expr '/' expr       { $$ = build_bin(p, OP_DIV, $1, @2, $3); }
  | expr '%' expr       { $$ = build_bin(p, OP_MOD, $1, @2, $3); }
  | expr '?' expr ':' expr { $$ = build_cond(p, $1, $3, $5); }
  ;

%%

/* ---- errors, and the way in ---- */

/* Whether the last two tokens stand in one line. */
static bool
same_line(const struct parser *p)
{
    uint32_t lo = p->before.span.hi, hi = p->last.span.lo;
    return hi <= lo || !memchr(p->text + lo, '\n', hi - lo);
}

static int
yyreport_syntax_error(const yypcontext_t *context, struct parser *p)
{
    yysymbol_kind_t kinds[YYNTOKENS];
    const char *expected[YYNTOKENS];
    int n = 0, all = yypcontext_expected_tokens(context, kinds, YYNTOKENS);
    for (int i = 0; i < all; i++) /* a NAME stands wherever one of those does */
        if (kinds[i] != YYSYMBOL_ITEMS_OF) expected[n++] = yysymbol_name(kinds[i]);
    expect_report(p, expected, n);
    return 0;
}

static void *
stack_moved(struct parser *p, const void *from, size_t used, size_t item)
{
    return memcpy(arena_alloc(p->arena, YYMAXDEPTH * item), from, used);
}

/* Bison's own errors: only the one of a full stack exists here. */
static void
faerror(const FALTYPE *at, struct parser *p, const char *words)
{
    (void)words;
    if (!p->dead) diag(p->diag, SEV_ERROR, D_PAR4, *at, "nested too deeply");
    p->dead = true;
}

struct ast *
parse_run(struct arena *a, const struct source *s, struct diag *d, const struct prep *prep)
{
    struct parser p = {.arena = a, .diag = d, .prep = prep, .names = names_new(a)};
    p.text = source_text(s, &p.size);
    p.tree = arena_new_of(a, struct ast);
    p.subs_end = &p.tree->subs;
    p.consts_end = &p.tree->consts;
    p.heads_end = &p.tree->heads;
    p.by_is_sub = token_names_sub(&p, "by");
    lex_begin(&p);
    if (faparse(&p)) p.tree->lost = true;
    return p.tree;
}
