/* Stream capture: calls that add nodes to a graph instead of commands to a stream (CUDA C++ programming guide 12, 3.2.8.7.3
 * "Creating a Graph Using Stream Capture"; error codes as an H200 answers: tests/truth/graphs).
 *
 * A stream that captures has a front: the nodes that its next node goes behind. An event that is recorded in it keeps a copy
 * of the front; a stream that waits for the event joins the capture. */
#ifndef RUNTIME_CAPTURE_H
#define RUNTIME_CAPTURE_H

#include "runtime/graph.h"

/* A stream's part in a capture. */
struct capture;
struct capture_point; /* what an event keeps */

/* A call is about to put work into a stream. *captures: it is to add a node instead. Errors: the capture is invalid, or the
 * legacy stream would wait for one that captures. */
cudaError_t capture_admit(struct stream *s, bool *captures);

/* Adds a node behind the stream's front, and takes `w` over, with an error too. */
cudaError_t capture_add(struct stream *s, const struct node_work *w);
cudaError_t capture_launch(struct stream *s, const struct launch_request *r, void **args);

cudaError_t capture_library(struct stream *s, struct library_work *w);
cudaError_t capture_alloc(struct stream *s, struct runtime_device *d, size_t bytes, void **out);
cudaError_t capture_free(struct stream *s, void *p);

/* A call that cannot be captured is made of this stream: if it captures, the capture is invalid and the answer is `e`. */
cudaError_t capture_refuse(struct stream *s, cudaError_t e);

/* A call that may wait for what a capture only notes: cudaErrorStreamCaptureUnsupported where the capture's mode and the
 * thread's forbid it. */
cudaError_t capture_unsafe(void);

/* The same of a call that asks or waits for this stream, which must not capture. */
cudaError_t capture_stream_unsafe(struct stream *s);

/* The device is waited for. */
cudaError_t capture_device(const struct runtime_device *d);

/* Events. capture_record: NULL when the stream does not capture. */
struct capture_point *capture_record(struct stream *s);
void capture_point_free(struct capture_point *p);
cudaError_t capture_wait(struct stream *s, const struct capture_point *p);
cudaError_t capture_point_refuse(const struct capture_point *p); /* asked whether it is done: the capture is invalid */

/* The stream is destroyed. */
void capture_forget(struct stream *s);

#endif
