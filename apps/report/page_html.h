/* page_html.h - page.html as a text of this program; page_html.cmake makes it. */
#ifndef LUNA_APPS_PAGE_HTML_H
#define LUNA_APPS_PAGE_HTML_H

extern const unsigned char page_html_text[];

#endif
