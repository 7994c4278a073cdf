/* What other chapters need to know of events. */
#ifndef RUNTIME_EVENT_H
#define RUNTIME_EVENT_H

#include "runtime/queue.h"

/* The ticket of an event's last record, with a reference for the caller; NULL when it was never recorded. False: not an
 * event. */
bool event_ticket(cudaEvent_t event, struct ticket **t);

#endif
