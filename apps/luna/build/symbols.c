/* symbols.c - a reader of ELF relocatable objects of this machine's class and byte order. */
#include "apps/luna/build/symbols.h"

#include "apps/luna/common/files.h"

#include <ctype.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

struct elf {
    const char *bytes;
    size_t size;
    const ElfW(Ehdr) *head;
    const ElfW(Shdr) *sections;
    size_t nsections;
    const char *section_names;
    size_t section_names_size;
};

/* Without overflow, whatever the two numbers are: they come from the file. */
static bool
is_inside(const struct elf *e, uint64_t at, uint64_t size)
{
    return at <= e->size && size <= e->size - at;
}

static bool
open_sections(struct elf *e)
{
    e->head = (const void *)e->bytes;
    if (e->size < sizeof *e->head || memcmp(e->head->e_ident, ELFMAG, SELFMAG)) return false;
    if (e->head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) return false;
    if (e->head->e_shentsize != sizeof *e->sections || e->head->e_shoff % 8) return false;
    e->nsections = e->head->e_shnum;
    if (!is_inside(e, e->head->e_shoff, sizeof *e->sections)) return false;
    e->sections = (const void *)(e->bytes + e->head->e_shoff);
    if (!e->nsections) e->nsections = e->sections[0].sh_size; /* more than 65,279 of them */
    if (e->nsections > e->size / sizeof *e->sections) return false;
    return is_inside(e, e->head->e_shoff, e->nsections * sizeof *e->sections);
}

/* A table of 0-terminated strings; NULL when it is damaged. */
static const char *
strings(const struct elf *e, size_t section, size_t *size)
{
    if (section >= e->nsections) return NULL;
    const ElfW(Shdr) *s = &e->sections[section];
    if (!is_inside(e, s->sh_offset, s->sh_size) || !s->sh_size) return NULL;
    const char *text = e->bytes + s->sh_offset;
    *size = s->sh_size;
    return text[s->sh_size - 1] ? NULL : text;
}

static bool
open_section_names(struct elf *e)
{
    size_t index = e->head->e_shstrndx;
    if (index == SHN_XINDEX) index = e->sections[0].sh_link;
    e->section_names = strings(e, index, &e->section_names_size);
    return e->section_names != NULL;
}

static const char *
section_name(const struct elf *e, const ElfW(Shdr) *s)
{
    return s->sh_name < e->section_names_size ? e->section_names + s->sh_name : "";
}

/* .data.rel.ro is written by the loader only. */
static bool
is_writable(const struct elf *e, size_t section)
{
    if (section == SHN_COMMON) return true;
    if (section >= e->nsections) return false;
    const ElfW(Shdr) *s = &e->sections[section];
    return s->sh_flags & SHF_WRITE && !(s->sh_flags & SHF_TLS) &&
           strncmp(section_name(e, s), ".data.rel.ro", 12);
}

/* Common symbols (int x; in a header, with -fcommon) may stand in many files, like weak ones. */
static struct symbol_info
symbol_of(const struct elf *e, const ElfW(Sym) *s, const char *name)
{
    /* ELF32_ST_BIND and _TYPE are the same for both classes. */
    unsigned bind = ELF32_ST_BIND(s->st_info), type = ELF32_ST_TYPE(s->st_info);
    return (struct symbol_info){
        .name = name,
        .defined = s->st_shndx != SHN_UNDEF,
        .global = bind != STB_LOCAL,
        .weak = bind == STB_WEAK || bind == STB_GNU_UNIQUE || s->st_shndx == SHN_COMMON,
        .function = type == STT_FUNC || type == STT_GNU_IFUNC,
        .writable = type == STT_OBJECT && is_writable(e, s->st_shndx),
    };
}

/* Names are copied: the bytes of the file go when it has been read. */
static bool
read_table(struct arena *a, const struct elf *e, const ElfW(Shdr) *table, struct symbols *out)
{
    size_t names_size;
    const char *names = strings(e, table->sh_link, &names_size);
    if (!names || table->sh_entsize != sizeof(ElfW(Sym)) || table->sh_offset % 8 ||
        !is_inside(e, table->sh_offset, table->sh_size))
        return false;
    const ElfW(Sym) *s = (const void *)(e->bytes + table->sh_offset);
    size_t n = table->sh_size / sizeof *s;
    out->at = arena_array(a, struct symbol_info, n ? n : 1);
    for (size_t i = 1; i < n; i++) {
        if (!s[i].st_name || s[i].st_name >= names_size) continue;
        const char *name = arena_strdup(a, names + s[i].st_name);
        out->at[out->n++] = symbol_of(e, &s[i], name);
    }
    return true;
}

static bool
read_elf(struct arena *a, const struct buf *bytes, struct symbols *out)
{
    struct elf e = {.bytes = bytes->data, .size = bytes->size};
    if (!open_sections(&e) || !open_section_names(&e)) return false;
    for (size_t i = 0; i < e.nsections; i++)
        if (e.sections[i].sh_type == SHT_SYMTAB) return read_table(a, &e, &e.sections[i], out);
    return true; /* nothing in it */
}

bool
symbols_read(struct arena *a, const char *path, struct symbols *out)
{
    struct buf bytes = {0};
    *out = (struct symbols){0};
    bool fine = !file_take(a, path, &bytes) && read_elf(a, &bytes, out);
    buf_fini(&bytes);
    return fine;
}

const struct symbol_info *
symbols_find(const struct symbols *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].defined && s->at[i].global && !strcmp(s->at[i].name, name)) return &s->at[i];
    return NULL;
}

/* One <length><name> of a mangled name. */
static const char *
take_part(const char *p, const char **part, size_t *size)
{
    char *end;
    if (!isdigit((unsigned char)*p)) return NULL;
    *size = strtoul(p, &end, 10);
    if (strlen(end) < *size) return NULL;
    *part = end;
    return end + *size;
}

/* A static variable of a function, _ZZ1fvE5calls or calls.0: its own name. */
static const char *
local_name(struct arena *a, const char *name)
{
    const char *part;
    size_t size;
    if (!strncmp(name, "_ZZ", 3)) {
        for (const char *p = name + strlen(name); p > name; p--)
            if (*p == 'E' && take_part(p + 1, &part, &size)) return arena_strndup(a, part, size);
        return NULL;
    }
    size_t n = strcspn(name, ".");
    return n && isdigit((unsigned char)name[n + !!name[n]]) ? arena_strndup(a, name, n) : NULL;
}

/* What a Fortran module has: "count" of __grid_MOD_count. */
static const char *
name_in_module(const char *name)
{
    const char *module = strncmp(name, "__", 2) ? NULL : strstr(name, "_MOD_");
    return module ? module + 5 : NULL;
}

/* Enough of C++ mangling for names of functions and variables: _ZN1a1bE is a::b, parameters are
 * dropped. NULL for what is not mangled, and for operators and templates, which are left as they
 * are. */
const char *
symbol_plain_name(struct arena *a, const char *name)
{
    const char *local = local_name(a, name);
    if (!local) local = name_in_module(name);
    if (local || strncmp(name, "_Z", 2)) return local;
    const char *p = name + 2, *text = "", *part;
    while (*p == 'L' || *p == 'N' || *p == 'K') p++;
    size_t size;
    for (const char *next; (next = take_part(p, &part, &size)); p = next + (*next == 'L')) {
        bool hidden = size >= 8 && !strncmp(part, "_GLOBAL_", 8); /* an unnamed namespace */
        if (hidden) continue;
        text = arena_printf(a, "%s%s%.*s", text, *text ? "::" : "", (int)size, part);
    }
    return *text ? text : NULL;
}
