/* The checkers: bad accesses, reads of bytes never written, broken barriers, races.
 *
 * A launch that is checked is watched (simt/watch.h): before an access memcheck says which lanes must not do it, and all
 * tools get the records of what was done. One host thread runs such a launch, so what is found is the same in every run.
 * In: a launch and the device's memory. Out: groups of findings; one group is what one source line (or two, of a race)
 * does wrong in one way, with its number and the first of them in full. Writing them down is the report's business. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/across.h"
#include "simt/warp.h"
#include "space/space.h"

enum check_tool { CHECK_MEMCHECK = 1, CHECK_INITCHECK = 2, CHECK_SYNCCHECK = 4, CHECK_RACECHECK = 8, CHECK_ALL = 15 };
enum check_severity { CHECK_WARNING, CHECK_ERROR };

enum check_kind {
#define KIND(id, tool, severity, name) CHECK_##id,
#include "check/kinds.def"
#undef KIND
    CHECK_KINDS
};

/* The tools that a word of `n` bytes names ("memcheck", "all"): bits, 0: none. And the other way, for one tool. */
unsigned check_tool_named(const char *word, size_t n) ACROSS(check_tool_named);
const char *check_tool_name(enum check_tool t) ACROSS(check_tool_name);

enum check_tool check_kind_tool(enum check_kind k) ACROSS(check_kind_tool);
enum check_severity check_kind_severity(enum check_kind k) ACROSS(check_kind_severity);
const char *check_kind_name(enum check_kind k) ACROSS(check_kind_name);

/* Where an address lies. */
enum check_place { CHECK_NOWHERE, CHECK_INSIDE, CHECK_BEFORE, CHECK_AFTER, CHECK_FREED };

struct check_finding {
    enum check_kind kind;
    int32_t site, by_site;     /* instructions; by_site: the earlier access's of a race, else -1 */
    int part;                  /* of an access that was made of several: the element that is wrong, else -1 */
    uint8_t space, op, bytes;  /* of the access: enum ptx_space, enum record_op, bytes a lane */
    uint64_t address;          /* device address; shared and local: offset */
    uint32_t block[3], thread[3], by_thread[3];
    enum check_place place;    /* of an address in global memory that is wrong: against `near` */
    uint64_t distance;         /* bytes: before its first, or behind its last byte (1: the next one) */
    struct space_allocation near;
    uint32_t limit;            /* out of bounds in shared or local memory: its bytes */
    bool has_values;           /* of a race: the word that is written, and what it held */
    uint32_t now, then;
    bool async;                /* the earlier access is an asynchronous copy nobody waited for */
    uint32_t mask;             /* of a rendezvous */
};

enum { CHECK_KEPT = 128 };

/* Findings of one kind, at one place. */
struct check_group {
    struct check_finding *kept; /* the first CHECK_KEPT */
    int nkept;
    uint64_t count;
};
struct heap;

struct check;        /* what is known of a device's memory */
struct check_launch;

/* tools: bits of enum check_tool. Space and heap (which may be opened later) must live as long. */
struct check *check_open(unsigned tools, const struct space *space, const struct heap *heap);
void check_close(struct check *c);

/* Later launches tell `tell` of a group as soon as there is one, and again whenever its count has grown much: what is
 * known of a launch that will never end. index: of the group, as in check_groups. */
void check_follow(struct check *c, void (*tell)(const struct check_group *g, int index, void *user), void *user);

/* What the host does to device memory, for initcheck. Addresses outside of the device's memory are no matter. */
void check_allocated(struct check *c, uint64_t address, uint64_t bytes);
void check_written(struct check *c, uint64_t address, uint64_t bytes);
void check_copied(struct check *c, uint64_t to, uint64_t from, uint64_t bytes);
/* How many bytes of the range were never written, and the first of them; 0 without initcheck. */
uint64_t check_unwritten(const struct check *c, uint64_t address, uint64_t bytes, uint64_t *first);

/* Makes the launch a watched one, for those of the tools that are bits of `tools`. NULL: for none. newest: serial of the
 * last allocation that findings may name as near. */
struct check_launch *check_begin(struct check *c, struct launch *l, unsigned tools, uint64_t newest);
/* For the clock: an observer (clock/clock.h) whose user pointer is the struct check_launch. */
void check_observe(const struct record *r, const struct record_values *values, const struct block *b, void *user);
/* After the launch has ended: its groups in the order of their first findings. Valid until check_end. */
int check_groups(struct check_launch *cl, const struct check_group **groups);
void check_end(struct check_launch *cl);

#endif
