/* otf2.h - between luna export and luna_otf2.so, which alone knows the library OTF2: it is opened
 * when it is asked for, so that luna starts without it. */
#ifndef LUNA_APPS_EXPORT_OTF2_H
#define LUNA_APPS_EXPORT_OTF2_H

#include <stddef.h>
#include <stdint.h>

/* Node n has a location for each worker, and behind these one for its messages. */
enum otf2_what { OTF2_ENTER, OTF2_LEAVE, OTF2_SENDS, OTF2_RECEIVES };

struct otf2_event {
    uint64_t t, bytes; /* bytes: of a message */
    uint64_t location, order;
    uint32_t region; /* entered or left; of a message the other node */
    enum otf2_what what;
};

struct otf2_region {
    const char *name;
    uint32_t line;
};

struct otf2_trace {
    const char *program;
    uint64_t nodes, workers, duration;
    const struct otf2_region *regions;
    size_t nregions;
    const struct otf2_event *events; /* by location, then time */
    size_t nevents;
};

struct otf2_writer {
    const char *version; /* luna's */
    /* Makes the folder. NULL, or what went wrong. */
    const char *(*write)(const struct otf2_trace *t, const char *folder);
};
#define OTF2_WRITER_SYMBOL "luna_otf2_writer"

#endif
