using System.Collections;
using System.Text;
using System.Text.Unicode;

namespace Optiks;

/// <summary>
/// Checks that arguments, variables and the working folder are valid UTF-8. .NET turns invalid bytes into U+FFFD, which would make two
/// different names, folders or secrets equal.
/// </summary>
public static class ExactText
{
    private const char Replacement = '\uFFFD';

    // The beginnings of the names of the variables that Optiks and its libraries read. Other variables belong to other programs and are not
    // checked.
    private static readonly string[] s_read = ["OPTIKS", "XDG_", "HOME", "TMPDIR", "CREDENTIALS_DIRECTORY", "ASPNETCORE_", "DOTNET_",
        "OTEL_", "AWS_", "PG", "SSL_CERT_"];

    /// <summary>
    /// Returns a sentence about the first argument, variable or working folder of this process that is not UTF-8, or null if all of these
    /// are UTF-8. Call this method before <c>CoreDumps.Forbid</c>, after which this process cannot read its own files in /proc.
    /// </summary>
    public static string? FindFault()
    {
        string[] args = Environment.GetCommandLineArgs()[1..];
        return FindArgument(args, ReadOrNull("/proc/self/cmdline"))
            ?? FindVariable(Environment.GetEnvironmentVariables(), ReadOrNull("/proc/self/environ"))
            ?? (Environment.CurrentDirectory.Contains(Replacement, StringComparison.Ordinal)
                ? "The name of the working folder is not UTF-8: start the program from another folder."
                : null);
    }

    /// <summary>
    /// Finds the first argument that is not UTF-8. The arguments are the last parts of <paramref name="commandLine"/>, which holds the
    /// bytes of the whole command line. If <paramref name="commandLine"/> is null, an argument with U+FFFD counts as not UTF-8.
    /// </summary>
    internal static string? FindArgument(IReadOnlyList<string> args, byte[]? commandLine)
    {
        byte[][]? given = commandLine is null ? null : Parts(commandLine);
        for (int i = 0; i < args.Count; i++)
        {
            if (given is null || given.Length < args.Count
                ? args[i].Contains(Replacement, StringComparison.Ordinal)
                : !Utf8.IsValid(given[given.Length - args.Count + i]))
            {
                return $"Argument {i + 1} is not UTF-8. Give a key, name, device or value that is not UTF-8 in base64url with --b64. The names of files and folders must be UTF-8.";
            }
        }
        return null;
    }

    /// <summary>
    /// Finds the first variable whose value is not UTF-8 in the bytes of <paramref name="environment"/>. If <paramref name="environment"/>
    /// is null, a value with U+FFFD counts as not UTF-8.
    /// </summary>
    internal static string? FindVariable(IDictionary variables, byte[]? environment)
    {
        IEnumerable<string> faults = environment is null
            ? variables.Cast<DictionaryEntry>()
                .Where(variable => ((string?)variable.Value)?.Contains(Replacement, StringComparison.Ordinal) == true)
                .Select(variable => (string)variable.Key)
            : Parts(environment).Where(part => !Utf8.IsValid(part)).Select(part => Encoding.UTF8.GetString(part).Split('=')[0]);
        string? name = faults.FirstOrDefault(
            fault => Array.Exists(s_read, read => fault.StartsWith(read, StringComparison.OrdinalIgnoreCase)));
        return name is null ? null : $"The value of the variable {name} is not UTF-8: set it to text in UTF-8.";
    }

    private static byte[][] Parts(byte[] octets)
    {
        var parts = new List<byte[]>();
        for (ReadOnlySpan<byte> rest = octets; !rest.IsEmpty;)
        {
            int end = rest.IndexOf((byte)0);
            parts.Add((end < 0 ? rest : rest[..end]).ToArray());
            rest = end < 0 ? [] : rest[(end + 1)..];
        }
        return [.. parts];
    }

    private static byte[]? ReadOrNull(string path)
    {
        try
        {
            return File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The system is not Linux and has no such file, or this process may not read it. The caller then checks the text that .NET
            // decoded.
            return null;
        }
    }
}
