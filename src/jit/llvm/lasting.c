/* What this module makes lasts as long as the process. It is never unloaded, and a program may end while a thread compiles: then
 * nothing of LLVM's may be taken down. C++ registers the end of each static object where it is made, some only while the first
 * kernel is compiled, and these ends come before any that was registered when the module was loaded (Itanium C++ ABI, 3.3.6.3).
 * So none is registered: the linker takes this function for all code of the module, and for no other. */
int __cxa_atexit(void (*end)(void *), void *object, void *module);

int __cxa_atexit(void (*end)(void *), void *object, void *module)
{
    (void)end;
    (void)object;
    (void)module;
    return 0;
}
