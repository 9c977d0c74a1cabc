/* ucenv.h under the path that older programs use: <ucenv/ucenv.h>. */
#include "../ucenv.h"
