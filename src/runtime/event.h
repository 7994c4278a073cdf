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

/* What it shares with other processes, or NULL; and an event of a handle. */
struct ipc_event;
struct ipc_event *event_ipc(cudaEvent_t event);
cudaEvent_t event_of_ipc(struct runtime_device *d, struct ipc_event *ipc);

/* The event was recorded by the command with this ticket. */
void event_set(cudaEvent_t event, struct ticket *t);

#endif
