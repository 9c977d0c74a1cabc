/* page_html.h - page.html and compare.html as texts of this program; page_html.cmake makes them. */
#ifndef LUNA_APPS_PAGE_HTML_H
#define LUNA_APPS_PAGE_HTML_H

extern const unsigned char page_html_text[];
extern const unsigned char compare_html_text[];

#endif
