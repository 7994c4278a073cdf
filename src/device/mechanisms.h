/* Ablations: the model of caches and time without some of its mechanisms (mechanisms.def).
 *
 * In: a device and which mechanisms are off. Out: the device as the model is to have it, with other figures; what no figure says
 * asks mechanisms_has. So a launch without any of them off costs nothing. */
#ifndef DEVICE_MECHANISMS_H
#define DEVICE_MECHANISMS_H

#include "base/across.h"
#include "device/device.h"

struct strbuf;

enum mechanism {
#define MECHANISM(id, header, help, instead) MECHANISM_##id,
#define OFF(figure, value)
#include "device/mechanisms.def"
#undef MECHANISM
#undef OFF
    MECHANISMS
};

struct mechanism_info {
    const char *name, *header; /* which says more: of src/ */
    const char *help;          /* what the model does, */
    const char *instead;       /* and what it takes without */
};

/* In their order; NULL: there are no more. */
const struct mechanism_info *mechanism_at(int i);

typedef uint64_t mechanism_set; /* bit: 1 << enum mechanism */

/* "queue,tags". False: one of them is none; *why says so. */
bool mechanisms_read(const char *names, mechanism_set *set, struct strbuf *why) ACROSS(mechanisms_read);

/* "queue,tags", in their order. */
void mechanisms_write(mechanism_set set, struct strbuf *out);

/* A table of all of them. */
void mechanisms_list(struct strbuf *out) ACROSS(mechanisms_list);

/* The model of the device is without these. */
void mechanisms_leave(struct device *d, mechanism_set off);

static inline bool mechanisms_has(const struct device *d, enum mechanism m)
{
    return !(d->without >> m & 1);
}

#endif
