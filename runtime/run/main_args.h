/* main_args.h - the words behind the program's file: parameters of main, or refused. */
#ifndef LUNA_RUNTIME_MAIN_ARGS_H
#define LUNA_RUNTIME_MAIN_ARGS_H

#include "runtime/data/frame.h"
#include "runtime/run/runtime.h"

/* Words too many are told; the run goes on. */
void main_args_tell_surplus(const struct luna_program *p, int argc, char **argv);
/* Main's frame. NULL: it has been told what is wrong. */
struct frame *main_args_frame(const struct luna_program *p, int argc, char **argv);
/* What was proved wrong when the program was compiled: told by whom can say it best. 0, or an exit
 * code. */
int main_args_refuse(const struct luna_program *p, const struct run_options *o,
                     const struct frame *main);
/* What was proved for small ints holds. Ranks whose arguments are refused do not get that far. */
bool main_args_are_small(const struct luna_program *p, int argc, char **argv);

#endif
