/* The status line of launches (see progress.h). The engine is asked four times a second which launch runs; what it answers of
 * the place that runs is a sample: after 10 s the line that was met most is told, once for each launch. */
#include "runtime/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/strbuf.h"
#include "engine.h"
#include "runtime/runtime.h"

enum { PLACES = 16 };
static const double SHOWN_AFTER = 1, TOLD_AFTER = 10; /* s */

/* What was seen of one launch; only the thread that draws touches it. */
static struct {
    uint64_t launch;
    bool told;
    struct {
        char at[sizeof(((struct engine_progress *)0)->at)];
        int times;
    } place[PLACES];
} seen;

static void note_place(const char *at)
{
    int i = 0;
    while (i < PLACES && seen.place[i].times && strcmp(seen.place[i].at, at) != 0)
        i++;
    if (!*at || i == PLACES)
        return;
    if (!seen.place[i].times++)
        snprintf(seen.place[i].at, sizeof seen.place[i].at, "%s", at);
}

static const char *hottest(void)
{
    int best = 0;
    for (int i = 1; i < PLACES; i++)
        best = seen.place[i].times > seen.place[best].times ? i : best;
    return seen.place[best].times ? seen.place[best].at : NULL;
}

static void add_blocks(const struct engine_progress *p, struct strbuf *out)
{
    strbuf_addf(out, "%" PRIu64 " of %" PRIu64 " blocks", p->past, p->blocks);
}

static void tell(const struct engine_progress *p)
{
    struct strbuf blocks;
    const char *at = hottest();
    strbuf_init(&blocks);
    add_blocks(p, &blocks);
    status_clear();
    runtime_say("kernel '%s' has run for %.0f s: %s%s%s", p->kernel, p->seconds, blocks.s, at ? "; it is most often seen at " : "", at ? at : "");
    strbuf_release(&blocks);
}

static void add_time(double seconds, struct strbuf *out)
{
    int64_t s = (int64_t)(seconds + 0.5);
    if (s >= 3600)
        strbuf_addf(out, "%" PRId64 " h %02" PRId64 " min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        strbuf_addf(out, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
    else
        strbuf_addf(out, "%" PRId64 " s", s);
}

static void say(void *user, struct strbuf *out)
{
    struct engine_progress p;
    (void)user;
    if (!engine_progress(&p) || p.seconds < SHOWN_AFTER)
        return;
    if (seen.launch != p.number) {
        memset(&seen, 0, sizeof seen);
        seen.launch = p.number;
    }
    note_place(p.at);
    if (p.seconds >= TOLD_AFTER && !seen.told) {
        seen.told = true;
        tell(&p);
    }
    strbuf_addf(out, "heddle: %s%s%s, launch %" PRIu64 ": ", p.how, *p.how ? " " : "", p.kernel, p.number);
    add_blocks(&p, out);
    strbuf_adds(out, ", ");
    add_time(p.seconds, out);
    if (p.past && p.past < p.blocks) {
        strbuf_adds(out, ", about ");
        add_time(p.seconds * (double)(p.blocks - p.past) / (double)p.past, out);
        strbuf_adds(out, " to go");
    }
}

void progress_begin(void)
{
    if (status_begin(say, NULL))
        atexit(status_end);
}
