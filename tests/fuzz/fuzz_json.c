/* How libFuzzer changes lines of JSON: mostly as JSON, since bytes alone seldom give a line that is read to its end. A value
 * becomes another, a member goes, an element comes twice. Linked to the targets that read JSON, in the fuzz build. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); /* libFuzzer's */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static unsigned draw(unsigned *state, unsigned n) /* below n */
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

static json_t *strange_number(unsigned *state)
{
    static const json_int_t edges[] = {0, 1, -1, 2, 3, 7, 31, 32, 33, 64, 127, 128, 255, 256, 1000, 1024, 4096, 65535, 65536, INT_MAX,
                                       INT_MIN, (json_int_t)INT_MAX + 1, UINT_MAX, (json_int_t)UINT_MAX + 1, LLONG_MAX, LLONG_MIN};
    unsigned i = draw(state, sizeof edges / sizeof *edges + 3);

    if (i < sizeof edges / sizeof *edges)
        return json_integer(edges[i]);
    return json_integer((json_int_t)draw(state, 1u << (1 + draw(state, 20))));
}

static json_t *strange(unsigned *state)
{
    static const char *const texts[] = {"", "a", "_Z1fILi16EEvPKf", "_Z1fILi16EEv", "regex:(", "%s%n", "\n\t\x1b[31m", "f.cu:20 < f.cu:31",
                                        "f.cu", "/", "<&\"'>", "read", "write", "race", "inside", "GDDR5", "error"};
    static const double reals[] = {0.0, -1.0, 0.5, 1e-300, 1e300, -1e300, 1e19};

    switch (draw(state, 9)) {
    case 0: return json_null();
    case 1: return json_true();
    case 2: return json_array();
    case 3: return json_object();
    case 4: return json_real(reals[draw(state, sizeof reals / sizeof *reals)]);
    case 5: return json_string(texts[draw(state, sizeof texts / sizeof *texts)]);
    default: return strange_number(state);
    }
}

static void change(json_t *at, unsigned *state);

/* A number moves a little as often as far. */
static json_t *other(const json_t *old, unsigned *state)
{
    if (json_is_integer(old) && draw(state, 2))
        return json_integer((json_int_t)((uint64_t)json_integer_value(old) + draw(state, 3) - 1));
    return strange(state);
}

static void change_object(json_t *at, unsigned *state)
{
    unsigned pick = draw(state, (unsigned)json_object_size(at)), what = draw(state, 8);
    void *member = json_object_iter(at);

    while (pick--)
        member = json_object_iter_next(at, member);
    json_t *value = json_object_iter_value(member);
    if (what == 0)
        json_object_del(at, json_object_iter_key(member));
    else if (what == 1 || (!json_object_size(value) && !json_array_size(value)))
        json_object_iter_set_new(at, member, other(value, state));
    else
        change(value, state);
}

static void change_array(json_t *at, unsigned *state)
{
    size_t pick = draw(state, (unsigned)json_array_size(at));

    switch (draw(state, 5)) {
    case 0: json_array_remove(at, pick); break;
    case 1: json_array_append_new(at, json_deep_copy(json_array_get(at, pick))); break;
    case 2: json_array_set_new(at, pick, other(json_array_get(at, pick), state)); break;
    default: change(json_array_get(at, pick), state); break;
    }
}

static void change(json_t *at, unsigned *state)
{
    if (json_object_size(at))
        change_object(at, state);
    else if (json_array_size(at))
        change_array(at, state);
}

static size_t change_line(uint8_t *line, size_t n, size_t most, unsigned *state)
{
    json_t *root = json_loadb((const char *)line, n, 0, NULL);
    unsigned times = 1 + draw(state, 4);
    char *text;
    size_t size = 0;

    if (!root)
        return 0;
    while (times--)
        change(root, state);
    text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    if (text && strlen(text) <= most) {
        size = strlen(text);
        memcpy(line, text, size);
    }
    free(text);
    return size;
}

/* Where the bytes are one value it changes, else the last line does. */
static size_t change_last(uint8_t *data, size_t size, size_t most, unsigned *state)
{
    size_t from = size - (size && data[size - 1] == '\n'), n = change_line(data, size, most, state);

    if (n)
        return n;
    while (from && data[from - 1] != '\n')
        from--;
    n = change_line(data + from, size - from, most - from, state);
    if (n && from + n < most)
        data[from + n++] = '\n';
    return n ? from + n : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t n = seed % 8 ? change_last(data, size, most, &seed) : 0;

    return n ? n : LLVMFuzzerMutate(data, size, most);
}
