/* save.c - rows of a matrix in an HDF5 file. */
#include <hdf5.h>
#include <luna.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* HDF5, as Debian has it, may be called by one thread at a time. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void
new_file(const char *path, int rows, int columns, luna_df *made)
{
    hsize_t size[2] = {rows, columns};
    pthread_mutex_lock(&library);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, size, NULL);
    hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int failed = file < 0 || set < 0;
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    pthread_mutex_unlock(&library);
    if (failed) luna_fail("'%s' cannot be made", path);
    luna_set_int(made, 1);
}

void
row(int number, int columns, luna_df *data)
{
    double *x = luna_create(data, sizeof *x * columns);
    for (int i = 0; i < columns; i++) x[i] = number * columns + i;
}

void
put_row(const luna_df *made, const char *path, int number, const luna_df *data, luna_df *put)
{
    hsize_t from[2] = {number, 0}, size[2] = {1, luna_size(data) / sizeof(double)};
    (void)made; /* only the order matters */
    pthread_mutex_lock(&library);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "x", H5P_DEFAULT);
    hid_t here = H5Screate_simple(2, size, NULL), there = H5Dget_space(set);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, size, NULL);
    herr_t failed = H5Dwrite(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, luna_data(data));
    H5Sclose(there);
    H5Sclose(here);
    H5Dclose(set);
    if (H5Fclose(file) < 0) failed = -1;
    pthread_mutex_unlock(&library);
    if (failed < 0) luna_fail("row %d was not written to '%s'", number, path);
    luna_set_int(put, 1);
}

void
say_sum(int rows, const char *path)
{
    double sum = 0, *x = malloc(sizeof *x * rows * 1000);
    pthread_mutex_lock(&library);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "x", H5P_DEFAULT);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
    H5Fclose(file);
    pthread_mutex_unlock(&library);
    for (int i = 0; i < rows * 1000; i++) sum += x[i];
    printf("%d rows, sum %.0f\n", rows, sum);
    free(x);
}
