using System.Globalization;
using System.Reflection;

namespace Optiks.Storage;

/// <summary>
/// Holds the migrations of a driver, which are embedded in its assembly as <c>0001_create_tables</c> and so on, and checks a database's
/// schema version against them.
/// </summary>
public sealed class Schema
{
    /// <summary>Reads the scripts that are embedded in an assembly.</summary>
    public Schema(Assembly assembly)
    {
        ArgumentNullException.ThrowIfNull(assembly);
        var migrations = new List<(string Name, string Script)>();
        foreach (string name in assembly.GetManifestResourceNames().Where(name => char.IsAsciiDigit(name[0])).Order(StringComparer.Ordinal))
        {
            if (int.Parse(name.AsSpan(0, 4), NumberStyles.None, CultureInfo.InvariantCulture) != migrations.Count + 1)
            {
                throw new InvalidOperationException($"Migration {name} does not follow number {migrations.Count}.");
            }
            migrations.Add((name, Read(assembly, name)!));
        }
        Migrations = migrations;
        Grants = Read(assembly, "grants");
    }

    /// <summary>The names and scripts of the migrations, in order; entry i is migration number i + 1.</summary>
    public IReadOnlyList<(string Name, string Script)> Migrations { get; }

    /// <summary>The script that runs again after every migration and grants rights to roles; null when the engine has no roles.</summary>
    public string? Grants { get; }

    /// <summary>The schema version that this build needs.</summary>
    public int TargetVersion => Migrations.Count;

    /// <summary>
    /// Throws <see cref="StorageMisconfiguredException"/> if the database's version is not the one that this build needs. If the version is
    /// older, the message includes the text <paramref name="hint"/>.
    /// </summary>
    public void ThrowIfOther(int version, string location, string hint = "")
    {
        if (version != TargetVersion)
        {
            throw new StorageMisconfiguredException(version < TargetVersion
                ? $"The database {location} has schema version {version}, this program needs {TargetVersion}: run 'optiks-db migrate'.{hint}"
                : $"The database {location} has schema version {version}, newer than this program's {TargetVersion}: run a newer version of this program.");
        }
    }

    /// <summary>
    /// Throws <see cref="StorageMisconfiguredException"/> if the database's version is newer than this build's. Migrators call this method
    /// before they change anything.
    /// </summary>
    public void ThrowIfNewer(int version, string location)
    {
        if (version > TargetVersion)
        {
            throw new StorageMisconfiguredException(
                $"The database {location} has schema version {version}, newer than this program's {TargetVersion}: nothing was changed, run a newer version of this program.");
        }
    }

    private static string? Read(Assembly assembly, string name)
    {
        using Stream? stream = assembly.GetManifestResourceStream(name);
        if (stream is null)
        {
            return null;
        }
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
