/* See earlier.h. First what holds of an instruction's operands, then the instructions of a row, then the whole code. */
#include "target/earlier.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { TEMPORARIES = 5 /* t u v w x */, TESLA_BLOCK = 12 /* bytes: generations.def */ };

struct translating {
    struct code *c;
    const struct ir_kernel *k;
    struct code to; /* instructions only */
    bool *narrow; /* [registers of the begin] on Tesla: of 16 bits, as the indices of threads and blocks are */
    int32_t nnarrow;
};

/* --- operands --- */

static struct operand source(const struct machine_inst *in, int i)
{
    return i < in->nsources ? in->source[i] : (struct operand){0};
}

static bool is_nothing(struct operand o)
{
    return o.file == FILE_NONE || o.file == FILE_ZERO || o.file == FILE_PREDICATE || o.file == FILE_TRUE;
}

/* A constant of which one bit is set: an immediate, or a register that holds one (selection.c keeps its bits there). */
static bool is_power(struct operand o)
{
    return (o.file == FILE_IMMEDIATE || o.file == FILE_REGISTER) && o.bits && !(o.bits & (o.bits - 1)) && o.bits <= UINT32_MAX;
}

static bool is_small(struct operand o)
{
    return (o.file == FILE_IMMEDIATE || o.file == FILE_REGISTER) && o.bits && o.bits <= UINT16_MAX;
}

static bool is_short(const struct translating *t, struct operand o)
{
    return (o.file == FILE_WINDOW && o.halfword) || (o.file == FILE_REGISTER && o.number < t->nnarrow && t->narrow[o.number]);
}

static int ir_kind_of(const struct translating *t, const struct machine_inst *in)
{
    return in->site < 0 ? 0 : ir_kind(&t->k->insts[in->site]);
}

static bool is_read_only(const struct translating *t, const struct machine_inst *in)
{
    return in->site >= 0 && t->k->insts[in->site].mods->nc;
}

/* --- when a row fits --- */

typedef bool (*condition)(const struct translating *t, const struct machine_inst *in);

#define CONDITION(name, test)                                                         \
    static bool name(const struct translating *t, const struct machine_inst *in)     \
    {                                                                                 \
        struct operand a = source(in, 0), b = source(in, 1), c = source(in, 2);       \
        bool pair = in->nresults && in->result[0].words > 1;                          \
        (void)t, (void)a, (void)b, (void)c, (void)pair;                               \
        return test;                                                                  \
    }
CONDITION(ALWAYS, true)
CONDITION(ALONE, is_nothing(c))
CONDITION(PLAIN, in->nresults < 2) /* no carry */
CONDITION(SHIFT_ALONE, is_nothing(b))
CONDITION(POWER, is_power(b) && !pair)
CONDITION(POWER_ALONE, is_power(b) && !pair && is_nothing(c))
CONDITION(PAIR, pair)
CONDITION(PAIR_ALONE, pair && is_nothing(c))
CONDITION(POWER_TWO_WORDS, pair && is_power(b) && !is_nothing(c))
CONDITION(POWER_PAIR_ALONE, pair && is_power(b) && is_nothing(c))
CONDITION(SMALL, is_small(b))
CONDITION(SHORT, is_short(t, a) && is_short(t, b))
CONDITION(SHORT_ALONE, is_short(t, a) && is_short(t, b) && is_nothing(c))
CONDITION(SIGN, b.file == FILE_IMMEDIATE && b.bits == 31)
CONDITION(CONSTANT, a.file == FILE_IMMEDIATE || (in->op == OP_CS2R && a.file == FILE_ZERO))
CONDITION(MAXIMUM, ir_kind_of(t, in) == PTX_KIND_MAX || ir_kind_of(t, in) == PTX_KIND_FMAX)
CONDITION(THREAD, a.file == FILE_SPECIAL && a.number >= PTX_SREG_TID_X && a.number <= PTX_SREG_TID_Z)
CONDITION(BLOCK, a.file == FILE_SPECIAL && a.number >= PTX_SREG_CTAID_X && a.number <= PTX_SREG_CTAID_Z)
CONDITION(READ_ONLY, is_read_only(t, in))
CONDITION(OF_WORDS, in->site >= 0 && t->k->insts[in->site].op == PTX_OP_DP2A)
#undef CONDITION

static const struct row {
    enum machine_op op;
    const char *form; /* NULL: any */
    condition when;
    int from, to;
    const char *text;
} rows[] = {
#define EVERY_FORM NULL
#define EARLIER(op, form, when, from, to, text) {OP_##op, form, when, from, to, text},
#include "target/earlier.def"
#undef EARLIER
#undef EVERY_FORM
};

static bool form_begins(const char *form, const char *with)
{
    size_t n = strlen(with);
    return strncmp(form, with, n) == 0 && (!form[n] || (n && form[n] == '.'));
}

static const struct row *row_of(const struct translating *t, const struct machine_inst *in)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        if (r->op == in->op && t->c->arch >= r->from && t->c->arch <= r->to && (!r->form || form_begins(in->form, r->form)) && r->when(t, in))
            return r;
    }
    return NULL;
}

/* --- the instructions of a row --- */

static struct operand number(uint64_t bits)
{
    return bits ? (struct operand){.file = FILE_IMMEDIATE, .bits = bits} : (struct operand){.file = FILE_ZERO};
}

static struct operand word_of(struct operand o, int word)
{
    if (o.file == FILE_IMMEDIATE)
        return number(o.bits >> (32 * word) & UINT32_MAX);
    if (o.file == FILE_BANK || o.file == FILE_WINDOW)
        o.bits += 4 * (uint64_t)word;
    else if (o.words > 1)
        o.word = (uint8_t)word;
    else if (word)
        return number(0);
    o.words = o.words ? 1 : 0;
    return o;
}

static uint64_t bit_of(struct operand o)
{
    return o.bits ? (uint64_t)__builtin_ctzll(o.bits) : 0;
}

/* A word of a row's text as an operand of what it is made for. */
static struct operand operand_of(const struct machine_inst *in, const char *word, size_t n, int32_t temporaries)
{
    struct operand o = {0}, b = source(in, 1);
    switch (word[0]) {
    case 'a':
    case 'b':
    case 'c':
        o = source(in, word[0] - 'a');
        if (word[0] == 'c' && !o.file)
            return number(0);
        break;
    case 'd':
        o = in->nresults ? in->result[0] : o;
        break;
    case 'y':
        if (in->nresults && in->result[0].file == FILE_REGISTER)
            return in->result[0];
        return (struct operand){.file = FILE_REGISTER, .number = temporaries, .words = 1};
    case 'e':
        return in->nsources ? in->source[in->nsources - 1] : o;
    case 'A':
        return (struct operand){.file = FILE_ADDRESS, .number = 1};
    case 'z':
        return number(0);
    case 's':
        return number(bit_of(b));
    case 'k':
        return number(32 - (is_power(b) && in->op == OP_IMAD ? bit_of(b) : b.bits & 31));
    case 'm':
        return number(32 - (source(in, 2).bits & 31));
    case '#':
        return number(strtoull(word + 1, NULL, 16));
    case '-':
        return o;
    default:
        o = (struct operand){.file = FILE_REGISTER, .number = temporaries + (word[0] - 't'), .words = 1};
        break;
    }
    char what = n > 1 ? word[1] : 0;
    if (what == 'l' || what == 'h')
        return word_of(o, what == 'h');
    if (what == 'H' && o.file == FILE_WINDOW && o.halfword)
        return number(0);
    if (what == 'H' && o.file == FILE_WINDOW)
        o.bits += 2;
    if ((what == 'L' || what == 'H') && !o.halfword)
        o.halfword = what == 'L' ? HALFWORD_LOW : HALFWORD_HIGH;
    if (what == '^')
        o.halfword = HALFWORD_H1;
    return o;
}

/* "XMAD.CHI t a^ b t" */
static void add_one(struct translating *t, const struct machine_inst *in, const char *text, size_t n, int32_t temporaries)
{
    struct machine_inst made = {.site = in->site, .taken = in->taken, .way = in->way, .part = in->part, .early = in->early, .is_value = in->is_value,
                                .guard = in->guard, .offset = in->offset, .form = ""};
    const char *end = text + n;
    if (*text == '@') {
        bool opposite = text[1] == '~';
        made.guard = operand_of(in, "e", 1, temporaries);
        made.guard.negated = made.guard.negated != opposite;
        text += opposite ? 4 : 3;
    }
    size_t word = strcspn(text, " "), letters = strcspn(text, ". ");
    word = word < (size_t)(end - text) ? word : (size_t)(end - text);
    letters = letters < word ? letters : word;
    made.op = (uint16_t)arch_op_named(text, letters);
    if (letters < word)
        made.form = arena_strndup(&((struct ir_kernel *)t->k)->arena, text + letters + 1, word - letters - 1);
    else if (arch_op_pipe(t->c->arch, made.op) == PIPE_LSU)
        made.form = in->form; /* the width */
    bool first = true;
    for (text += word; text < end; text += word) {
        text += strspn(text, " ");
        if (text >= end)
            break;
        word = strcspn(text, " |");
        struct operand o = operand_of(in, text, word, temporaries);
        bool carries = text[word - 1] == '!';
        if (first && o.file) {
            made.result[made.nresults++] = o;
            if (carries && (in->nresults > 1 || text[0] != 'd' || text[1] == 'l'))
                made.result[made.nresults++] = (struct operand){.file = FILE_CARRY};
        } else if (!first && o.file && made.nsources < CODE_SOURCES) {
            made.source[made.nsources++] = o;
        }
        first = false;
    }
    if (!in->nsources && !in->nresults) /* of a function: its operands are left open */
        made.nsources = made.nresults = 0;
    code_add(&t->to, &made);
}

static void add_row(struct translating *t, const struct machine_inst *in, const char *text)
{
    int32_t temporaries = t->c->nregs;
    bool open = !in->nsources && !in->nresults;
    t->c->nregs += strchr(text, '|') ? TEMPORARIES : 0;
    while (*text) {
        size_t n = strcspn(text, "|");
        size_t used = n;
        while (used && text[used - 1] == ' ')
            used--;
        add_one(t, in, text, used, temporaries);
        text += n + (text[n] == '|');
        text += strspn(text, " ");
        if (open)
            return;
    }
}

/* --- Tesla's names for where things are --- */

static void note_narrow(struct translating *t, const struct machine_inst *in)
{
    struct operand from = source(in, 0);
    if (in->nresults && in->result[0].file == FILE_REGISTER && in->result[0].number < t->nnarrow && from.file == FILE_SPECIAL &&
        from.number >= PTX_SREG_TID_X && from.number <= PTX_SREG_CTAID_Z)
        t->narrow[in->result[0].number] = true;
}

static void rename_tesla(struct operand *o)
{
    if (o->file == FILE_PREDICATE)
        o->file = FILE_CONDITION;
    if (o->file == FILE_SPECIAL && (o->number == PTX_SREG_CTAID_X || o->number == PTX_SREG_CTAID_Y))
        *o = (struct operand){.file = FILE_BANK, .bits = TESLA_BLOCK + 2 * (uint64_t)(o->number - PTX_SREG_CTAID_X)};
    if (o->file == FILE_BANK && !o->number) {
        o->file = FILE_WINDOW;
        o->halfword = o->bits < arch_generation(10)->parameters ? HALFWORD_LOW : HALFWORD_NONE;
    }
}

/* Sums of two words: the carry is no predicate, and what reads it names nothing. */
static void rename_carry(struct machine_inst *in)
{
    if (in->nresults > 1 && in->result[1].file == FILE_PREDICATE && !strstr(arch_op_name(in->op), "SETP") && in->op != OP_SHFL)
        in->result[1] = (struct operand){.file = FILE_CARRY};
    if (form_begins(in->form, "HI.X") && in->nsources && in->source[in->nsources - 1].file == FILE_PREDICATE)
        in->nsources--;
}

static void name_operands(struct code *c, struct machine_inst *in)
{
    rename_carry(in);
    if (c->arch >= 20)
        return;
    rename_tesla(&in->guard);
    for (int i = 0; i < in->nresults; i++)
        rename_tesla(&in->result[i]);
    for (int i = 0; i < in->nsources; i++)
        rename_tesla(&in->source[i]);
}

/* --- all --- */

static void translate(struct translating *t, const struct machine_inst *in)
{
    if (in->native) {
        code_add(&t->to, in);
        return;
    }
    struct machine_inst named = *in;
    int32_t before = t->to.ninsts;
    if (t->c->arch < 20)
        for (int i = 0; i < named.nsources; i++)
            if (named.source[i].file == FILE_BANK && !named.source[i].number)
                rename_tesla(&named.source[i]);
    note_narrow(t, &named);
    const struct row *r = row_of(t, &named);
    if (r)
        add_row(t, &named, r->text);
    else
        code_add(&t->to, &named);
    for (int32_t i = before; i < t->to.ninsts; i++) {
        name_operands(t->c, &t->to.insts[i]);
        t->to.insts[i].native = true;
    }
}

void earlier(struct code *c, const struct ir_kernel *k)
{
    struct translating t = {.c = c, .k = k, .nnarrow = c->nregs};
    if (c->arch >= 70)
        return;
    t.narrow = alloc_zeroed((size_t)c->nregs + 1);
    int32_t *at = alloc_zeroed(((size_t)c->ninsts + 1) * sizeof *at); /* where each instruction is now */
    for (int32_t i = 0; i < c->ninsts; i++) {
        at[i] = t.to.ninsts;
        translate(&t, &c->insts[i]);
    }
    at[c->ninsts] = t.to.ninsts;
    for (int32_t site = 0; c->first && site <= k->ninsts; site++)
        c->first[site] = at[c->first[site]];
    for (int32_t b = 0; b < c->nblocks; b++) {
        int32_t end = c->blocks[b].first + c->blocks[b].count;
        c->blocks[b].first = at[c->blocks[b].first];
        c->blocks[b].count = at[end] - c->blocks[b].first;
    }
    alloc_release(c->insts);
    alloc_release(at);
    alloc_release(t.narrow);
    c->insts = t.to.insts;
    c->ninsts = t.to.ninsts;
    c->capacity = t.to.capacity;
}
