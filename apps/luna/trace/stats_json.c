/* stats_json.c - see stats_json.h. */
#include "apps/luna/trace/stats_json.h"

#include <stddef.h>

#define AT(field) offsetof(struct stats_df, field)
static const struct {
    const char *name;
    size_t at;
    bool time;
} df_fields[] = {
    {"line", AT(line), false},       {"made", AT(made), false},      {"bytes", AT(bytes), false},
    {"biggest", AT(biggest), false}, {"peak", AT(peak), false},      {"values", AT(values), false},
    {"life", AT(life), true},        {"longest", AT(longest), true}, {"unread", AT(unread), false},
    {"left", AT(left), false},
};
#undef AT
enum { DF_FIELDS = sizeof df_fields / sizeof *df_fields };

static void
df_json(struct json *j, const struct stats_df *x, enum stats_unit unit)
{
    json_line(j, 2);
    json_open(j, '{');
    json_key_text(j, "name", x->name);
    for (int i = 0; i < DF_FIELDS; i++) {
        uint64_t v = *(const uint64_t *)(const void *)((const char *)x + df_fields[i].at);
        if (df_fields[i].time && unit == STATS_SECONDS)
            json_key_seconds(j, df_fields[i].name, (double)v * 1e-9);
        else
            json_key_uint(j, df_fields[i].name, v);
    }
    json_close(j, '}');
}

void
stats_dfs_json(struct json *j, const char *name, const struct stats *s, enum stats_unit unit)
{
    json_key_open(j, name, '[');
    for (size_t i = 0; i < s->ndfs; i++) df_json(j, s->dfs[i], unit);
    json_close(j, ']');
}
