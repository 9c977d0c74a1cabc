/* cmd.h - the commands: luna WORD ... */
#ifndef LUNA_APPS_CMD_H
#define LUNA_APPS_CMD_H

#include "apps/luna/draw/picture.h"
#include "apps/luna/launch/options.h"

struct command {
    const char *name;
    enum who who;
    int (*run)(struct options *o); /* gives the exit code; NULL for help and perf: no FILE */
    const char *usage;
    const char *summary;
    const char *story; /* of luna help NAME */
};

extern const struct command commands[]; /* the last has no name */

int cmd_run(struct options *o);
int cmd_sim(struct options *o);
int cmd_build(struct options *o);
int cmd_check(struct options *o);
int cmd_dump(struct options *o);
int cmd_stats(struct options *o);
int cmd_map(struct options *o);
int cmd_plan(struct options *o);
int cmd_export(struct options *o);
int cmd_report(struct options *o);
int cmd_top(struct options *o);

const struct command *command_find(const char *name); /* NULL: none of this name */
/* Says that `name` is no command, and the nearest that is; gives EXIT_USAGE. */
int command_unknown(const char *name);

int  cmd_perf(struct arena *a, int argc, char **argv); /* luna perf [options] BENCHMARK */
int  cmd_help(int argc, char **argv); /* luna help [COMMAND] */
void cmd_help_short(FILE *out);       /* luna alone */
void cmd_help_command(const struct command *c, FILE *out);

/* Writes a picture and frees it, or says why not (`made` false: out of memory); an exit code. */
int cmd_picture_out(struct picture *p, bool made, const char *path);
/* Before long work: could a picture be written there? Says why not; an exit code. */
int cmd_picture_try(const char *path);

/* luna run --report: true: the run is over, and the page is made, or it was told why not; `code` is
 * the exit code. False: this process is the one to run, with a trace. */
bool report_around(struct options *o, int *code);

/* Checks that FILE was given and is there; says what is wrong and gives EXIT_USAGE, else 0. */
int cmd_check_file(const struct options *o);

#endif
