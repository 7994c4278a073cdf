/* Facts about operations: what an analysis may rely on, said by the rows of ptx/ptx_ops.def and ir/ir_ops.def.
 *
 * An instruction's facts are sets of bits. Where modifiers or operands decide, the row names a function of facts.c. An
 * operation that nobody knows (PTX_OP_UNKNOWN) has the facts of one that may do anything. An analysis asks here and
 * decides nothing by the name of an operation, so that what it has never heard of is not taken for a pure function.
 * Sources: PTX ISA 8.4, sections 9.7.2 (carry), 9.7.9 (memory, shuffles), 9.7.12 and 9.7.13 (flow, synchronisation). */
#ifndef IR_FACTS_H
#define IR_FACTS_H

#include "ir/ir.h"

/* What results depend on besides the lane's own sources. Without FACT_LANE: equal sources give equal results in all
 * lanes that execute the instruction together. */
enum {
    FACT_LANE = 1 << 0,   /* which lane it is: its own local memory, the old value of its atomic */
    FACT_LANES = 1 << 1,  /* other lanes: values of theirs (facts_gives), or which of them are there */
    FACT_MEMORY = 1 << 2, /* what memory holds at the time */
    FACT_STATE = 1 << 3   /* order and time: what executes it a second time may get another result */
};

/* The carry flag of PTX, a register that operands do not show. */
enum { FACT_CARRY_OUT = 1 << 0, FACT_CARRY_IN = 1 << 1 };

/* Memory that may be touched. A generic address may be of any of the first three. Parameters count as constant. */
enum {
    FACT_GLOBAL = 1 << 0,
    FACT_SHARED = 1 << 1,
    FACT_LOCAL = 1 << 2,
    FACT_CONSTANT = 1 << 3,
    FACT_SCRATCH = 1 << 4 /* IR_SCRATCH: parameters of inlined calls, no memory of the GPU */
};

/* What an instruction does to the order of things. */
enum {
    FACT_LANES_SYNC = 1 << 0, /* lanes of the warp wait for each other */
    FACT_BLOCK = 1 << 1,      /* warps of the block wait for each other */
    FACT_FENCE = 1 << 2,      /* memory: accesses before it and behind it stay on their sides */
    FACT_COPIES = 1 << 3,     /* it begins or ends copies that go on beside the thread */
    FACT_TIME = 1 << 4,       /* time goes by, others run */
    FACT_GOES = 1 << 5        /* it goes elsewhere or ends the thread */
};

/* What may be done with an instruction whose guard and sources are the same. */
enum {
    FACT_LEAVE_OUT = 1 << 0, /* when nobody reads its results */
    FACT_DOUBLE = 1 << 1,    /* done twice */
    FACT_MOVE = 1 << 2,      /* done earlier or later */
    FACT_NEEDLESS = 1 << 3,  /* done where it was not asked for */
    FACT_FREE = FACT_LEAVE_OUT | FACT_DOUBLE | FACT_MOVE | FACT_NEEDLESS
};

/* One column each. */
unsigned facts_result(const struct ir_inst *in); /* of all destinations together */
unsigned facts_result_at(const struct ir_inst *in, int d); /* of this one */
unsigned facts_carry(const struct ir_inst *in);
unsigned facts_reads(const struct ir_inst *in);
unsigned facts_writes(const struct ir_inst *in);
unsigned facts_syncs(const struct ir_inst *in);
unsigned facts_may(const struct ir_inst *in);

/* The value of source i reaches other lanes: what they have there, this lane's result may depend on. */
bool facts_gives(const struct ir_inst *in, int i);

/* A special register's value, as a source: FACT_LANE or FACT_STATE, or 0: one value in the warp at all times. */
unsigned facts_source(const struct ir_src *s);

/* It has, lane by lane, the same value in all warps of a block at all times. True of immediates. */
bool facts_alike_in_warps(const struct ir_src *s);

/* Results come from the lane's sources alone, and nothing else happens. */
bool facts_pure(const struct ir_inst *in);

/* One number, of which no modifier makes another than the operation's kind says. */
bool facts_plain(const struct ir_inst *in);

/* Lanes that execute it together matter: it may not be parted, nor done by fewer or more of them. */
bool facts_convergent(const struct ir_inst *in);

/* Accesses of memory do not go from one side of it to the other: barriers, fences, what lets time go by, and whatever
 * touches memory in another way than loads, stores and atomics do. */
bool facts_wall(const struct ir_inst *in);

/* A fence that holds for more than the block: accesses in front of it have to be done where all of the device sees them. */
bool facts_fences_device(const struct ir_inst *in);

/* Columns, for tests that ask what becomes of an analysis when a fact is wrong. */
enum facts_column { FACTS_RESULT, FACTS_GIVES, FACTS_CARRY, FACTS_READS, FACTS_WRITES, FACTS_SYNCS, FACTS_MAY, FACTS_COLUMNS };

/* From now on the operation's column says `value`, whatever the modifiers; op < 0: all say again what their rows do. For
 * tests only: not while another thread looks. */
void facts_pretend(int op, enum facts_column column, unsigned value);

#endif
