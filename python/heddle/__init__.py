"""Heddle: CUDA kernels without a GPU, with their counters. What a notebook needs, over Heddle's C library.

    import heddle, numpy as np

    module = heddle.compile('''
    __global__ void saxpy(int n, float a, const float *x, float *y)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            y[i] = a * x[i] + y[i];
    }
    ''')
    saxpy = module["saxpy"]

    n = 1000
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    saxpy[4, 256](n, 2.0, x, y)                    # 4 blocks of 256 threads; y has the result

    result = saxpy[4, 256].profile(n, 2.0, x, y)   # the same, with counters
    result["gld_efficiency"]                       # by ncu's and nvprof's names; metrics() has all
    result.lines()                                 # the same by source line
    result.to_frame()                              # a data frame of pandas
    print(result.report())                         # the report of `heddle profile`

    saxpy[4, 256].check(n, 2.0, x, y)              # [] where nothing is wrong, else findings with line and thread

Arrays that stay on the device: heddle.device().array(x), .empty(shape, dtype), .zeros(...). Another GPU:
heddle.compile(..., device=heddle.Device("a100")).

Whole programs, with a main of their own: heddle.run, heddle.profile, heddle.check; heddle.load_profile reads what
`heddle profile -o` kept.

Jupyter: `%load_ext heddle`, then `%%heddle run`, `%%heddle profile` or `%%heddle check` as the first line of a cell of CUDA
(`%%heddle?` says more).

What goes wrong is a Python exception: heddle.CompileError with the compiler's messages, heddle.Fault where a kernel fails
(with line, block and thread), TypeError and ValueError for arguments that do not fit, heddle.Error for the rest.

Needs Heddle (found beside this package, by HEDDLE_ROOT or PATH), clang-19, and numpy for arrays; pandas for data frames.
"""
from ._device import Array, Device, device
from ._library import VERSION as __version__
from ._library import CompileError, CompileWarning, Error, Fault, StrayAccess
from ._module import Kernel, Launch, Module, compile
from ._program import Checked, Run, check, load_profile, profile, run
from ._result import Findings, Metric, Profile, Result, metrics

__all__ = ["Array", "Checked", "CompileError", "CompileWarning", "Device", "Error", "Fault", "Findings", "Kernel", "Launch", "Metric", "Module",
           "Profile", "Result", "Run", "StrayAccess", "check", "compile", "device", "load_profile", "metrics", "profile", "run"]


def load_ipython_extension(shell):  # type: ignore[no-untyped-def]
    """%load_ext heddle"""
    from ._magic import register
    register(shell)
