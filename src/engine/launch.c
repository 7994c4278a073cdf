/* A launch before it runs: does it fit the device, and what do its blocks share. */
#include "engine/private.h"

#include <string.h>

#include "counters/launch.h"
#include "device/mechanisms.h"
#include "engine.h"
#include "memory/caches.h"
#include "memory/rules.h"
#include "report/result.h"

static heddle_status check(const heddle_kernel *k, const heddle_launch_config *c, const char *name)
{
    const struct device *d = &k->module->device->spec;
    const int64_t block_max[3] = {d->max_block_x, d->max_block_y, d->max_block_z};
    const int64_t grid_max[3] = {d->max_grid_x, d->max_grid_y, d->max_grid_z};
    uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];
    for (int i = 0; i < 3; i++) {
        if (!c->grid[i] || (int64_t)c->grid[i] > grid_max[i])
            return engine_fail(HEDDLE_INVALID_CONFIGURATION, "kernel '%s': %u blocks in %c; device %s allows 1 to %lld", name,
                        c->grid[i], "xyz"[i], d->id, (long long)grid_max[i]);
        if (!c->block[i] || (int64_t)c->block[i] > block_max[i])
            return engine_fail(HEDDLE_INVALID_CONFIGURATION, "kernel '%s': a block of %u threads in %c; device %s allows 1 to %lld",
                        name, c->block[i], "xyz"[i], d->id, (long long)block_max[i]);
    }
    if (threads > (uint64_t)d->max_threads_per_block)
        return engine_fail(HEDDLE_INVALID_CONFIGURATION, "kernel '%s': a block of %llu threads; device %s allows %lld", name,
                    (unsigned long long)threads, d->id, (long long)d->max_threads_per_block);
    if (threads > (uint64_t)kernel_max_threads(k))
        return engine_fail(HEDDLE_INVALID_CONFIGURATION, "kernel '%s': a block of %llu threads; its launch bounds allow %d", name,
                    (unsigned long long)threads, kernel_max_threads(k));
    uint64_t shared = k->ir->shared_dynamic + (uint64_t)c->shared_bytes;
    if (shared > (uint64_t)d->max_shared_per_block_optin || c->shared_bytes > UINT32_MAX)
        return engine_fail(HEDDLE_INVALID_CONFIGURATION, "kernel '%s': %llu bytes of shared memory per block; device %s allows %lld",
                    name, (unsigned long long)shared, d->id, (long long)d->max_shared_per_block_optin);
    return HEDDLE_OK;
}

bool engine_uses_heap(const heddle_kernel *k)
{
    return k->code && interp_uses_heap(k->code);
}

heddle_status launch_heap(heddle_kernel *k)
{
    heddle_device *d = k->module->device;
    enum space_status s = SPACE_OK;
    if (!interp_uses_heap(k->code))
        return HEDDLE_OK;
    pthread_mutex_lock(&d->heap_lock);
    if (!d->heap.bytes)
        s = heap_open(&d->heap, &d->space, d->heap_bytes);
    pthread_mutex_unlock(&d->heap_lock);
    if (s == SPACE_OK)
        return HEDDLE_OK;
    return engine_fail(HEDDLE_OUT_OF_MEMORY, "no %llu bytes of device memory are free for the heap that kernel '%s' uses",
                       (unsigned long long)d->heap_bytes, k->function->name);
}

heddle_status launch_check(const heddle_kernel *k, const heddle_launch_config *c)
{
    struct arena a;
    arena_init(&a);
    heddle_status s = check(k, c, result_demangle(&a, k->function->name));
    arena_release(&a);
    return s;
}

static char *copy_params(struct arena *a, const struct ir_kernel *k, void *const *args)
{
    char *block = arena_alloc(a, k->param_bytes + 16);
    for (int i = 0; i < k->nparams; i++)
        memcpy(block + k->params[i].offset, args[i], k->params[i].bytes);
    return block;
}

static void make_tids(struct launch *l)
{
    l->tid = arena_alloc(&l->arena, sizeof *l->tid * (size_t)l->warps_per_block);
    l->first_tid = arena_alloc(&l->arena, sizeof *l->first_tid * (size_t)l->warps_per_block);
    for (uint32_t t = 0; t < l->threads; t++) {
        uint32_t x = t % l->block_dim[0], y = t / l->block_dim[0] % l->block_dim[1];
        l->tid[t / WARP_LANES][0][t % WARP_LANES] = x;
        l->tid[t / WARP_LANES][1][t % WARP_LANES] = y;
        l->tid[t / WARP_LANES][2][t % WARP_LANES] = t / l->block_dim[0] / l->block_dim[1];
    }
    for (int w = 0; w < l->warps_per_block; w++)
        for (int i = 0; i < 3; i++)
            l->first_tid[w][i] = l->tid[w][i][0];
}

void engine_stuck(heddle_device *dev, bool (*stuck)(void *user), void *user)
{
    dev->stuck = stuck;
    dev->stuck_user = user;
}

static uint64_t launches; /* atomic */

void launch_prepare(struct launch *l, heddle_kernel *k, const heddle_launch_config *c, void *const *args)
{
    heddle_device *d = k->module->device;
    *l = (struct launch){.kernel = k->ir, .code = k->code, .space = &d->space, .interrupt = &d->interrupt, .stop_at = UINT64_MAX, .at = -1};
    l->ring_records = RING_RECORDS;
    arena_init(&l->arena);
    memcpy(l->grid, c->grid, sizeof l->grid);
    memcpy(l->block_dim, c->block, sizeof l->block_dim);
    l->nblocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    l->threads = c->block[0] * c->block[1] * c->block[2];
    l->warps_per_block = (int)(l->threads + WARP_LANES - 1) / WARP_LANES;
    l->shared_asked = k->ir->shared_dynamic + (uint32_t)c->shared_bytes;
    l->shared_bytes = (uint32_t)device_shared_bound(&d->spec, l->shared_asked, kernel_need(k, (int)l->threads, c->shared_bytes).shared_hidden);
    l->params = copy_params(&l->arena, k->ir, args);
    make_tids(l);
    l->sms = (uint32_t)d->spec.multiprocessors;
    l->begins = d->begins;
    l->clock_khz = (uint32_t)d->spec.sm_clock_khz;
    l->matrix_sum_bits = (uint8_t)d->spec.matrix_sum_bits;
    l->matrix_sum_bytes = (uint8_t)d->spec.matrix_sum_bytes;
    l->matrix_fp8_bits = (uint8_t)d->spec.matrix_fp8_bits;
    l->cooperative = c->cooperative;
    int resident = 1;
    heddle_occupancy(k, (int)l->threads, c->shared_bytes, &resident);
    l->resident = l->sms * (uint32_t)(resident < 1 ? 1 : resident);
    l->reg_bytes = interp_reg_bytes(k->code);
    l->turns = interp_turns(k->code, l);
    l->early_reads = ir_reads_early(k->ir);
    l->local_size = (k->ir->local_bytes + 15) / 16 * 16; /* loads that became one (target/group.c) read whole lines of 16 bytes */
    if (k->ir->recursive)
        l->local_size += (uint32_t)d->stack_bytes;
    l->local_bytes = (l->local_size + 15) / 16 * 16 + (k->ir->uses_scratch ? (k->ir->scratch_bytes + 15) / 16 * 16 : 0);
    l->stuck = d->stuck;
    l->stuck_user = d->stuck_user;
    l->heap = interp_uses_heap(k->code) ? &d->heap : NULL;
    l->number = __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
    l->grid_serial = __atomic_add_fetch(&d->launches, 1, __ATOMIC_RELAXED);
}

/* What the configured shared memory leaves of the memory that the two divide; all of it where they are apart. */
static int64_t l1_bytes(const struct device *d, int64_t shared_config)
{
    int64_t left = d->l1_shared_bytes ? d->l1_shared_bytes - shared_config : d->l1_bytes;

    return left < d->l1_bytes ? left : d->l1_bytes;
}

static int64_t known(int64_t figure, int64_t otherwise)
{
    return figure == DEVICE_UNKNOWN ? otherwise : figure;
}

enum { PARTS = 256, SECTOR = 32, SHARES = 10000 };

/* Cycles from a request to the data, without the arithmetic of addresses that was measured with them. docs/caches.md says
 * what is taken where a figure is not known. */
static void latencies(const struct device *d, struct caches_config *out)
{
    enum { L1 = 30, NEAR = 250, FAR = 500 }; /* if nothing at all is known */
    int64_t address = known(d->latency_address, 0), l1 = known(d->latency_l1, known(d->latency_shared, L1));
    int64_t dram = known(d->latency_dram, FAR), l2 = d->l2_bytes ? known(d->latency_l2, known(d->latency_dram, 2 * NEAR) / 2) : dram;

    int64_t shared = known(d->latency_shared, l1);
    out->shared_latency = (uint32_t)(shared > address ? shared - address : 1);
    out->l1_latency = (uint32_t)(l1 > address ? l1 - address : 1);
    out->l2_latency = (uint32_t)(l2 > address ? l2 - address : 1);
    const int64_t link = d->l2_partitions > 1 ? DEVICE_TAKEN(d, l2_link_cycles) / 2 : 0; /* half of the lines that a chase asks for are the other half's */
    const double wait = (double)DEVICE_TAKEN(d, dram_wait_ps) * (double)d->sm_clock_khz / 1e9, share = (double)DEVICE_TAKEN(d, dram_wait_share) / SHARES;
    out->dram_wait = (uint32_t)wait;
    out->dram_wait_every = share > 0 ? (uint32_t)(wait / share) : 1;
    const int64_t more = link + (int64_t)(share * wait / 2); /* the chase met banks at any time */
    out->dram_latency = (uint32_t)(dram > l2 + more ? dram - l2 - more : 0);
}

/* 1/PARTS of a cycle for a sector, at so many bytes a cycle; 0: any number. */
static uint32_t sector_cycles(int64_t bytes)
{
    return bytes > 0 ? (uint32_t)(PARTS * SECTOR / bytes) : 0;
}

/* 1/PARTS of a cycle for a time. */
static uint32_t cycles_of(const struct device *d, int64_t ps)
{
    return (uint32_t)((double)ps * (double)d->sm_clock_khz * PARTS / 1e9);
}

/* How much slices of L2 and channels of DRAM do in a cycle of the multiprocessors, and the ways between. */
static void throughputs(const struct device *d, struct caches_config *out)
{
    int64_t slices = known(d->l2_slices, 0), bytes = known(d->l2_slice_bytes_per_clock, 0);
    double l2_clock = (double)known(d->l2_clock_khz, d->sm_clock_khz) / (double)d->sm_clock_khz;
    double dram_bytes = (double)d->memory_bus_bits / 8 * 2 * (double)d->memory_clock_khz / (double)d->sm_clock_khz;

    if (slices && (bytes || known(d->l2_read_all, 0))) {
        const int64_t reads = known(d->l2_read_all, (int64_t)((double)(slices * bytes) * l2_clock)), writes = known(d->l2_write_all, reads);
        out->l2_slices = (uint32_t)slices;
        out->l2_slice_cycles = (uint32_t)(PARTS * SECTOR * slices / reads);
        out->l2_write_cycles = (uint32_t)(PARTS * SECTOR * slices / writes);
        out->l2_write_request_cycles = (uint32_t)(PARTS * slices / known(d->l2_write_requests, writes / SECTOR + 1));
        out->red_sector_cycles = (uint32_t)(PARTS * slices / known(d->l2_red_sectors, INT32_MAX));
        out->red_word_cycles = (uint32_t)(PARTS * slices / known(d->l2_red_words, INT32_MAX));
        out->atom_word_cycles = (uint32_t)(PARTS * slices / known(d->l2_atom_words, INT32_MAX));
        out->atom_sector_cycles = (uint32_t)(PARTS * slices / known(d->l2_atom_sectors, INT32_MAX));
        out->l2_request_cycles = (uint32_t)(PARTS / l2_clock); /* one look-up a cycle: h200.json, l2_slices */
    }
    out->sm_read_cycles = sector_cycles(DEVICE_TAKEN(d, l2_read_sm));
    out->gpc_read_cycles = sector_cycles(known(d->l2_read_gpc, 0));
    out->gpc_write_cycles = sector_cycles(known(d->l2_write_gpc, 0));
    out->atomic_word = cycles_of(d, DEVICE_TAKEN(d, atomic_word_ps));
    out->atomic_word_float = cycles_of(d, DEVICE_TAKEN(d, atomic_word_float_ps));
    out->atomic_sector = cycles_of(d, DEVICE_TAKEN(d, atomic_sector_ps));
    out->atomic_sector_slow = cycles_of(d, DEVICE_TAKEN(d, atomic_sector_slow_ps));
    out->store_again = cycles_of(d, DEVICE_TAKEN(d, store_again_ps));
    out->dram_channels = (uint32_t)d->dram_channels;
    const double unit = PARTS * SECTOR * (double)d->dram_channels / dram_bytes;
    const double read = unit * SHARES / (double)DEVICE_TAKEN(d, dram_read_share), write = unit * SHARES / (double)DEVICE_TAKEN(d, dram_write_share);
    const double both = unit * SHARES / (double)DEVICE_TAKEN(d, dram_copy_share);
    out->dram_channel_cycles = (uint32_t)read;
    out->dram_visit_cycles = cycles_of(d, DEVICE_TAKEN(d, dram_visit_ps));
    out->dram_visit_write_cycles = cycles_of(d, DEVICE_TAKEN(d, dram_visit_write_ps));
    out->dram_piece_lines = (uint32_t)(d->dram_interleave_bytes >> LINE_SHIFT);
    out->dram_write_cycles = (uint32_t)write;
    out->dram_turn_cycles = both > (read + write) / 2 ? (uint32_t)(both - (read + write) / 2) : 0;
}

/* What makers do not tell. */
static void habits(const struct device *d, struct caches_config *out)
{
    out->join_requests = (uint32_t)DEVICE_TAKEN(d, l2_join_requests);
    out->join_wait_cycles = (uint32_t)DEVICE_TAKEN(d, l2_join_wait_cycles);
    out->link_cycles = (uint32_t)DEVICE_TAKEN(d, l2_link_cycles);
    out->pair_cycles = (uint32_t)DEVICE_TAKEN(d, l2_pair_cycles);
    out->way_apart = (uint32_t)(CACHES_WAY * DEVICE_TAKEN(d, l2_way_share) / SHARES);
    out->dirty_share = (uint32_t)DEVICE_TAKEN(d, l2_dirty_share);
    out->partial_share = (uint32_t)DEVICE_TAKEN(d, l2_partial_share);
    out->sm_bytes = (uint32_t)DEVICE_TAKEN(d, l2_sm_bytes_per_clock);
    out->byte_store_cycles = (uint32_t)DEVICE_TAKEN(d, byte_store_cycles);
    out->byte_store_line_cycles = (uint32_t)DEVICE_TAKEN(d, byte_store_line_cycles);
    out->store_sector_cycles = (uint32_t)DEVICE_TAKEN(d, store_sector_cycles);
    out->store_part_cycles = (uint32_t)DEVICE_TAKEN(d, store_part_cycles);
    out->stores_waiting = (uint32_t)DEVICE_TAKEN(d, stores_waiting);
    out->reductions_waiting = (uint32_t)DEVICE_TAKEN(d, reductions_waiting);
    out->red_line_cycles = (uint32_t)DEVICE_TAKEN(d, red_line_cycles);
    out->l1_lines = (uint32_t)DEVICE_TAKEN(d, l1_lines_per_cycle);
    out->l1_miss_cycles = (uint32_t)DEVICE_TAKEN(d, l1_miss_line_cycles);
    out->wide_latency[0] = (uint32_t)DEVICE_TAKEN(d, latency_wide2);
    out->wide_latency[1] = (uint32_t)DEVICE_TAKEN(d, latency_wide4);
    out->wavefront_latency = (uint32_t)DEVICE_TAKEN(d, latency_wavefront);
    out->atomic_latency = (uint32_t)DEVICE_TAKEN(d, latency_atomic);
    out->texture_lanes = (uint32_t)DEVICE_TAKEN(d, texture_lanes_per_cycle);
    out->texel_latency = (uint32_t)DEVICE_TAKEN(d, latency_texture);
    out->texture_latency = out->texel_latency + (uint32_t)DEVICE_TAKEN(d, latency_texture_more);
    out->fence_latency = (uint32_t)DEVICE_TAKEN(d, latency_fence);
    out->store_latency = (uint32_t)DEVICE_TAKEN(d, latency_store);
    out->fence_cycles = (uint32_t)DEVICE_TAKEN(d, fence_cycles);
    out->stores_at_once = (uint32_t)DEVICE_TAKEN(d, stores_at_once);
    out->merge_cycles = (uint32_t)DEVICE_TAKEN(d, store_merge_cycles);
    out->merge_lines = (uint32_t)DEVICE_TAKEN(d, store_merge_lines);
    out->block_start = (uint32_t)DEVICE_TAKEN(d, block_start_cycles);
    out->block_dispatch = (uint32_t)DEVICE_TAKEN(d, block_dispatch_cycles);
    out->lsu_waiting_subpartition = (uint32_t)DEVICE_TAKEN(d, lsu_waiting_subpartition);
    out->lsu_waiting = (uint32_t)DEVICE_TAKEN(d, lsu_waiting);
    out->code_miss = (uint32_t)DEVICE_TAKEN(d, code_l2_miss_cycles);
    out->barrier = (uint32_t)DEVICE_TAKEN(d, barrier_cycles);
    out->barrier_warp = (uint32_t)DEVICE_TAKEN(d, barrier_warp_cycles);
    out->launch = cycles_of(d, DEVICE_TAKEN(d, launch_profiled_ps)) / PARTS;
    out->warp_start = (uint32_t)DEVICE_TAKEN(d, warp_start_cycles);
    out->tpc_start = (uint32_t)DEVICE_TAKEN(d, tpc_start_cycles);
    out->late_first = (uint32_t)known(d->gpc_late_first, 0);
    out->late_again = (uint32_t)known(d->gpc_late_again, 1);
}

/* A figure that is not known is that of the cache's working set (constants), or of a sector (textures). */
static void readonly_caches(const struct device *d, const struct rules *rules, struct caches_config *out)
{
    out->constant_bytes[0] = (uint32_t)known(d->constant_l1_bytes, d->constant_cache_bytes);
    out->constant_bytes[1] = (uint32_t)known(d->constant_l2_bytes, d->constant_cache_bytes);
    out->constant_line = (uint32_t)known(d->constant_l1_line, 64);
    out->constant_latency = (uint32_t)known(d->latency_constant, out->l1_latency);
    out->constant_hit_cycles = (uint32_t)DEVICE_TAKEN(d, constant_word_cycles);
    out->constant_miss_cycles = (uint32_t)DEVICE_TAKEN(d, constant_miss_cycles);
    out->constant_next_cycles = (uint32_t)DEVICE_TAKEN(d, constant_next_cycles);
    out->constant_behind_cycles = (uint32_t)DEVICE_TAKEN(d, constant_behind_cycles);
    out->constant_pending = (uint32_t)DEVICE_TAKEN(d, constant_pending);
    out->constant_lanes = rules->set->constant ? 16 : 32;
    out->texture_bytes = d->texture_in_l1 ? 0 : (uint32_t)d->texture_bytes;
    out->texture_line = (uint32_t)known(d->texture_line, 32);
    out->texture_sms = (uint32_t)d->texture_sms;
    out->texture_readonly = d->readonly_path == DEVICE_READONLY_PATH_TEXTURE;
    out->texture_l2_bytes = d->texture_in_l1 ? 0 : (uint32_t)d->texture_l2_bytes;
}

/* Page-locked memory of the host, over PCI Express: at the rates of copies. Where host and device share one memory it is as any other. */
static void host_memory(const struct device *d, const struct space *s, struct caches_config *out)
{
    struct device_rates r;
    device_rates(d, &r);
    if (d->integrated || d->pcie_lanes <= 0)
        return;
    const double bus = r.pcie_bandwidth * (double)DEVICE_TAKEN(d, copy_bus_share) / 1e4; /* bytes a ns */
    const double in = d->copy_bytes_per_us > 0 ? (double)d->copy_bytes_per_us / 1e3 : bus, back = d->copy_back_bytes_per_us > 0 ? (double)d->copy_back_bytes_per_us / 1e3 : bus;
    const double cycles = PARTS * SECTOR * (double)d->sm_clock_khz / 1e6;
    out->host_first = space_pinned_first(s);
    out->host_bytes = s->base + s->bytes - out->host_first;
    out->host_read_cycles = (uint32_t)(cycles / in);
    out->host_write_cycles = (uint32_t)(cycles / back);
    out->host_latency = (uint32_t)DEVICE_TAKEN(d, latency_host);
}

void launch_caches(heddle_kernel *k, const heddle_launch_config *c, const struct rules *rules, struct caches_config *out)
{
    const struct device *d = &k->module->device->model;
    struct device_need need = kernel_need(k, 0, c->shared_bytes);
    struct launch_facts f;

    launch_facts_init(&f, d, c->grid, c->block, &need, kernel_local_bytes(k));
    *out = (struct caches_config){
        .sms = (uint32_t)d->multiprocessors,
        .l1_bytes = (uint32_t)l1_bytes(d, f.shared_config),
        .l1_global = (int)d->l1_global,
        .l1_local = d->local_l1,
        .l1_whole = d->l1_sector == d->l1_line,
        .l1_evicts = d->l1_write == DEVICE_L1_WRITE_EVICT,
        .l2_bytes = (uint64_t)d->l2_bytes,
        .direct = !d->l2_bytes && !d->l1_bytes && rules->set->global ? rules->set : NULL,
        .l2_parts = (uint32_t)d->l2_partitions,
        .gpcs = (uint32_t)known(d->gpcs, 1),
        .sms_per_tpc = (uint32_t)(d->multiprocessors / known(d->tpcs, d->multiprocessors)),
        .late_tpcs = (uint32_t)known(d->gpc_late_tpcs, 0),
        .coalesce_cycles = (uint32_t)known(d->l2_coalesce_cycles, 0),
        .dram_bytes = (uint32_t)known(d->l2_fetch_bytes, d->l2_sector),
        .window_first = c->persisting.base,
        .window_bytes = c->persisting.bytes,
        .persisting_bytes = c->persisting.set_aside,
        .window_ratio = c->persisting.ratio,
        .devices_first = SPACE_BASE,
        .devices_bytes = SPACE_DEVICES * SPACE_STRIDE,
        .own_first = SPACE_BASE + (uint64_t)k->module->device->space.place * SPACE_STRIDE,
        .own_bytes = SPACE_STRIDE,
    };
    host_memory(d, &k->module->device->space, out);
    latencies(d, out);
    throughputs(d, out);
    habits(d, out);
    readonly_caches(d, rules, out);
    dram_spec_of(&k->module->device->spec, &out->dram);
    out->no_rounds = !mechanisms_has(d, MECHANISM_rounds);
    out->no_issue_share = !mechanisms_has(d, MECHANISM_issue_share);
    out->no_oldest_first = !mechanisms_has(d, MECHANISM_oldest_first);
    out->no_banks = !mechanisms_has(d, MECHANISM_banks);
    out->no_pending = !mechanisms_has(d, MECHANISM_pending);
    out->no_drain = !mechanisms_has(d, MECHANISM_drain);
}
