/* Services: functions of the outside that look at memory, print, or keep state, unlike those of lanes_extern.def. */
#ifndef INTERP_SERVICE_H
#define INTERP_SERVICE_H

#include "interp/code.h"

enum service_needs { SERVICE_HEAP = 1 /* of the device */, SERVICE_RUNTIME = 2 /* simt/children.h */ };

struct service {
    const char *name;
    const char *signature; /* see services.def */
    service_fn *fn;
    unsigned needs;        /* bits of enum service_needs */
};

/* NULL: there is none of this name. */
const struct service *service_find(const char *name);

/* --- for handlers --- */

/* The engine's view of `n` bytes at a generic address as one lane sees it, or NULL. */
const char *service_bytes(const struct warp *w, int lane, uint64_t address, unsigned n);

/* Records a fault of one lane at this step. Always false, for handlers to return. */
bool service_fault(const struct interp_code *c, struct warp *w, const struct step *st, int status, int lane,
                   uint64_t address, const char *text);

struct strbuf;

/* Adds the NUL-terminated string at `address`, at most 64 KiB. False: it is not in memory that the lane may read;
 * *bad is the first byte's address that is not. */
bool service_string(const struct warp *w, int lane, uint64_t address, struct strbuf *out, uint64_t *bad);

/* False: a fault was recorded; else the caller lets the lane arrive (block_grid_sync). */
service_fn service_grid_sync;

/* --- service_launch.c: the device's runtime --- */
service_fn service_launch_kernel, service_parameter_buffer, service_launch_device, service_last_error, service_peek_error, service_device_synchronize, service_stream_create,
    service_event_create, service_destroy, service_wait_event, service_record_event, service_cuda_malloc, service_cuda_free,
    service_copy, service_copy_2d, service_fill, service_fill_2d, service_get_device, service_device_count, service_runtime_version,
    service_device_attribute, service_device_limit, service_function, service_occupancy;

/* --- service_printf.c --- */
service_fn service_vprintf;

#endif
