# Unit tests of device, counters, memory, report.
unit_test(device)
unit_test(memory)
unit_test(metrics)
unit_test(result)
