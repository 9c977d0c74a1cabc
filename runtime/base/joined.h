/* joined.h - what processes are that one launcher has started and that join each other by MPI: it
 * is the first word of each. Those that do different things would wait for each other for ever. */
#ifndef LUNA_BASE_JOINED_H
#define LUNA_BASE_JOINED_H

enum joined { JOINED_TO_RUN = 1, JOINED_TO_MEASURE };

#define JOINED_DIFFER "some ranks run a program, and others measure (luna perf)"

#endif
