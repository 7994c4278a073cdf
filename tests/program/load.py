"""The engine's library, loaded by a program that was not linked with it: load.py LIBHEDDLE FILE.ptx"""
import array
import ctypes
import sys

lib = ctypes.CDLL(sys.argv[1])
lib.heddle_error_text.restype = lib.heddle_version.restype = ctypes.c_char_p


def must(status):
    if status:
        sys.exit(f"status {status}: {lib.heddle_error_text().decode()}")


class Config(ctypes.Structure):
    """heddle_launch_config"""
    _fields_ = [("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("rest", ctypes.c_uint64 * 16)]


N = 1000
text = open(sys.argv[2], "rb").read()
device, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
must(lib.heddle_device_open(b"h200", ctypes.byref(device)))
must(lib.heddle_module_load(device, b"kernels.ptx", text, ctypes.c_size_t(len(text)), ctypes.byref(module)))
must(lib.heddle_kernel_find(module, b"add_one", ctypes.byref(kernel)))
numbers = array.array("I", range(N))
room = (ctypes.c_uint32 * N).from_buffer(numbers)
must(lib.heddle_alloc(device, ctypes.c_size_t(4 * N), ctypes.byref(memory)))
must(lib.heddle_copy_in(device, memory, room, ctypes.c_size_t(4 * N)))
p, n = ctypes.c_uint64(memory.value), ctypes.c_uint32(N)
args = (ctypes.c_void_p * 2)(ctypes.addressof(p), ctypes.addressof(n))
config = Config((8, 1, 1), (128, 1, 1))
for _ in range(3):
    must(lib.heddle_launch(kernel, ctypes.byref(config), args, None))
must(lib.heddle_copy_out(device, room, memory, ctypes.c_size_t(4 * N)))
wrong = sum(x != i + 3 for i, x in enumerate(numbers))
lib.heddle_device_close(device)
print(f"Heddle {lib.heddle_version().decode()}: {wrong} of {N} are wrong")
sys.exit(wrong != 0)
