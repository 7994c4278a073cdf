/* Device descriptions: what a GPU is, as data.
 *
 * In: the name of a description ("h200"; its architecture may stand before it, "hopper-h200"), found as NAME.json in,
 * first to last, each directory of the environment's HEDDLE_DEVICES (separated by ':'), ../devices and
 * ../share/heddle/devices beside the library or program that holds this code, and ~/.config/heddle/devices; or the name that
 * the GPU is sold under ("GeForce RTX 3060 Laptop"). Out: a checked `struct device`; every figure of device_figures.def is
 * there, its own or that of the relative it names ("from"), in its range, and agrees with the others
 * (device_relations.def). Errors name the file, the line and the figure; a wrong name is answered with the nearest existing
 * ones. docs/devices.md describes the format.
 * Also here: what follows from the figures (bandwidths, peak rates), and where each figure comes from. How many blocks
 * fit on a multiprocessor: device/occupancy.h. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/across.h"

struct diag_list;
struct strbuf;

#define DEVICE_LIST_MAX 16
#define DEVICE_UNKNOWN  (-1) /* a figure whose value nobody tells: only those that device_figures.def calls OPEN */

/* DEVICE_DRAM_TYPE_GDDR3 ...: figures that are one of a few words. */
#define WORD(figure, name, word, help) DEVICE_WORD_##figure##_##name,
enum device_word {
#include "device/device_words.def"
    DEVICE_WORDS
};
#undef WORD

#define DEVICE_L1_GLOBAL_NEVER  DEVICE_WORD_l1_global_NEVER
#define DEVICE_L1_GLOBAL_ALWAYS DEVICE_WORD_l1_global_ALWAYS
#define DEVICE_L1_WRITE_NONE    DEVICE_WORD_l1_write_NONE
#define DEVICE_L1_WRITE_EVICT   DEVICE_WORD_l1_write_EVICT
#define DEVICE_DRAM_INTERLEAVE_HASHED DEVICE_WORD_dram_interleave_HASHED
#define DEVICE_L2_WRITE_NONE    DEVICE_WORD_l2_write_NONE
#define DEVICE_READONLY_PATH_NONE    DEVICE_WORD_readonly_path_NONE
#define DEVICE_READONLY_PATH_TEXTURE DEVICE_WORD_readonly_path_TEXTURE
#define DEVICE_ECC_KIND_NONE    DEVICE_WORD_ecc_kind_NONE
#define DEVICE_GRANT_BLOCK      DEVICE_WORD_register_grant_BLOCK
#define DEVICE_CHOICE_LAUNCH    DEVICE_WORD_shared_choice_LAUNCH

/* Units and meanings: device_figures.def. `nID` is the length of the list ID. */
struct device {
    char id[64];         /* the description's name: "h200" */
    char path[1024];     /* the file it came from */
    char from[64];       /* the relative whose figures stand where it has none of its own; "": it has all */
#define SECTION(title)
#define TEXT(id, of, size, help) char id[size];
#define FIGURE(id, of, unit, need, min, max, help) int64_t id;
#define CHOICE(id, of, need, help) int id; /* enum device_word */
#define LIST(id, of, unit, min, max, least, help) \
    int64_t id[DEVICE_LIST_MAX];              \
    int n##id;
#include "device/device_figures.def"
#undef SECTION
#undef TEXT
#undef FIGURE
#undef CHOICE
#undef LIST
    uint64_t without;    /* mechanisms of the model that are off (mechanisms.h) */
};

/* Compute capability, times ten: 90 is 9.0. */
static inline int device_arch(const struct device *d)
{
    return (int)(10 * d->cc_major + d->cc_minor);
}

/* Reads the description of `name` (a description's name, or the path of a .json file); NULL: HEDDLE_DEVICE of the
 * environment, else "h200". False: at least one error in `diags`. */
bool device_load(struct device *d, const char *name, struct diag_list *diags);

/* Reads one description from text, `file` standing in messages. */
bool device_parse(struct device *d, const char *file, const char *text, size_t len, struct diag_list *diags);

/* The text of a description of a GPU of this name (letters, digits, '-', '_'), which is the relative in all but its name:
 * figures that a relative cannot stand for are in it with the relative's values, to be replaced one by one. */
void device_begin(const char *name, const struct device *relative, struct strbuf *out);

/* The names of all descriptions on the search path, sorted, each once; returns how many and sets *names (release with
 * device_names_release). */
int device_names(char ***names);
void device_names_release(char **names, int n);

/* The architecture that device code is compiled for: of those that clang 19 makes code for, the newest that is no newer
 * than the device, or the oldest. Compute capability times 10. */
int device_code_arch(const struct device *d);

enum { DEVICE_CODE_OLDEST = 50, DEVICE_CODE_NEWEST = 90 };

/* "device code for sm_90", and for a device that is newer or older than such code, that it is. */
void device_code_text(int cc_major, int cc_minor, int arch, struct strbuf *out);

/* --- the table of figures --- */

enum device_kind { DEVICE_SECTION, DEVICE_TEXT, DEVICE_FIGURE, DEVICE_CHOICE, DEVICE_LIST };
enum device_owner { DEVICE_OF_OWN, DEVICE_OF_BOARD, DEVICE_OF_CHIP, DEVICE_OF_CAPABILITY }; /* device_figures.def: `of` */

struct device_field {
    enum device_kind kind;
    enum device_owner of;
    const char *id;      /* the key in the description; NULL for a section */
    const char *unit;    /* "" for a plain number, NULL for texts and choices */
    bool open;           /* may be unknown */
    int64_t min, max;    /* of figures and of what lists hold */
    int least;           /* length of a list, at least */
    size_t offset, size; /* in struct device; size: of a text */
    size_t count_offset; /* of a list's length */
    const char *help;    /* or a section's title */
};

/* The figure of that name, or where it is not known what device_taken.def says. */
#define TAKEN(id, value, whose) DEVICE_TAKEN_##id = value,
enum device_taken {
#include "device/device_taken.def"
};
#undef TAKEN
#define DEVICE_TAKEN(d, id) ((d)->id == DEVICE_UNKNOWN ? DEVICE_TAKEN_##id : (d)->id)

/* What is taken where the figure is not known, and whose that is: false: nothing is. */
bool device_taken_of(const char *id, int64_t *value, const char **whose);

/* All rows in their order; *n: how many. */
const struct device_field *device_fields(int *n);

const char *device_word(enum device_word w);      /* "GDDR5" */
const char *device_word_help(enum device_word w); /* what it means; "" where the word says it */

/* The i-th word that a choice may be, i from 0; false: there are no more. */
bool device_word_of(const char *figure, int i, enum device_word *w);

/* A figure's value as text: "132", "GDDR5", "16384, 49152", "unknown". */
void device_value(const struct device *d, const struct device_field *f, struct strbuf *out);

/* --- where figures come from --- */

/* RELATIVE: taken from the description of a relative, which has no reason to be the same. */
enum device_origin_kind { DEVICE_SOURCED, DEVICE_ASSUMED, DEVICE_NOT_KNOWN, DEVICE_RELATIVE };

struct device_origin {
    enum device_origin_kind kind;
    const char *text; /* the source in full, or why the figure is assumed or not known; RELATIVE: "NAME: " and its text */
};

/* Calls `see` for each figure of the description that `d` was loaded from, in the order of device_fields. False: the
 * file cannot be read any more. */
bool device_origins(const struct device *d,
                    void (*see)(const struct device_field *f, const struct device_origin *o, void *user), void *user);

/* --- what follows from the figures --- */

struct device_rates {
#define RATE(id, unit, value, help) double id; /* NAN: not known */
#include "device/device_rates.def"
#undef RATE
};

void device_rates(const struct device *d, struct device_rates *out) ACROSS(device_rates);

struct device_rate {
    const char *id, *unit, *help;
    size_t offset; /* in struct device_rates */
};

const struct device_rate *device_rate_table(int *n);

#endif
