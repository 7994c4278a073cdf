/* What other chapters need to know of events. */
#ifndef RUNTIME_EVENT_H
#define RUNTIME_EVENT_H

#include "runtime/queue.h"

/* The ticket of an event's last record, with a reference for the caller; NULL when it was never recorded. False: not an
 * event. */
bool event_ticket(cudaEvent_t event, struct ticket **t);

bool event_is(cudaEvent_t event);

/* Where it was recorded, if that was in a stream that captured; NULL. */
struct capture_point;
const struct capture_point *event_point(cudaEvent_t event);

/* The event was recorded by the command with this ticket. */
void event_set(cudaEvent_t event, struct ticket *t);

#endif
