/* transpose.c - strips of a matrix, cut into pieces and joined. */
#include <luna.h>

/* Strip i of a matrix whose numbers tell where they are. */
void rows(int i, int strips, int side, luna_df *strip)
{
    int height = side / strips;
    double *x = luna_create(strip, sizeof *x * side * height);
    for (int r = 0; r < height; r++)
        for (int c = 0; c < side; c++) x[r * side + c] = 1000 * (i * height + r) + c;
}

/* The columns of a strip, so many to a piece, as rows. */
void cut(const luna_df *strip, int side, const luna_outputs *piece)
{
    const double *x = luna_data(strip);
    int width = side / (int)piece->n, height = (int)(luna_size(strip) / sizeof *x) / side;
    for (size_t j = 0; j < piece->n; j++) {
        double *to = luna_create(piece->df[j], sizeof *to * width * height);
        for (int c = 0; c < width; c++)
            for (int r = 0; r < height; r++) to[c * height + r] = x[r * side + j * width + c];
    }
}

void join(const luna_inputs *piece, int side, luna_df *strip)
{
    int width = side / (int)piece->n; /* of a piece, and the height of the strip */
    double *to = luna_create(strip, sizeof *to * side * width);
    for (size_t j = 0; j < piece->n; j++) {
        const double *x = luna_data(piece->df[j]);
        for (int r = 0; r < width; r++)
            for (int c = 0; c < width; c++) to[r * side + j * width + c] = x[r * width + c];
    }
}

void corner(const luna_df *strip, int k, luna_df *value)
{
    luna_set_real(value, ((const double *)luna_data(strip))[k]);
}
