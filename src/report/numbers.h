/* Numbers as people read them. */
#ifndef REPORT_NUMBERS_H
#define REPORT_NUMBERS_H

#include <stddef.h>

/* 1234567 as "1,234,567"; fractions with two decimals. */
void number_readable(double v, char *out, size_t size);

/* Three significant digits, all before the point: "0.00312", "31.2", "1,065",
 * below 0.0001 "3.12e-05"; "unknown" for NAN, "none" for INFINITY. */
void number_short(double v, char *out, size_t size);

#endif
