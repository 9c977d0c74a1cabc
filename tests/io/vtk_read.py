"""vtk_read.py FILE NX NY NZ - does VTK's own reader find the values of cube.fa in the image?"""
import sys
import vtk
from vtk.util.numpy_support import vtk_to_numpy

path, n = sys.argv[1], [int(k) for k in sys.argv[2:]]
reader = vtk.vtkHDFReader()
assert reader.CanReadFile(path), 'VTK does not take it for a file of its own'
reader.SetFileName(path)
reader.Update()
image = reader.GetOutput()
assert image.IsA('vtkImageData'), image.GetClassName()
# In VTK x is the fastest index, in the array the last one.
assert list(image.GetDimensions()) == n[::-1], image.GetDimensions()
values = vtk_to_numpy(image.GetPointData().GetArray('u'))
want = [10000.0 * x + 100.0 * y + z
        for x in range(n[0]) for y in range(n[1]) for z in range(n[2])]
assert list(values) == want, 'a value is wrong'
print('VTK', vtk.vtkVersion.GetVTKVersion(), 'reads', len(want), 'values')
