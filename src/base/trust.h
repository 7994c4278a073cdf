/* Whose files and folders may be believed: what is kept in them is run later, and by root as root. */
#ifndef BASE_TRUST_H
#define BASE_TRUST_H

#include <stdbool.h>

struct stat;
struct strbuf;

/* Nobody but us and root may write to it: it belongs to one of the two, and neither everybody may write to it nor a group
 * (for a folder: another group than our own). Follow no link on the way to `st`. */
bool trust_file(const struct stat *st);
bool trust_folder(const struct stat *st);

/* Is the folder at this absolute path, in which no part is a link, ours to use: a folder that trust_folder accepts, and above
 * it only folders in which others cannot swap it for one of theirs? False: `why` gets a reason, with the folder that is wrong. */
bool trust_path(const char *path, struct strbuf *why);

#endif
