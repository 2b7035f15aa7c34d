using System.CommandLine;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>The VALUE argument of a command, or the option that names a file with the value.</summary>
internal sealed class ValueArgument
{
    private const int MaxFileLength = 1 << 24;
    private readonly Argument<string?> _value = new("VALUE") { Description = "the value, as text", Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<string?> _file =
        new("--file", "-f") { Description = "read the value from a file, - for standard input", HelpName = "F" };

    public void AddTo(Command command)
    {
        command.Arguments.Add(_value);
        command.Options.Add(_file);
    }

    public async Task<byte[]> ReadAsync(ParseResult parse, bool base64, CommandHost host, CancellationToken cancellationToken)
    {
        string? file = parse.GetValue(_file);
        string? text = parse.GetValue(_value);
        if ((text is null) == (file is null))
        {
            throw new UsageException("Give either VALUE or --file F.");
        }
        return text is not null
            ? Octets(KeyArguments.NotAnOption(parse, text), base64)
            : await ReadFileAsync(file!, host, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Returns the octets of a file, or of standard input if the name is <c>-</c>, up to a limit.</summary>
    public static async Task<byte[]> ReadFileAsync(string file, CommandHost host, CancellationToken cancellationToken)
    {
        using Stream stream = file == "-" ? host.OpenInput() : File.OpenRead(file);
        using var octets = new MemoryStream();
        byte[] buffer = new byte[16 * 1024];
        for (int read; (read = await stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0;)
        {
            octets.Write(buffer, 0, read);
            if (octets.Length >= MaxFileLength)
            {
                throw new UsageException($"No log takes values of {MaxFileLength} octets.");
            }
        }
        return octets.ToArray();
    }

    /// <summary>Returns the octets of an argument, which is text, or base64url if the user gave <c>--b64</c>.</summary>
    public static byte[] Octets(string text, bool base64) => !base64 ? Encoding.UTF8.GetBytes(text)
        : Base64UrlText.TryDecode(text, out byte[]? octets) ? octets
        : throw new UsageException($"{text} is not base64url without padding.");
}
