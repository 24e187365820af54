"""Spack's recipe. In a checkout: spack repo add FOLDER, where FOLDER/packages/lightrail/package.py is this
file, then spack dev-build lightrail@0.2.0"""
from spack.package import CMakePackage, depends_on, generator, license, version


class Lightrail(CMakePackage):
    """Parallel simulator of GPU clusters and their networks."""

    license("Apache-2.0")
    version("0.2.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10:+mpi")
    depends_on("fmt@9:")
    depends_on("pugixml")
    depends_on("boost@1.74:+program_options")
    depends_on("nlohmann-json@3.11:")
    depends_on("sqlite@3:")
    depends_on("zlib-api")
    depends_on("protobuf@3.21:")
    depends_on("libyaml")
    depends_on("metis@5:")
    depends_on("random123")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-h5py", type="run")
    depends_on("py-matplotlib", type="run")
    depends_on("py-numpy", type="run")
    depends_on("py-pandas", type="run")
    depends_on("py-plotly", type="run")

    generator("ninja")

    def cmake_args(self):
        return [self.define("LIGHTRAIL_TESTS", False),
                self.define("LIGHTRAIL_PYTHON", self.spec["python"].command.path)]
