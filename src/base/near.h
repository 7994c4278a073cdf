/* Near matches: what the user may have meant. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

/* Edits (insert, delete, replace, swap of neighbours; letters without case) that make one string the other, or `limit`
 * when it takes that many or more. */
unsigned near_distance(const char *a, const char *b, unsigned limit);

/* How many edits are still "near" for a word of this length: a third of it, at least 1, at most 12. */
unsigned near_limit(const char *word);

#endif
