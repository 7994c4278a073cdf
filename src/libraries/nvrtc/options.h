/* The options of one compilation. */
#ifndef NVRTC_OPTIONS_H
#define NVRTC_OPTIONS_H

#include <stdbool.h>

#include "text.h"

struct options {
    struct list hand;   /* flags for `heddle build` */
    char arch[32];      /* "sm_52", "sm_90a" */
    char standard[16];  /* "c++17" */
    bool real;          /* sm_..: an image is made; compute_..: PTX alone */
    bool syntax_only;
    bool default_device;
    bool no_source_folder;
    int max_registers;  /* of a thread, in the image; 0: not limited */
};

/* The architectures that there are, ended by 0. */
extern const int options_archs[];

/* Reads them all. False: what is wrong is in the log, as NVRTC says it. */
bool options_read(struct options *o, int n, const char *const *words, struct text *log);
void options_release(struct options *o);

#endif
