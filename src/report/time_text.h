/* What the modelled time of a launch says: the report's first sentence, and the sections that rest on time.
 *
 * In: a result whose group "time" was collected (counters/groups.def). Out: text. All figures are modelled; the units' peaks are
 * those of the device's description (device/device_rates.def).
 *
 * Bounds as NVIDIA's triage guide has them for its users: a unit that does 60 % of its peak or more bounds the launch; where
 * none does, latency does, and the reason is looked for: multiprocessors without a block, the launch itself, what warps wait for. */
#ifndef REPORT_TIME_TEXT_H
#define REPORT_TIME_TEXT_H

#include "report/result.h"

struct strbuf;

/* "Takes 12.4 us: bound by DRAM at 79.6% of its peak.": time in us, the unit, its share of the peak, and why, as far as figures say; a line. */
void time_sentence(const struct result *r, struct strbuf *out);

/* "12 of the 58 figures of the GPU that this time rests on are guesses, first of all latency_l2, ...": those that count most for what bounds the
 * launch come first; a line, or nothing where none is or it is not known. */
void time_guesses(const struct result *r, struct strbuf *out);

/* What the sentence names: "DRAM", "latency", "nothing"; "n/a" where time was not collected. */
const char *time_bound(const struct result *r);

/* How much less time the launch would take, percent, if units had that share (0 to 1) less to do: the unit that bounds it then as near to its
 * peak as the one that bounds it now. 0 where latency bounds it: who waits knows nothing of work. Labels as in "Use Of Peaks"; L1 has less
 * where shared memory has, too. */
struct time_relief {
    const char *label;
    double share;
};
double time_less(const struct result *r, const struct time_relief *relief, int n);

/* "DRAM 79.6%, L2 31.0%": the rows of a title of section_rows.def that are above 0, largest first; "none". A line with its head. */
void time_list(const struct result *r, const char *title, const char *head, struct strbuf *out);

/* The table of warp states: cycles for each instruction issued, largest first. */
void time_states(const struct result *r, struct strbuf *out);

/* The state, issuing and being passed over left out, in which warps are most: its row of section_rows.def, or NULL where no states are told.
 * *share: of all cycles of warps, percent. The counter of such a row. */
struct section_row;
const struct section_row *time_top_state(const struct result *r, double *share);
enum counter time_state_counter(const struct section_row *row);

#endif
