/* export.c - see export.h: the formats there are. */
#include "apps/luna/export/export.h"

#include <string.h>

static const struct export_format *const formats[] = {&export_perfetto, &export_paje, &export_otf2,
                                                      &export_csv, &export_csv_sends, &export_text};
const char *const export_names = "perfetto, paje, otf2, csv, csv-sends or text";

const struct export_format *
export_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i]->name, name)) return formats[i];
    return NULL;
}

void
export_flush(struct export *e)
{
    if (e->line.size) fwrite(e->line.data, 1, e->line.size, e->out);
    e->line.size = 0;
}

size_t
export_base(const char *name)
{
    return strcspn(name, "[");
}
