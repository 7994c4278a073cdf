/* How much memory the machine can still give (bytes).
 *
 * Source: MemAvailable of /proc/meminfo (proc(5)), and the limits of the control groups the process lives in
 * (memory.max and memory.current of cgroup v2, memory.limit_in_bytes of v1): whichever is smallest. A memfd is charged
 * to both. The limits of the process (getrlimit(2)): its address space, in which device memory lies twice, and the size of
 * a file, which a memfd is. */
#ifndef SPACE_MACHINE_H
#define SPACE_MACHINE_H

#include <stdint.h>

/* UINT64_MAX when the machine does not say. */
uint64_t machine_memory_available(void);

/* All the machine's memory, MemTotal, but at most a quarter of machine_room; UINT64_MAX when it does not say. */
uint64_t machine_memory_total(void);

/* Bytes of address space that this process may still take; UINT64_MAX where there is no limit. */
uint64_t machine_addresses_left(void);

/* How large a memfd may be that this process maps twice, half of its address space left for everything else; UINT64_MAX
 * where it has no such limits. */
uint64_t machine_room(void);

/* For tests: what machine_memory_available answers; 0 asks the machine again. */
void machine_pretend_available(uint64_t bytes);

#endif
