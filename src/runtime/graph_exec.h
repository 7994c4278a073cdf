/* Graphs that can run: a copy of a graph, and the commands that its launch is made of. */
#ifndef RUNTIME_GRAPH_EXEC_H
#define RUNTIME_GRAPH_EXEC_H

#include "runtime/graph.h"

struct graph_exec;

/* The copy of a node in what was instantiated, or NULL: one of them is none, or the node was added later. */
struct graph_node *graph_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);

/* --- graph_condition.c: nodes whose bodies run while a value says so --- */

bool graph_condition_is(cudaGraphConditionalHandle handle);

/* The command of a conditional node: it runs the bodies itself, a node after the other, as often as the value says. */
cudaError_t graph_condition_command(const struct node_work *w, struct command **out);

/* The command that a launch of the graph with this id begins with: handles that are set anew at every launch get their values. */
struct command *graph_condition_begin(uint64_t graph);

/* Bodies may have kernels, copies, fills, empty nodes, children and conditions only. *bad: one that is none of these. */
bool graph_condition_fine(const struct graph *g, struct graph_node **bad);

#endif
