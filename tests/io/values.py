"""values.py FILE TYPE NX NY NZ - is each value of the file that of cube.fa? Read by numpy or h5py."""
import sys
import numpy

path, kind = sys.argv[1:3]
n = [int(k) for k in sys.argv[3:]]
shape = tuple(k for k in n if k)
if path.endswith('.npy'):
    found = numpy.load(path)
else:
    import h5py
    with h5py.File(path) as file:
        if path.endswith('.vtkhdf'):
            root = file['VTKHDF']
            shape = (1,) * (3 - len(shape)) + shape
            extent = [e for k in reversed(shape) for e in (0, k - 1)]
            assert root.attrs['Type'] == b'ImageData', root.attrs['Type']
            assert list(root.attrs['WholeExtent']) == extent, root.attrs['WholeExtent']
            assert list(root.attrs['Version']) == [1, 0]
            found = root['PointData/u'][:]
        else:
            found = file['u'][:]
kinds = {'real': '<f8', 'float': '<f4', 'int': '<i4', 'int64': '<i8'}
assert found.dtype == numpy.dtype(kinds[kind]), found.dtype
assert found.shape == shape, found.shape
x, y, z = numpy.indices([max(k, 1) for k in n])
assert (found.ravel() == (10000 * x + 100 * y + z).ravel()).all(), 'a value is wrong'
