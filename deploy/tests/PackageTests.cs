using System.Text.RegularExpressions;

namespace Optiks.Deploy.Tests;

/// <summary>
/// Tests the control file of the package optiks-server. Its dependencies are also the packages in the image optiks-server
/// (deploy/container/images.py). (tests/e2e/test_deb.py and test_images.py install and run the results.)
/// </summary>
public sealed class PackageTests
{
    /// <summary>
    /// The build finds the libraries with which the programs are linked. It cannot find a library that liboptiks loads while it runs, so
    /// the control file has to name the package of such a library.
    /// </summary>
    [Fact]
    public void The_server_depends_on_each_library_that_liboptiks_loads()
    {
        string control = File.ReadAllText(Path.Combine(Repository.Root, "deploy", "deb", "optiks-server", "control", "control"));
        string[] depends = [.. Regex.Match(control, "^Depends: (.*)$", RegexOptions.Multiline).Groups[1].Value.Split(',')
            .Select(one => one.Trim().Split(' ')[0])];
        IEnumerable<string> sources = Directory.EnumerateFiles(Path.Combine(Repository.Root, "ozks"), "*.cc", SearchOption.AllDirectories)
            .Select(File.ReadAllText);
        string[] loaded = [.. sources.SelectMany(text => Regex.Matches(text, "dlopen\\(\"(\\w+)\\.so\\.(\\d+)\""))
            .Select(match => $"{match.Groups[1].Value}{match.Groups[2].Value}")];
        Assert.Equal(["liblmdb0"], loaded);
        Assert.All(loaded, package => Assert.Contains(package, depends));
        // The test of packages installs them without a network, from the packages that it fetched once.
        string fetched = File.ReadAllText(Path.Combine(Repository.Root, "tests", "e2e", "container.py"));
        Assert.All(loaded, package => Assert.Matches($"(?m)^FETCHED = \".*\\b{package}\\b", fetched));
    }
}
