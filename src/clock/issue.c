/* See issue.h. */
#include "clock/issue.h"

uint64_t issue_wants(const struct issue_queue *q, const struct turn *turn)
{
    uint64_t first = ISSUE_NEVER;
    if (q->chosen)
        return turn[q->place[q->chosen - 1]].since;
    for (uint32_t i = 0; i < q->n; i++)
        first = turn[q->place[i]].since < first ? turn[q->place[i]].since : first;
    return first;
}

void issue_choose(struct issue_queue *q, const struct turn *turn, const uint32_t *age, uint32_t most, uint64_t now)
{
    const uint64_t room = issue_room(q, most);
    uint64_t first = ISSUE_NEVER;
    bool gave_way = true;
    for (uint32_t i = 0; i < q->n; i++) {
        const uint32_t place = q->place[i];
        const uint64_t at = later(turn[place].since, room);
        const bool gives = q->last == place + 1;
        if (at > now || (gives && !gave_way))
            continue;
        if (q->chosen && gives == gave_way && (at > first || (at == first && age[place] > age[q->place[q->chosen - 1]])))
            continue;
        q->chosen = i + 1;
        first = at;
        gave_way = gives;
    }
    q->last = 0;
    q->asked = false;
}
