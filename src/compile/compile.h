/* From CUDA source to an ordinary executable: drives clang and the linker, with a cache.
 *
 * In: a command line like nvcc's, or one .cu file and options. Out: an executable, object or PTX file, and a list of
 * diagnostics that name the user's files, never ours. Each .cu file passes clang twice, in parallel: the device pass
 * makes PTX text, the host pass an object; the PTX is then put into the object as its device code (base/blob.h) and
 * libheddle-cudart.so finds it there when the program starts. docs/compile.md tells the whole way. */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct diag_list;
struct strbuf;

/* A list of words, as they stand on a command line. The words live in an arena. */
struct words {
    const char **v; /* v[n] is NULL */
    int n, cap;
};

enum compile_stage {
    COMPILE_PROGRAM,    /* link an executable, or a shared library with -shared */
    COMPILE_OBJECT,     /* -c */
    COMPILE_PTX,        /* -ptx */
    COMPILE_IMAGE,      /* -cubin, -fatbin: the PTX as an image of ours (base/blob.h), which cuModuleLoad takes */
    COMPILE_CPP,        /* -cuda: C++ text of host and device code (assembly.h) */
    COMPILE_PREPROCESS, /* -E: the host's view on stdout or -o */
    COMPILE_RULES,      /* -M, -MM: only makefile rules, on stdout, or to -MF or -o */
    COMPILE_LINK_DEVICE, /* -dlink: an object without content, since device code is joined when the program starts */
    COMPILE_LIBRARY,    /* -lib: an archive of objects */
};

struct compile_options {
    struct arena arena; /* owns every string below */
    enum compile_stage stage;
    const char *output;     /* -o, or NULL */
    const char *image;      /* COMPILE_IMAGE: ".cubin" or ".fatbin", what its name ends with by itself */
    struct strbuf *ptx;     /* COMPILE_PTX: the text is added here and not written to a file; or NULL */
    const char *device_ptx; /* --device-ptx: PTX file to use instead of the device pass, or NULL */
    struct words link_ir, link_ir_needed; /* --link-ir, --link-ir-needed: files of LLVM's IR */
    bool by_nvcc;           /* --front-end nvcc: the device pass is NVIDIA's compiler's (nvcc.h) */
    const char *language;   /* -x: "cu", "c" or "c++" is what every source is; or NULL: as its name ends */
    struct words inputs;    /* files, and the linker's words among them in order: -lm, -Wl,... */
    struct words defines;   /* -DX and -UX, in order */
    struct words search;    /* -I DIR, -isystem DIR, -include FILE, in order */
    struct words host;      /* -Xcompiler and warning flags: for the host pass and for linking */
    struct words both;      /* flags of the language: -std=..., -w */
    int arch;               /* compute capability times 10 of the device code: 90 */
    bool arch_a;            /* the arch-specific variant: sm_90a */
    bool arch_given;        /* -arch or -gencode was there, so a device's own does not replace it */
    char host_opt;          /* '0' to '3', 's': -O of host code */
    bool debug_host;        /* -g */
    bool debug_device;      /* -G: device code is not optimised */
    bool ftz, fast_div, fast_sqrt, fast_functions; /* the parts of --use_fast_math */
    bool no_fmad;           /* -fmad=false */
    int registers;          /* -maxrregcount: that a thread may take, or 0: as many as it likes */
    const char *load_cache; /* -Xptxas -dlcm: "ca", "cg", "cs" or "cv", or NULL: as the device does by itself */
    bool relocatable;       /* -rdc=true, -dc: device code that is joined with other files' */
    bool shared;            /* -shared */
    const char *cudart;     /* -cudart: "static", "shared" or "none", by its name in the toolkit's folder; NULL: by our own */
    bool dependencies;      /* -MD, -MMD: a makefile rule is written next to the output */
    bool dep_user_only;     /* -MM, -MMD: without headers of the system and of Heddle */
    bool dep_targets;       /* -MP: also an empty rule for each header */
    const char *dep_file;   /* -MF: there instead, or NULL */
    const char *dep_target; /* -MT: what the rule is for, or NULL: the output */
    const char *keep_dir;   /* -keep-dir: where kept files go, or NULL */
    int options_files;      /* files of options that were read */
    bool forward_unknown;   /* flags that are not known here go to the host pass and the linker driver */
    bool verbose;           /* -v, --dryrun: each command becomes a note */
    bool dry_run;           /* only the notes */
    bool run;               /* -run: the caller is to run the program, with run_args */
    struct words run_args;
    bool keep;              /* -keep: PTX beside the output */
    bool resources;         /* -Xptxas -v: device_code is called */
    void (*device_code)(const char *ptx, size_t len, int arch, void *user); /* with each file's device code, or NULL */
    void *device_code_user;
};

void compile_options_init(struct compile_options *o);
void compile_options_release(struct compile_options *o);

/* Takes one option at argv[0] with its value, if it has one. Returns the number of words taken, 0 if argv[0] is not an
 * option that is known here (a file name, an unknown flag). Wrong values are errors in `diags`. */
int compile_options_take(struct compile_options *o, int argc, char **argv, struct diag_list *diags);

/* Takes a whole command line: options, inputs, libraries. An unknown flag is an error that names it. */
void compile_options_parse(struct compile_options *o, int argc, char **argv,
                           struct diag_list *diags);

/* The same for a text: blanks and line ends part words, quotes and backslashes as in a shell. */
void compile_options_parse_text(struct compile_options *o, const char *text, struct diag_list *diags);

/* One line per option for --help. */
void compile_options_help(struct strbuf *out);

/* `heddle build`: does what the options say. False: there are errors in `diags`. */
bool compile_build(struct compile_options *o, struct diag_list *diags);

/* Compiles one CUDA or C++ file to an executable in the cache, or finds it there, and returns its path (it lives in
 * o->arena), NULL with errors in `diags`. Flags come from `o`; o->inputs holds only libraries and objects to link
 * along. The path's last part is the file's name without its extension. */
const char *compile_program(struct compile_options *o, const char *file, struct diag_list *diags);

/* The compute capability (times 10) that a PTX file was made for, 0 with an error in `diags` if the file cannot be
 * read, is not PTX or is cut off. */
int compile_check_ptx(const char *file, struct diag_list *diags);

#endif
