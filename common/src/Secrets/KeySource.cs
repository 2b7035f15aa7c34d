using System.Security.Cryptography;

namespace Optiks.Secrets;

/// <summary>
/// KeySource is the one place where an operator put a secret: a variable of the environment, a credential of the service manager, or a file. More than one is refused: a secret in two places is as safe as
/// the worse one, and which of them counts is a guess. Any thread.
/// </summary>
internal sealed class KeySource
{
    private readonly string? _variable;
    private readonly Func<string, string?> _environment;

    private KeySource(string? variable, string? path, string name, Func<string, string?> environment)
    {
        _variable = variable;
        Path = path;
        Name = name;
        _environment = environment;
    }

    /// <summary>Path of the file or credential; null: it is in the environment.</summary>
    public string? Path { get; }

    /// <summary>IsFile says that the operator's commands may replace it: neither variable nor credential.</summary>
    public bool IsFile => Path is not null && !ServiceCredential.IsOne(Path, _environment);

    /// <summary>Name for messages.</summary>
    public string Name { get; }

    /// <summary>Find gives the source. Throws <see cref="SecretsException"/> for more than one.</summary>
    /// <param name="what">What it is, for messages: a sentence begins with it.</param>
    /// <param name="variable">Variable that may hold it.</param>
    /// <param name="credential">Credential that may hold it.</param>
    /// <param name="setting">Name of the setting that names a file, and the file; null: there is none.</param>
    /// <param name="file">The data folder's file: the source when nothing else is, whether it exists or not.</param>
    /// <param name="environment">Gives the variables.</param>
    public static KeySource Find(string what, string variable, string credential, (string Name, string File)? setting, string file, Func<string, string?> environment)
    {
        var found = new List<KeySource>();
        if (IsSet(variable, environment))
        {
            found.Add(new KeySource(variable, null, $"the variable {variable}", environment));
        }
        if (ServiceCredential.PathOf(credential, environment) is { } handed)
        {
            found.Add(new KeySource(null, handed, handed, environment));
        }
        if (setting is { File: { Length: > 0 } named } && System.IO.Path.GetFullPath(named) is var full && full != found.FirstOrDefault()?.Path)
        {
            found.Add(new KeySource(null, full, full, environment));
        }
        if (File.Exists(file) && !found.Any(source => source.Path == System.IO.Path.GetFullPath(file)))
        {
            found.Add(new KeySource(null, file, file, environment));
        }
        return found.Count switch
        {
            0 => new KeySource(null, file, file, environment),
            1 => found[0],
            _ => throw new SecretsException(
                $"{what} is given {found.Count} times, by {string.Join(" and by ", found.Select(source => source.Name))}: keep one. Move the others to where nobody reads them, once the one has what they have."),
        };
    }

    /// <summary>Exists says whether there is anything.</summary>
    public bool Exists => Path is null || File.Exists(Path);

    /// <summary>Read gives the octets, which the caller overwrites. Throws <see cref="SecretsException"/>.</summary>
    public byte[] Read()
    {
        if (Path is not null)
        {
            return SecretFile.Read(Path, _environment);
        }
        ReadOnlySpan<byte> value = IsProcess(_environment) ? TakenVariable.Take(_variable!)! : System.Text.Encoding.UTF8.GetBytes(_environment(_variable!)!);
        byte[] pinned = GC.AllocateUninitializedArray<byte>(value.Length, pinned: true);
        value.CopyTo(pinned);
        return pinned;
    }

    /// <summary>Use gives the octets to a function, and overwrites them.</summary>
    public T Use<T>(Func<byte[], T> use)
    {
        byte[] octets = Read();
        try
        {
            return use(octets);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
        }
    }

    // A test's environment is not taken out of the process's.
    private static bool IsProcess(Func<string, string?> environment) => environment == (Func<string, string?>)Environment.GetEnvironmentVariable;

    private static bool IsSet(string variable, Func<string, string?> environment) =>
        IsProcess(environment) ? TakenVariable.Take(variable) is not null : !string.IsNullOrEmpty(environment(variable));
}
