/* What the parts of the parser share; nobody outside this room includes it (but tools/ptx_doc.c).
 *
 * The parser walks the token array once, statement by statement. Every part returns false after it reported an error
 * (exactly one message); the statement loops then skip to the end of the statement and go on, up to MAX_ERRORS. A
 * function is collected in growing arrays (struct body) and copied into the arena when its brace closes. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "base/diag.h"
#include "ptx/lexer.h"
#include "ptx/ptx.h"

enum {
    MAX_TEXT = 1 << 28,      /* bytes of a module */
    MAX_ERRORS = 20,         /* reported per module */
    MAX_DEPTH = 256,         /* nested { } */
    MAX_REGS = 1 << 20,      /* per function, declared */
    MAX_ARGUMENTS = 255,     /* of a call */
    MAX_VECTOR = 8,          /* elements; no instruction has more operands either */
    MAX_DIMENSIONS = 8,      /* of an array */
    MAX_INIT = 1 << 28,      /* bytes of all initialised variables of a module */
    MAX_INLINED = 64         /* depth of a chain of inlined calls */
};

enum symbol_kind { SYM_REG, SYM_VECTOR, SYM_RANGE, SYM_VAR, SYM_FUNC, SYM_LABEL, SYM_PROTO };

/* A declared name. Declarations of one name in nested scopes form a stack, innermost first. */
struct symbol {
    uint8_t kind;
    uint8_t type;   /* REG, VECTOR, RANGE: enum ptx_type */
    uint16_t depth; /* 0: module, 1: function body, 2...: blocks in it */
    uint32_t n;     /* RANGE: how many; VECTOR: 2 or 4 */
    uint32_t index; /* REG, VECTOR: (first) register; LABEL: label */
    uint32_t **regs; /* RANGE: register + 1 of those used so far, in pages made at first use */
    struct ptx_name *name;
    struct symbol *outer; /* same name, further out */
    struct symbol *next;  /* same scope, declared before */
    struct ptx_var *var;
    struct ptx_function *func;
    struct ptx_proto *proto;
    const char *problem; /* what is not supported about it: uses become PTX_OP_UNKNOWN */
};

/* A use of a label: resolved when the scopes around it close. */
struct label_use {
    struct ptx_name *name;
    int32_t *where;
    const struct token *tok;
    const struct ptx_loc *loc;
    struct label_use *next;
};

struct scope {
    struct symbol *symbols;
    struct label_use *uses;
    const struct token *open; /* its brace */
};

/* The function that is being read. */
struct body {
    struct ptx_function *func; /* NULL outside */
    bool present;              /* there are braces, not only a declaration */
    struct ptx_inst *insts;
    struct ptx_reg *regs;
    struct ptx_label *labels;
    struct ptx_var **vars;
    size_t ninsts, insts_cap, nregs, regs_cap, nlabels, labels_cap, nvars, vars_cap;
    uint32_t declared; /* registers, for the limit */
    uint32_t serial;   /* of the function, for unique names */
    struct table locs; /* the different locations of the function */
    struct table last; /* the last one of each position, for inlined_at */
};

struct file_name {
    uint64_t number; /* the key in parser.file_by_number */
    const char *name;  /* without the chain of calls */
    const char *calls; /* " @[ f.cu:8:18 ]", or NULL */
    struct file_name *next; /* an earlier one with the same last part */
};

struct parser {
    struct ptx_module *m;
    struct diag_list *diags;
    struct arena *arena; /* the module's */
    struct arena scratch; /* until the parser ends */
    struct lexer lx;
    const struct token *tok; /* the current token */
    int errors;
    bool stop;  /* too many errors: everything ends */
    bool sized; /* there is an .address_size */
    const struct ptx_loc *loc; /* the .loc in force */
    struct table file_by_number; /* number -> struct file_name */
    struct table file_by_base;   /* name without folders -> struct file_name */
    struct table strings; /* label in .debug_str -> its offset there + 1 */
    char *debug_str;
    size_t debug_len, debug_cap;
    struct scope scopes[MAX_DEPTH + 1];
    int depth;
    struct body body;
    struct ptx_operand operand[MAX_VECTOR]; /* of the instruction being read */
    const struct token *operand_at[MAX_VECTOR];
    int noperands;
    const char *problem; /* why the instruction being read will be PTX_OP_UNKNOWN */
    const struct token *opcode, *opcode_end; /* its words, for messages */
    struct ptx_var **vars;
    struct ptx_function **funcs;
    int *rolled; /* lines of .pragma "nounroll" */
    size_t nvars, vars_cap, nfuncs, funcs_cap, nrolled, rolled_cap;
    uint64_t init_bytes;
    int16_t next_row[PTX_OP_COUNT]; /* the next row of the same word, or 0 */
};

/* parser.c: messages and tokens */
bool ptx_error(struct parser *p, const struct token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* returns false */
bool ptx_unexpected(struct parser *p, const char *wanted); /* "expected WANTED before 'x'" */
const char *ptx_token_text(struct parser *p, const struct token *t);
bool ptx_accept(struct parser *p, int kind);
bool ptx_expect(struct parser *p, int kind); /* a character */
bool ptx_at_dot(const struct parser *p, const char *word);
bool ptx_accept_dot(struct parser *p, const char *word);
bool ptx_same_text(const struct ptx_name *n, const char *s);
void ptx_skip_statement(struct parser *p);
bool ptx_skip_braces(struct parser *p); /* at '{': over its '}' */

/* constants.c: numbers and constant expressions */
struct constant {
    bool is_float;
    uint8_t type; /* as ptx_operand.imm_type */
    uint64_t bits;
};
bool ptx_starts_constant(const struct token *t);
bool ptx_constant(struct parser *p, bool with_or, struct constant *out);
bool ptx_integer(struct parser *p, uint64_t *out); /* one integer token */
bool ptx_convert_float(const struct constant *c, enum ptx_type to, uint64_t *bits);

/* symbols.c: scopes and what is declared in them */
void ptx_scope_open(struct parser *p);
void ptx_scope_close(struct parser *p);
struct symbol *ptx_declare(struct parser *p, const struct token *t, enum symbol_kind kind);
struct symbol *ptx_find(struct parser *p, struct ptx_name *n);
bool ptx_declare_regs(struct parser *p, const struct token *t, enum ptx_type type, int vec, uint64_t n);
bool ptx_find_reg(struct parser *p, struct ptx_name *n, uint32_t *reg); /* single registers and ranges */
bool ptx_declare_label(struct parser *p, const struct token *t);
void ptx_use_label(struct parser *p, const struct token *t, int32_t *where);
const char *ptx_unique_name(struct parser *p, struct ptx_name *n);

/* locations.c: .file, .loc, .section .debug_str */
void ptx_scan_files(struct parser *p);
bool ptx_parse_loc(struct parser *p);
bool ptx_parse_file(struct parser *p);
bool ptx_parse_section(struct parser *p);

/* variables.c: declarations of variables, parameters and registers, and initialisers */
bool ptx_parse_type(struct parser *p, enum ptx_type *type);
bool ptx_parse_var(struct parser *p, enum ptx_space space, enum ptx_linkage linkage);
bool ptx_parse_param(struct parser *p, struct ptx_var *v, const struct token **name, const char **problem);
bool ptx_parse_regs(struct parser *p);
enum ptx_space ptx_space_of(const struct token *t); /* of .global etc., else PTX_GENERIC */

/* functions.c: .entry and .func, their bodies, .callprototype and the like */
bool ptx_parse_function(struct parser *p, bool entry, enum ptx_linkage linkage);
bool ptx_parse_pragma(struct parser *p);
bool ptx_parse_alias(struct parser *p);

/* instructions.c and operands.c */
/* Both outcomes that are not OK leave the statement unread; PROBLEM: p->problem says what is not supported. */
enum parsed { PARSED_OK, PARSED_ERROR, PARSED_PROBLEM };
bool ptx_parse_instruction(struct parser *p);
enum parsed ptx_problem(struct parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* returns PARSED_PROBLEM */
const char *ptx_opcode_text(struct parser *p); /* "add.sat.s32" as written */
enum parsed ptx_parse_operands(struct parser *p, struct ptx_inst *in);

/* opcodes.c: the words in front of the operands */
void ptx_names_init(struct parser *p);
enum parsed ptx_parse_opcode(struct parser *p, struct ptx_inst *in);

/* matrices.c: the modifiers of mma and wmma, n of them, and what goes together */
enum parsed ptx_parse_product(struct parser *p, struct ptx_inst *in, const struct token *const *dot, int n);
bool ptx_product_exists(const struct ptx_inst *in);

/* check.c */
enum parsed ptx_check(struct parser *p, struct ptx_inst *in);

/* tables.c */
struct ptx_modifier {
    const char *spelling;
    uint64_t group; /* MOD_<x> */
    uint16_t field; /* offset in struct ptx_mods */
    uint8_t value;
};
extern const struct ptx_modifier ptx_modifier[];
extern const int ptx_modifier_count;

#endif
