/* What pictures share: SVG 1.1 that stands alone, readable without colour and by screen readers. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

struct strbuf;

/* Okabe and Ito's colours, which the colour-blind tell apart. */
enum { SVG_COLOURS = 7 };
extern const char *const svg_colours[SVG_COLOURS];

/* The first tag, with a title and (unless NULL) a longer description, and a white ground. Texts are of class title (bold),
 * text or mark (small); lines of class grid or axis. */
void svg_open(struct strbuf *out, int width, int height, const char *title, const char *description);
void svg_close(struct strbuf *out);

/* Text as XML has it; what XML cannot have becomes '?'. */
void svg_text(struct strbuf *out, const char *s);

/* How wide a text of this size is, at most, in pixels. */
double svg_width(const char *s, double size);

#endif
