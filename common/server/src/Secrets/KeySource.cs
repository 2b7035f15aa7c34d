using System.Security.Cryptography;

namespace Optiks.Secrets;

/// <summary>
/// Finds and reads the one place where an operator put a secret: an environment variable, a credential of the service manager, or a file.
/// Refuses more than one source, because a secret in two places is only as safe as the weaker place, and because it would be unclear which
/// of two different secrets to use. Any thread may use a source.
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

    /// <summary>The path of the file or credential; null if the source is an environment variable.</summary>
    public string? Path { get; }

    /// <summary>
    /// Whether the source is a file and not an environment variable or a credential. The operator's commands may replace only a file.
    /// </summary>
    public bool IsFile => Path is not null && !ServiceCredential.IsOne(Path, _environment);

    /// <summary>The name of the source in error messages.</summary>
    public string Name { get; }

    /// <summary>Finds the place where the operator put the secret. Throws <see cref="SecretsException"/> if the operator has set more than
    /// one source.</summary>
    /// <param name="what">The name of the kind of secret. Error messages begin with this name.</param>
    /// <param name="variable">The name of the environment variable that may hold the secret.</param>
    /// <param name="credential">The name of the service manager's credential that may hold the secret.</param>
    /// <param name="setting">The name of the setting that may name the secret's file, and the value of this setting; null if there is no
    /// such setting.</param>
    /// <param name="file">The path of a file in the data folder, which is the source if the operator has set no other source. The file need
    /// not exist.</param>
    /// <param name="environment">The function that returns the value of an environment variable.</param>
    public static KeySource Find(string what, string variable, string credential, (string Name, string File)? setting, string file,
        Func<string, string?> environment)
    {
        var found = new List<KeySource>();
        if (IsSet(variable, environment))
        {
            found.Add(new KeySource(variable, null, $"the variable {variable}", environment));
        }
        if (ServiceCredential.FindPath(credential, environment) is { } handed)
        {
            found.Add(new KeySource(null, handed, handed, environment));
        }
        if (setting is { File: { Length: > 0 } named } && System.IO.Path.GetFullPath(named) is var full
            && full != found.FirstOrDefault()?.Path)
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
                $"{what} is given {found.Count} times, by {string.Join(" and by ", found.Select(source => source.Name))}: keep one. Once it has all that the others have, move them to where nobody can read them."),
        };
    }

    /// <summary>Whether the source exists.</summary>
    public bool Exists => Path is null || File.Exists(Path);

    /// <summary>
    /// Reads the secret's bytes, which the caller overwrites. Throws <see cref="SecretsException"/> if the source is missing or unusable.
    /// </summary>
    public byte[] Read()
    {
        if (Path is not null)
        {
            return SecretFile.Read(Path, _environment);
        }
        ReadOnlySpan<byte> value = IsProcess(_environment)
            ? TakenVariable.Take(_variable!)!
            : System.Text.Encoding.UTF8.GetBytes(_environment(_variable!)!);
        byte[] pinned = GC.AllocateUninitializedArray<byte>(value.Length, pinned: true);
        value.CopyTo(pinned);
        return pinned;
    }

    /// <summary>Passes the secret's bytes to a function, and overwrites the bytes when the function returns.</summary>
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

    // Returns whether the function `environment` reads the variables of this process. If it does not, as in a test with its own variables,
    // the process's environment must not be changed.
    private static bool IsProcess(Func<string, string?> environment) =>
        environment == (Func<string, string?>)Environment.GetEnvironmentVariable;

    private static bool IsSet(string variable, Func<string, string?> environment) =>
        IsProcess(environment) ? TakenVariable.Take(variable) is not null : !string.IsNullOrEmpty(environment(variable));
}
