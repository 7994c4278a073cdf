/* The glue: load, compile, launch, collect. */
typedef int engine_is_not_there_yet;
