/* What every test of the runtime library includes: cmocka, the mock engine, kernels under short names. */
#ifndef RUNTIME_TEST_H
#define RUNTIME_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mock_engine.h"

/* Host stubs: only their addresses matter. */
static char add_one[1], log_tag[1], hold[1], fault_kernel[1], missing_feature[1], sleepy[1], meet[1], heap[1], not_in_ptx[1];
static int table[16];

static inline int register_kernels(void **state)
{
    (void)state;
    void **h = mock_blob("kernel add_one\nkernel log\nkernel hold\nkernel fault\nkernel missing_feature\n"
                         "kernel sleepy\nkernel meet\nkernel heap\nvariable table 64\n");
    mock_kernel(h, add_one, "add_one");
    mock_kernel(h, log_tag, "log");
    mock_kernel(h, hold, "hold");
    mock_kernel(h, fault_kernel, "fault");
    mock_kernel(h, missing_feature, "missing_feature");
    mock_kernel(h, sleepy, "sleepy");
    mock_kernel(h, meet, "meet");
    mock_kernel(h, heap, "heap");
    mock_kernel(h, not_in_ptx, "not_in_ptx");
    mock_variable(h, table, "table", sizeof table);
    return 0;
}

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define ANSWERS(e, call)  do { assert_int_equal((call), (e)); assert_int_equal(cudaGetLastError(), (e)); } while (0)
#define LOG(tag, stream)  do { int tag_ = (tag); OK(mock_launch(log_tag, 1, 1, (stream), &tag_, NULL)); } while (0)

#endif
