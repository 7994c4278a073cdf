/* Banks of registers (target/banks.h): values and their registers put down by hand, exchanges worked out by hand. Places: two for each
 * instruction, so an instruction i reads at 2 i. */
#include "target_test.h"

#include "target/banks.h"

enum { VALUES = 16, INSTS = 8 };

struct made {
    struct places a;
    struct flow f;
    struct code c;
    struct machine_inst insts[INSTS];
    struct segment segments[2 * VALUES];
    uint8_t file[VALUES], words[VALUES];
    int32_t first[VALUES], place[VALUES], group[VALUES][PLACES_VECTOR];
};

static struct made *begin(int arch, int used)
{
    struct made *m = calloc(1, sizeof *m);
    m->f = (struct flow){.nvalues = VALUES, .file = m->file, .words = m->words};
    m->c = (struct code){.arch = arch, .insts = m->insts, .stack = -1};
    m->a = (struct places){.c = &m->c, .f = &m->f, .segments = m->segments, .first = m->first, .place = m->place, .group = m->group, .used = used};
    memset(m->first, -1, sizeof m->first);
    memset(m->place, -1, sizeof m->place);
    memset(m->group, -1, sizeof m->group);
    return m;
}

/* The value is in that register, alive from one place to another, as well. */
static void alive(struct made *m, int32_t value, int words, int32_t reg, int32_t from, int32_t to)
{
    m->file[value] = FILE_REGISTER;
    m->words[value] = (uint8_t)words;
    m->place[value] = reg;
    m->segments[m->a.n] = (struct segment){from, to, m->first[value]};
    m->first[value] = m->a.n++;
}

static struct operand word_of(int32_t value, int word)
{
    return (struct operand){.file = FILE_REGISTER, .words = 1, .word = (uint8_t)word, .number = value};
}

static void read_three(struct made *m, int32_t x, int32_t y, int32_t z)
{
    struct machine_inst *in = &m->insts[m->c.ninsts++];
    *in = (struct machine_inst){.op = OP_FFMA, .nsources = 3};
    in->source[0] = word_of(x, 0);
    in->source[1] = word_of(y, 0);
    in->source[2] = word_of(z, 0);
}

/* No two values that are alive together share a register, and nobody has another than there are. */
static void sound(const struct made *m)
{
    for (int32_t x = 0; x < VALUES; x++)
        for (int32_t y = 0; y < x; y++)
            for (int32_t s = m->first[x]; s >= 0; s = m->segments[s].next)
                for (int32_t t = m->first[y]; t >= 0; t = m->segments[t].next)
                    if (m->segments[s].from < m->segments[t].to && m->segments[t].from < m->segments[s].to)
                        assert_true(m->place[x] + m->words[x] <= m->place[y] || m->place[y] + m->words[y] <= m->place[x]);
    for (int32_t x = 0; x < VALUES; x++)
        assert_true(m->first[x] < 0 || (m->place[x] >= 0 && m->place[x] + m->words[x] <= m->a.used));
}

/* R2, R4 and R6 are one bank's. R3 is free: the first of the words goes there. */
static void to_a_free_one(void **state)
{
    (void)state;
    struct made *m = begin(90, 8);
    alive(m, 0, 1, 2, 0, 4);
    alive(m, 1, 1, 4, 0, 4);
    alive(m, 2, 1, 6, 0, 4);
    read_three(m, 0, 1, 2);
    assert_int_equal(banks_meet(&m->a), 1);
    banks_part(&m->a);
    assert_int_equal(banks_meet(&m->a), 0);
    assert_int_equal(m->place[0], 3);
    assert_int_equal(m->place[1], 4);
    assert_int_equal(m->place[2], 6);
    sound(m);
    free(m);
}

/* R1 is the stack pointer's and R3 has value 3, which is alive beside 0 and beside 4, who is in R0 later: all three change places. */
static void by_exchange(void **state)
{
    (void)state;
    struct made *m = begin(90, 5);
    alive(m, 0, 1, 0, 0, 4);
    alive(m, 1, 1, 2, 0, 4);
    alive(m, 2, 1, 4, 0, 4);
    alive(m, 3, 1, 3, 0, 10);
    alive(m, 4, 1, 0, 6, 10);
    read_three(m, 0, 1, 2);
    banks_part(&m->a);
    assert_int_equal(m->place[0], 3);
    assert_int_equal(m->place[3], 0);
    assert_int_equal(m->place[4], 3);
    sound(m);
    free(m);
}

/* Two of a kind in one instruction are one word; so are two values in one register. */
static void read_once(void **state)
{
    (void)state;
    struct made *m = begin(90, 8);
    alive(m, 0, 1, 2, 0, 4);
    alive(m, 1, 1, 4, 0, 4);
    read_three(m, 0, 1, 0);
    assert_int_equal(banks_meet(&m->a), 0);
    banks_part(&m->a);
    assert_int_equal(m->place[0], 2);
    free(m);
}

/* R3 is half of a pair, R5 an element of a vector: they stay, and the word goes to R7. With seven registers it stays where it is. */
static void pairs_stay(void **state)
{
    (void)state;
    for (int used = 7; used <= 8; used++) {
        struct made *m = begin(90, used);
        alive(m, 0, 1, 0, 0, 4);
        alive(m, 1, 1, 4, 0, 4);
        alive(m, 2, 1, 6, 0, 4);
        alive(m, 3, 2, 2, 0, 4);
        alive(m, 4, 1, 5, 0, 4);
        m->group[4][0] = 4;
        read_three(m, 0, 1, 2);
        banks_part(&m->a);
        assert_int_equal(m->place[0], used == 8 ? 7 : 0);
        assert_int_equal(banks_meet(&m->a), used == 7);
        assert_int_equal(m->place[3], 2);
        assert_int_equal(m->place[4], 5);
        sound(m);
        free(m);
    }
}

/* Value 3 is a copy of 0 that takes no instruction, in the same register: it goes along. In R3 there is no room for it, in R5 there is. */
static void copies_together(void **state)
{
    (void)state;
    struct made *m = begin(90, 8);
    alive(m, 0, 1, 2, 0, 4);
    alive(m, 1, 1, 4, 0, 4);
    alive(m, 2, 1, 6, 0, 4);
    alive(m, 3, 1, 2, 5, 9);
    alive(m, 4, 2, 2, 10, 12);
    alive(m, 5, 2, 2, 12, 14);
    alive(m, 6, 1, 3, 6, 8);
    m->group[6][0] = 6;
    read_three(m, 0, 1, 2);
    m->insts[m->c.ninsts++] = (struct machine_inst){.op = OP_NONE, .nresults = 1, .nsources = 1, .result[0] = word_of(3, 0), .source[0] = word_of(0, 0)};
    banks_part(&m->a);
    assert_int_equal(m->place[0], 5);
    assert_int_equal(m->place[3], 5);
    assert_int_equal(banks_meet(&m->a), 0);
    sound(m);
    free(m);
}

/* Maxwell: four banks of one port, so two words of R2 and R6 meet; R3 is of another bank. Kepler's are not looked at. */
static void four_banks(void **state)
{
    (void)state;
    struct made *m = begin(52, 8);
    alive(m, 0, 1, 2, 0, 4);
    alive(m, 1, 1, 6, 0, 4);
    alive(m, 2, 1, 5, 0, 4);
    read_three(m, 0, 1, 2);
    assert_int_equal(banks_meet(&m->a), 1);
    banks_part(&m->a);
    assert_int_equal(m->place[0], 0);
    assert_int_equal(banks_meet(&m->a), 0);
    m->place[0] = 2;
    m->c.arch = 35;
    assert_int_equal(banks_meet(&m->a), 0);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(to_a_free_one), cmocka_unit_test(by_exchange), cmocka_unit_test(read_once), cmocka_unit_test(pairs_stay),
                                       cmocka_unit_test(copies_together), cmocka_unit_test(four_banks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
