/* MT19937 for cuRAND: 8192 lanes, each 2^2048 steps behind the one before. A turn is eight words of a lane. */
#ifndef LIBRARIES_CURAND_MT19937_H
#define LIBRARIES_CURAND_MT19937_H

#include <stdbool.h>
#include <stdint.h>

enum { MT19937_LANES = 8192, MT19937_TURN = 8, MT19937_WORDS = 624 };

struct mt19937;

struct mt19937 *mt19937_new(uint32_t seed); /* NULL: no memory */
void mt19937_free(struct mt19937 *m);

/* The words of the lane's present turn, in the order in which cuRAND gives them out. next: the turn after it comes first. */
void mt19937_turn(struct mt19937 *m, unsigned lane, uint32_t words[MT19937_TURN]);
void mt19937_next(struct mt19937 *m, unsigned lane);

#endif
