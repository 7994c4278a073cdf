/* Events that processes share (ipc.c): what event.c and stream.c need of them. */
#ifndef RUNTIME_IPC_H
#define RUNTIME_IPC_H

#include "runtime/queue.h"

/* Of a handle's 64 bytes those that are used; the rest is 0. */
enum { IPC_HANDLE_USED = 48 };

/* How often an event was recorded, by whatever process, and how far those records are: in memory that the processes share. */
struct ipc_event;

/* For an event made with cudaEventInterprocess. NULL: the system gives no memory for it. */
struct ipc_event *ipc_event_new(void);
void ipc_event_release(struct ipc_event *e); /* NULL is fine */

/* A record: a command that tells the other processes when its turn comes. */
struct command *ipc_event_record(struct ipc_event *e);

/* A stream that waits for the event's last record in any process: a command that takes a host thread until then. */
struct command *ipc_event_wait(struct ipc_event *e);

/* Is the last record done? Waits until it is; false: the process that recorded it has ended. */
bool ipc_event_done(const struct ipc_event *e);
bool ipc_event_await(struct ipc_event *e);

#endif
