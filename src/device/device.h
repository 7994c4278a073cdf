/* Device descriptions: what a GPU is, as data.
 *
 * In: the name of a description ("h200"), found as NAME.json in, first to last, each directory of the environment's
 * HEDDLE_DEVICES (separated by ':'), ../devices and ../share/heddle/devices beside the library or program that holds
 * this code, and ~/.config/heddle/devices. Out: a checked `struct device`; every figure of device_fields.def is there
 * and in its range. Errors name the file and the figure; a wrong name is answered with the nearest existing ones.
 * A description gives every figure as {"value": ..., "unit": ..., "source": ...}; docs/devices.md describes the format.
 * Also here, as a pure function: how many blocks fit on a multiprocessor, and what limits them. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag_list;
struct strbuf;

#define DEVICE_CONFIGS_MAX 16

struct device {
    char id[64];         /* the description's name: "h200" */
    char name[256];      /* "NVIDIA H200" */
    char path[1024];     /* the file it came from */
    int64_t shared_configs[DEVICE_CONFIGS_MAX]; /* bytes of shared memory an SM can be configured for, increasing */
    int nshared_configs;
#define FIGURE(id, unit, min, max, help) int64_t id;
#include "device/device_figures.def"
#undef FIGURE
};

/* Reads the description of `name` (a description's name, or the path of a .json file); NULL: HEDDLE_DEVICE of the
 * environment, else "h200". False: at least one error in `diags`. */
bool device_load(struct device *d, const char *name, struct diag_list *diags);

/* Reads one description from text, `file` standing in messages. */
bool device_parse(struct device *d, const char *file, const char *text, size_t len, struct diag_list *diags);

/* The names of all descriptions on the search path, sorted, each once; returns how many and sets *names (release with
 * device_names_release). */
int device_names(char ***names);
void device_names_release(char **names, int n);

/* --- occupancy --- */

enum device_limit { DEVICE_LIMIT_NONE, DEVICE_LIMIT_WARPS, DEVICE_LIMIT_BLOCKS, DEVICE_LIMIT_REGISTERS,
                    DEVICE_LIMIT_SHARED, DEVICE_LIMIT_BARRIERS };

/* What one block of a kernel needs. */
struct device_need {
    int threads;            /* a block */
    int registers;          /* a thread; 0: none */
    int64_t shared_static;  /* bytes */
    int64_t shared_dynamic; /* bytes */
    int barriers;           /* named barriers a block uses; 0 counts as 1 */
};

/* Blocks an SM by each resource alone, and together. A block that cannot run at all (too many threads, registers or
 * too much shared memory) has blocks 0 and the limit names why. */
struct device_occupancy {
    int by_warps, by_blocks, by_registers, by_shared, by_barriers;
    int blocks;              /* resident blocks an SM: the least of the above */
    int warps;               /* blocks * warps a block */
    int warps_per_block;
    int64_t shared_driver;   /* bytes the driver reserves a block */
    int64_t shared_per_block;/* static + dynamic + driver, rounded up to the allocation unit */
    int64_t shared_config;   /* modelled: bytes of shared memory the driver configures the SM for */
    int by_shared_configured;/* blocks that fit into shared_config: what the profiler prints */
    enum device_limit limit; /* the resource that gives `blocks`; the first in the order of the enum */
};

/* Sources: CUDA programming guide 12, tables "Technical specifications per compute capability"; allocation units as in
 * the CUDA occupancy calculator; checked against launch__occupancy_limit_* of 398 launches on an H200 (shared_config, a
 * choice of the driver's, in 389). */
void device_occupancy(const struct device *d, const struct device_need *need, struct device_occupancy *out);

const char *device_limit_text(enum device_limit l); /* "registers", "shared memory", ... */

#endif
