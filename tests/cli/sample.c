/* An object of every sort of symbol, for test_symbols.c. */
extern int sample_needed(void);
extern const int sample_constant;
extern int *const sample_pointer;
int sample_function(void);
void sample_weak(void);

int sample_data = 3;
static int sample_hidden;
_Thread_local int sample_thread;
const int sample_constant = 4;
int *const sample_pointer = &sample_data;

int
sample_function(void)
{
    return sample_hidden++ + sample_needed();
}

__attribute__((weak)) void
sample_weak(void)
{
}
