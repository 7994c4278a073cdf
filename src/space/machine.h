/* How much memory the machine can still give (bytes).
 *
 * Source: MemAvailable of /proc/meminfo (proc(5)), and the limits of the control groups the process lives in
 * (memory.max and memory.current of cgroup v2, memory.limit_in_bytes of v1): whichever is smallest. A memfd is charged
 * to both. */
#ifndef SPACE_MACHINE_H
#define SPACE_MACHINE_H

#include <stdint.h>

/* UINT64_MAX when the machine does not say. */
uint64_t machine_memory_available(void);

/* All the machine's memory, MemTotal; UINT64_MAX when it does not say. */
uint64_t machine_memory_total(void);

/* For tests: what machine_memory_available answers; 0 asks the machine again. */
void machine_pretend_available(uint64_t bytes);

#endif
