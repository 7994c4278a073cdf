/* What pictures share (see svg.h). */
#include "report/svg.h"

#include "base/strbuf.h"

const char *const svg_colours[SVG_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

void svg_text(struct strbuf *out, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<':
            strbuf_adds(out, "&lt;");
            break;
        case '>':
            strbuf_adds(out, "&gt;");
            break;
        case '&':
            strbuf_adds(out, "&amp;");
            break;
        case '"':
            strbuf_adds(out, "&quot;");
            break;
        default:
            strbuf_add(out, (unsigned char)*s >= ' ' || *s == '\n' ? s : "?", 1);
        }
}

void svg_open(struct strbuf *out, int width, int height, const char *title, const char *description)
{
    strbuf_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
                     "aria-labelledby=\"title%s\">\n<title id=\"title\">", width, height, width, height,
                description ? " description" : "");
    svg_text(out, title);
    strbuf_adds(out, "</title>\n");
    if (description) {
        strbuf_adds(out, "<desc id=\"description\">");
        svg_text(out, description);
        strbuf_adds(out, "</desc>\n");
    }
    strbuf_adds(out, "<style>text{font-family:sans-serif;fill:#222;font-size:12px}.title{font-size:14px;font-weight:bold}"
                     ".mark{font-size:11px}.grid{stroke:#ddd}.axis{stroke:#888}"
                     ".halo{paint-order:stroke;stroke:#fff;stroke-width:3px}</style>\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

void svg_close(struct strbuf *out)
{
    strbuf_adds(out, "</svg>\n");
}

double svg_width(const char *s, double size)
{
    double n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80; /* UTF-8: the first byte of a character */
    return n * size * 0.6;
}
