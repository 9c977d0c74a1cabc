/* screen.c - a terminal that shows a run, anew each second. Plain ANSI: home, to the end of the
 * line, to the end of the screen. */
#include "apps/luna/top/top.h"

#include "runtime/base/clock.h"
#include "runtime/base/io.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { EVERY_MS = 1000, LINES = 24, COLUMNS = 80 };

static struct {
    struct termios before;
    volatile sig_atomic_t enough;
} screen;

static void
stop(int sig)
{
    screen.enough = sig;
}

/* Keys come at once, and are not shown; what ends us does so by way of screen_leave. */
static void
screen_enter(void)
{
    struct sigaction sa = {.sa_handler = stop}; /* poll is to be interrupted */
    tcgetattr(STDIN_FILENO, &screen.before);
    struct termios now = screen.before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGHUP, &sa, NULL);
    (void)io_write_all(STDOUT_FILENO, "\033[?25l\033[H\033[2J", 13); /* no cursor, nothing else */
}

static void
screen_leave(void)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
    (void)io_write_all(STDOUT_FILENO, "\033[?25h", 6);
}

/* Each line as wide as the screen at most, with what was there before wiped. */
static void
draw(const struct buf *text, int columns)
{
    struct buf out = {0};
    int at = 0;
    buf_str(&out, "\033[H");
    for (size_t i = 0; i < text->size; i++) {
        char c = text->data[i];
        if (c == '\n') {
            buf_str(&out, "\033[K\n");
            at = 0;
        } else if (at < columns) {
            buf_char(&out, c);
            at += (c & 0xc0) != 0x80; /* of a character the first byte */
        }
    }
    buf_str(&out, "\033[J");
    if (!out.failed) (void)io_write_all(STDOUT_FILENO, out.data, out.size);
    buf_fini(&out);
}

static void
show(const struct status_runs *runs, const struct status_sum *sum, enum top_order order)
{
    static const char *const names[TOP_ORDERS] = {"node", "busy", "calls/s"};
    struct winsize w = {0};
    struct buf text = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
    int lines = w.ws_row ? w.ws_row : LINES;
    top_text(runs, sum, order, lines > 8 ? lines - 2 : 6, &text);
    buf_printf(&text, "by %s (s: by another; q: leave)\n", names[order]);
    draw(&text, w.ws_col ? w.ws_col : COLUMNS);
    buf_fini(&text);
}

/* A key, or 0: time is up. */
static char
key_until(uint64_t ms)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    uint64_t now = clock_ms();
    char key;
    if (now >= ms || poll(&p, 1, (int)(ms - now)) <= 0) return 0;
    return read(STDIN_FILENO, &key, 1) == 1 ? key : 'q';
}

bool
top_screen(struct status_runs *runs)
{
    struct status_sum sum;
    enum top_order order = TOP_BY_NODE;
    bool goes_on;
    screen_enter();
    uint64_t next = clock_ms();
    while ((goes_on = top_look(runs, &sum)) && !screen.enough) {
        show(runs, &sum, order);
        next += EVERY_MS;
        for (char key; !screen.enough && (key = key_until(next));) {
            if (key == 'q') screen.enough = 1;
            if (key != 's') continue;
            order = (order + 1) % TOP_ORDERS;
            show(runs, &sum, order);
        }
    }
    screen_leave();
    return goes_on;
}
