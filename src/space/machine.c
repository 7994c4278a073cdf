/* How much memory the machine can still give (see machine.h). */
#include "space/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t pretended;

/* The text of a small file of /proc or /sys; false when it is not there. */
static int read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* A field of /proc/meminfo, in bytes. */
static uint64_t meminfo(const char *field)
{
    char text[4096];
    if (!read_text("/proc/meminfo", text, sizeof text))
        return UINT64_MAX;
    const char *at = strstr(text, field);
    return at ? strtoull(at + strlen(field), NULL, 10) << 10 : UINT64_MAX;
}

static uint64_t number_in(const char *folder, const char *file)
{
    char path[1200], text[64], *end;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!read_text(path, text, sizeof text))
        return UINT64_MAX;
    uint64_t value = strtoull(text, &end, 10);
    return end == text ? UINT64_MAX : value; /* "max" */
}

/* What one control group leaves. Its page cache can be given up, so inactive file pages count as free. */
static uint64_t group_left(const char *folder, const char *limit_file, const char *used_file)
{
    uint64_t limit = number_in(folder, limit_file), used = number_in(folder, used_file), cache = 0;
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    char path[1200], text[8192];
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    if (read_text(path, text, sizeof text)) {
        const char *at = strstr(text, "\ninactive_file ");
        cache = at ? strtoull(at + 15, NULL, 10) : 0;
    }
    used = used > cache ? used - cache : 0;
    return limit > used ? limit - used : 0;
}

/* The smallest of the process's control groups (cgroup v2), from its own up to the root. */
static uint64_t groups_left(void)
{
    uint64_t least = group_left("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes");
    char text[1024], folder[1100];
    if (!read_text("/proc/self/cgroup", text, sizeof text))
        return least;
    char *path = strstr(text, "0::");
    if (!path)
        return least;
    path += 3;
    path[strcspn(path, "\n")] = 0;
    for (;;) {
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", path);
        uint64_t left = group_left(folder, "memory.max", "memory.current");
        least = left < least ? left : least;
        char *slash = strrchr(path, '/');
        if (!slash || !*path)
            return least;
        *slash = 0;
    }
}

uint64_t machine_memory_available(void)
{
    if (pretended)
        return pretended;
    uint64_t machine = meminfo("MemAvailable:"), group = groups_left();
    return machine < group ? machine : group;
}

uint64_t machine_memory_total(void)
{
    uint64_t total = meminfo("MemTotal:"), room = machine_room();
    return room / 4 < total ? room / 4 : total;
}

uint64_t machine_addresses_left(void)
{
    struct rlimit space;
    char text[64];
    if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur == RLIM_INFINITY || !read_text("/proc/self/statm", text, sizeof text))
        return UINT64_MAX;
    uint64_t used = strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE); /* proc(5): the first is the size */
    return space.rlim_cur > used ? space.rlim_cur - used : 0;
}

uint64_t machine_room(void)
{
    struct rlimit file;
    uint64_t left = machine_addresses_left(), room = left == UINT64_MAX ? left : left / 4;
    if (!getrlimit(RLIMIT_FSIZE, &file) && file.rlim_cur != RLIM_INFINITY && file.rlim_cur < room)
        room = file.rlim_cur;
    return room;
}

void machine_pretend_available(uint64_t bytes)
{
    pretended = bytes;
}
